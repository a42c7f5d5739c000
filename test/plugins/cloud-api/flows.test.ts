import t from 'tap';
import { ManualClock, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { cloudApi, graphFlowOperator } from '../../../plugins/cloud-api/plugin.js';
import { flowPositions } from '../../../plugins/cloud-api/records.js';
import { cloudApiStandIn } from '../../../plugins/cloud-api/testing/index.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { flowOperatorContract } from '../../../plugins/flows/testing.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { flowMessage } from '../flows/flows-under-test.js';

const SECRETS = { accessToken: 'stand-in-access-token', appSecret: 'stand-in-app-secret', verifyToken: 'stand-in-verify-token' };
const OURS = { address: '+15550783881', phoneNumberId: '106540352242922', wabaId: 'ours', ...SECRETS };
const THEIRS = { address: '+15550783882', phoneNumberId: '106540352242923', wabaId: 'theirs', ...SECRETS };
const accounts: Readonly<Record<string, string>> = { ours: '102290129340398', theirs: '102290129340399' };
const valid = JSON.stringify({ version: '7.3', screens: [{ id: 'A' }] });

/** A platform with two connected accounts, and the operator of their flows. */
async function start(t: Tap, switches: Parameters<typeof cloudApiStandIn>[0] = {}) {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  const numbers = [OURS, THEIRS].map((number) => ({ ...number, wabaId: accounts[number.wabaId]! }));
  const standIn = await cloudApiStandIn({ clock, port: false, numbers, ...SECRETS, ...switches });
  standIn.serve(http);
  const operator = graphFlowOperator();
  const cloud = cloudApi({ numbers, graphUrl: standIn.url, flowOperator: operator });
  const platform = await startPlatform(t, { plugins: [flows({ operator }), messages(), cloud], ports: { clock, http } });
  const [number] = (await platform.platform.numbers.list()).filter(({ account }) => account === accounts.ours);
  const token = await platform.platform.store.transaction((tx) => platform.platform.tokens.issue(tx, number!.uuid, 'test').text);
  return { ...platform, standIn, operator, token, http, clock };
}

/** Calls of the contract suite, which names its accounts `ours` and `theirs`. */
const renamed = <T extends object>(operator: T): T =>
  new Proxy(operator, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as (...given: unknown[]) => unknown;
      return (account: string, ...rest: unknown[]) => method.call(target, accounts[account], ...rest);
    },
  });

for (const flowErrors of [139000, 100] as const) {
  t.test(`the operator over Graph fulfils the contract of operators, with errors ${flowErrors}`, async (t) => {
    await flowOperatorContract(t, async (t) => {
      const { operator, http } = await start(t, { switches: { flowErrors } });
      return {
        operator: renamed(operator),
        async download(url) {
          const outcome = await http.send({ method: 'GET', url, deadlineMs: 1_000, maxResponseBytes: 1e6 });
          if (outcome.kind !== 'response') throw new Error(outcome.kind);
          return { status: outcome.status, bytes: outcome.body };
        },
      };
    });
  });
}

t.test('our validator runs before, theirs after, and responses list the errors of both', async (t) => {
  const theirs = {
    error: 'THEIR_RULE',
    error_type: 'FLOW_JSON_ERROR',
    message: 'only they know',
    line_start: 3,
    line_end: 3,
    column_start: 2,
    column_end: 9,
  };
  const { call, token } = await start(t, { validateFlow: () => [theirs] });
  const payload = { name: 'survey', flow_json: { version: '7.3', screens: [] } };
  const { status, body } = await call('POST', '/v1/flows', { token, payload });
  t.equal(status, 201);
  t.strictSame(body.validation_errors, [{ ...theirs, pointers: [] }]);
  t.match(body.local_validation_errors, [{ error_type: 'FLOW_JSON_ERROR' }]);
});

t.test('errors of the network keep their code and texts; errors of the token are 503', async (t) => {
  const { call, token, standIn } = await start(t);
  const payload = { name: 'survey', flow_json: valid };
  standIn.rule({
    on: { method: 'POST', path: '/*/flows' },
    times: 1,
    error: { code: 139000, message: '(#139000) Blocked by integrity', userTitle: 'Blocked', userMessage: 'Verify the business first.' },
  });
  t.match(await call('POST', '/v1/flows', { token, payload }), {
    status: 400,
    body: { error: { code: 139000, error_user_title: 'Blocked', error_user_msg: 'Verify the business first.' } },
  });
  standIn.rule({ on: { method: 'POST', path: '/*/flows' }, times: 1, error: 190 });
  t.match(await call('POST', '/v1/flows', { token, payload }), { status: 503, body: { errors: [{ details: /190/ }] } });
  t.equal((await call('POST', '/v1/flows', { token, payload })).status, 201);
});

t.test('a flow whose creation got its response too late is found again, and not created twice', async (t) => {
  const { operator, standIn } = await start(t);
  standIn.rule({ on: { method: 'POST', path: '/*/flows' }, times: 1, connection: 'reset after' });
  const created = await operator.create(accounts.ours!, { name: 'late', categories: ['OTHER'], definition: valid, publish: false });
  t.strictSame(
    standIn.flows.map(({ id }) => id),
    [created.id],
  );
});

t.test('a draft that cannot be published is deleted, so that the call can be repeated', async (t) => {
  const { operator, standIn } = await start(t);
  standIn.rule({ on: { method: 'POST', path: '/*/publish' }, times: 1, error: { code: 139002, userMessage: 'No phone number.' } });
  const create = () => operator.create(accounts.ours!, { name: 'again', categories: ['OTHER'], definition: valid, publish: true });
  await t.rejects(create(), { message: 'No phone number.', code: 'operator_error' });
  t.strictSame(standIn.flows, []);
  await create();
  t.match(standIn.flows, [{ status: 'PUBLISHED' }]);
});

t.test('accounts without a connected number keep the local operator', async (t) => {
  const { call, number, standIn } = await start(t);
  const { token } = await number('network', { account: 'local' });
  t.equal((await call('POST', '/v1/flows', { token, payload: { name: 'survey', flow_json: valid } })).status, 201);
  t.match((await call('GET', '/v1/flows', { token })).body.data, [{ name: 'survey' }]);
  t.strictSame(standIn.flows, []);
});

/** The same, with the webhook of the number registered. */
async function startWithWebhook(t: Tap) {
  const test = await start(t);
  const { standIn, server, clock, call, token, platform, events } = test;
  const [number] = (await platform.numbers.list()).filter(({ account }) => account === accounts.ours);
  t.ok(await standIn.subscribe(`http://posthorn.test/cloud-api/webhooks/${number!.uuid}`, { server }));
  const settle = async () => {
    await standIn.idle();
    await clock.advance(0);
  };
  const { body } = await call('POST', '/v1/flows', { token, payload: { name: 'survey', flow_json: valid, publish: true } });
  const id: string = body.id;
  const payload = { ...flowMessage(id), to: '+16505551234' };
  await standIn.write('16505551234', 'hello');
  await settle();
  return {
    ...{ ...test, number: number!, id, settle },
    send: () => call('POST', '/v1/messages', { token, payload }),
    // biome-ignore lint/suspicious/noExplicitAny: advice of any kind
    advised: () => events.flatMap(({ name, data }) => (name === 'advice' ? [data as any] : [])),
    status: async () => (await platform.store.open(flowPositions).get(id))?.status,
  };
}

t.test('a status of a flow that the network reports is stored, advised, and respected when the flow is sent', async (t) => {
  const { standIn, settle, send, advised, status, id, number } = await startWithWebhook(t);
  t.equal((await send()).status, 200);
  await standIn.changeFlowStatus(id, 'THROTTLED');
  await settle();
  t.equal(await status(), 'THROTTLED');
  t.match(advised(), [
    { name: 'cloud_api_flow_throttled', number: number.uuid, message: /THROTTLED for the flow 'survey'/, about: { flow: id } },
  ]);
  t.equal((await send()).status, 200, 'the network decides');
  t.match(advised().at(-1), { name: 'cloud_api_flow_throttled', message: /10 messages with it in an hour/ });
  await standIn.changeFlowStatus(id, 'BLOCKED');
  await settle();
  t.match(advised().at(-1), { name: 'cloud_api_flow_blocked', message: /changed from THROTTLED to BLOCKED/ });
  const before = standIn.requests.length;
  t.match(await send(), { status: 400, body: { errors: [{ code: 132068, details: new RegExp(id) }] } });
  t.equal(standIn.requests.length, before, 'without a call of the network');
  const count = advised().length;
  await standIn.changeFlowStatus(id, 'PUBLISHED');
  await settle();
  t.equal((await send()).status, 200);
  t.equal(advised().length, count, 'a flow that works again needs no advice');
});

t.test('reports about flows that are late, repeated or about other things change nothing', async (t) => {
  const { standIn, settle, send, advised, status, id } = await startWithWebhook(t);
  await standIn.changeFlowStatus(id, 'BLOCKED');
  await settle();
  const blocked = standIn.webhooks.at(-1)!;
  await standIn.changeFlowStatus(id, 'PUBLISHED');
  await settle();
  const count = advised().length;
  await standIn.resend(blocked, 2);
  await settle();
  t.equal(await status(), 'PUBLISHED', 'the network is asked for the status');
  const wabaId = accounts.ours!;
  for (const value of [
    { event: 'FLOW_STATUS_CHANGE' },
    { event: 'FLOW_STATUS_CHANGE', flow_id: '../1', new_status: 'BLOCKED' },
    { event: 'FLOW_STATUS_CHANGE', flow_id: { id }, new_status: 7 },
    { event: 'FLOW_STATUS_CHANGE', flow_id: '999', new_status: 'BLOCKED' },
    { event: 'ENDPOINT_LATENCY', flow_id: id, alert_state: 'DEACTIVATED' },
  ])
    await standIn.emit({ wabaId, field: 'flows', value });
  await settle();
  t.equal(advised().length, count);
  t.equal((await send()).status, 200);
  await standIn.emit({
    wabaId,
    field: 'flows',
    value: { event: 'ENDPOINT_LATENCY', flow_id: id, alert_state: 'ACTIVATED', p90_latency: 9 },
  });
  await settle();
  t.match(advised().slice(count), [{ name: 'cloud_api_flow_endpoint', message: /p90_latency/, about: { flow: id } }]);
});

t.test('a listed flow has the status of the network, also when no webhook reported it', async (t) => {
  const { standIn, settle, send, call, token, id } = await startWithWebhook(t);
  await standIn.changeFlowStatus(id, 'BLOCKED');
  await settle();
  t.equal((await send()).status, 400);
  // The read after the webhook fails.
  standIn.rule({ on: { path: `/${id}` }, times: 1, error: 190 });
  await standIn.changeFlowStatus(id, 'PUBLISHED');
  await settle();
  t.match((await call('GET', '/v1/flows', { token })).body.data, [{ id, status: 'PUBLISHED' }]);
  t.equal((await send()).status, 200);
});
