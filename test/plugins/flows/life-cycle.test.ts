import t from 'tap';
import { definePlugin, type Sendable } from '#core';
import { startPlatform } from '#core/testing';
import { type FlowAction, flowActions, lifeCycle, sendingRules } from '../../../plugins/flows/life-cycle.js';
import { type FlowStatus, flowStatuses } from '../../../plugins/flows/operator/flow-operator.js';
import { createLocalOperator } from '../../../plugins/flows/operator/local-operator.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { flowCheck } from '../../../plugins/flows/sending-check.js';
import { flowOperatorContract } from '../../../plugins/flows/testing.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { type FlowsUnderTest, flowMessage, startFlows, survey } from './flows-under-test.js';

/** Creates a flow and moves it to a status. */
async function flowThatIs(status: FlowStatus, { create, api, health }: FlowsUnderTest): Promise<string> {
  const id = await create({ publish: status !== 'DRAFT' });
  if (status === 'DEPRECATED') await api('POST', `/v1/flows/${id}/deprecate`);
  if (status === 'THROTTLED' || status === 'BLOCKED') await health(id, status);
  return id;
}

t.test('the life cycle defines a result for each of five statuses and five actions, and for sending', async (t) => {
  t.strictSame(Object.keys(lifeCycle), [...flowStatuses]);
  for (const status of flowStatuses) {
    t.strictSame(Object.keys(lifeCycle[status]), [...flowActions]);
    t.strictSame(Object.keys(sendingRules[status]), ['published', 'draft']);
  }
});

t.test('every action in every status has the result of the table, and an invalid one changes nothing', async (t) => {
  const platform = await startFlows(t);
  const { api, upload } = platform;
  const take = (action: FlowAction, id: string) => {
    if (action === 'update') return api('POST', `/v1/flows/${id}`, { categories: ['SURVEY'] });
    if (action === 'upload') return upload(id, JSON.stringify(survey));
    return action === 'delete' ? api('DELETE', `/v1/flows/${id}`) : api('POST', `/v1/flows/${id}/${action}`);
  };
  for (const status of flowStatuses) {
    for (const action of flowActions) {
      const id = await flowThatIs(status, platform);
      const before = await flow(platform, id);
      t.equal(before.status, status);
      const answer = await take(action, id);
      const next = lifeCycle[status][action];
      const what = `${action} of a flow that is ${status}`;
      if (next === 'invalid') {
        t.match(answer, { status: 400, body: { error: invalidStatus } }, what);
        t.strictSame(await flow(platform, id), before, what);
      } else {
        t.match(answer, { status: 200, body: { success: true } }, what);
        t.equal((await flow(platform, id))?.status, next === 'removed' ? undefined : next, what);
      }
    }
  }
});

const invalidStatus = { code: 100, message: /./, error_user_title: 'Invalid Flow Status', error_user_msg: /./, type: 'OAuthException' };

async function flow({ api }: FlowsUnderTest, id: string) {
  const { data } = (await api('GET', '/v1/flows')).body;
  return data.find((one: { id: string }) => one.id === id);
}

t.test('a published flow can be neither edited nor deleted', async (t) => {
  const { api, create } = await startFlows(t);
  const id = await create({ publish: true });
  t.match(await api('POST', `/v1/flows/${id}`, { name: 'new' }), { status: 400, body: { error: invalidStatus } });
  t.match(await api('DELETE', `/v1/flows/${id}`), { status: 400, body: { error: invalidStatus } });
  t.match((await api('GET', '/v1/flows')).body.data, [{ id, status: 'PUBLISHED' }]);
});

t.test('a flow with validation errors cannot be published', async (t) => {
  const { api, create, upload } = await startFlows(t);
  const id = await create();
  await upload(id, '{}');
  t.match(await api('POST', `/v1/flows/${id}/publish`), {
    status: 400,
    body: {
      meta: { http_code: 400 },
      error: { code: 100, message: 'Flow has validation errors', error_user_title: 'Validation Failed', type: 'OAuthException' },
    },
  });
  await upload(id, JSON.stringify(survey));
  t.equal((await api('POST', `/v1/flows/${id}/publish`)).status, 200);
});

t.test('a flow with an endpoint can be published only with an application', async (t) => {
  const { api, create } = await startFlows(t);
  const id = await create();
  await api('POST', `/v1/flows/${id}`, { endpoint_uri: 'https://example.org/flow' });
  t.match(await api('POST', `/v1/flows/${id}/publish`), { status: 400, body: { error: { code: 100, error_user_msg: /application_id/ } } });
  await api('POST', `/v1/flows/${id}`, { application_id: '17' });
  t.equal((await api('POST', `/v1/flows/${id}/publish`)).status, 200);
});

t.test('the admin API throttles, blocks and restores published flows', async (t) => {
  const platform = await startFlows(t);
  const { admin } = platform;
  const id = await flowThatIs('PUBLISHED', platform);
  for (const status of ['THROTTLED', 'BLOCKED', 'THROTTLED', 'PUBLISHED', 'BLOCKED', 'PUBLISHED']) {
    t.match(await admin('POST', `/flows/${id}/health`, { status }), { status: 200, body: { flow: { id, status } } });
  }
  t.match(await admin('POST', `/flows/${await flowThatIs('DRAFT', platform)}/health`, { status: 'BLOCKED' }), { status: 409 });
  t.match(await admin('POST', `/flows/${await flowThatIs('DEPRECATED', platform)}/health`, { status: 'PUBLISHED' }), { status: 409 });
  t.match(await admin('POST', '/flows/1/health', { status: 'BLOCKED' }), { status: 404 });
  t.equal((await admin('GET', '/flows')).body.flows.length, 3);
  t.match((await admin('GET', `/flows/${id}`)).body, { flow: { id, account: 'ours' }, definition: /SURVEY/ });
  t.equal((await admin('GET', '/flows/1')).status, 404);
});

t.test('the admin API creates a flow in an account from its text, and refuses other types', async (t) => {
  const { admin } = await startFlows(t);
  const flow = { account: 'ours', name: 'Made here', definition: JSON.stringify(survey) };
  t.match(await admin('POST', '/flows', flow), {
    status: 201,
    body: { flow: { account: 'ours', status: 'DRAFT', categories: ['OTHER'] } },
  });
  t.match(await admin('POST', '/flows', { ...flow, name: 'Live', publish: true }), { body: { flow: { status: 'PUBLISHED' } } });
  t.match(await admin('POST', '/flows', { ...flow, name: 'With nulls', categories: null, publish: null }), {
    status: 201,
    body: { flow: { status: 'DRAFT', categories: ['OTHER'] } },
  });
  for (const wrong of [{ categories: [] }, { publish: 'no' }, { name: null }, { definition: {} }])
    t.equal((await admin('POST', '/flows', { ...flow, name: 'Other', ...wrong })).status, 400, JSON.stringify(wrong));
});

t.test('the status of a flow and the mode of the message decide whether it can be sent', async (t) => {
  const platform = await startFlows(t);
  const { api, platform: core } = platform;
  await platform.contactWrites();
  for (const status of flowStatuses) {
    const id = await flowThatIs(status, platform);
    for (const mode of ['published', 'draft'] as const) {
      const [contact] = await core.contacts.list(platform.own.uuid);
      const before = (await core.conversations.ofContact(platform.own.uuid, contact!.uuid))!.length;
      const answer = await api('POST', '/v1/messages', flowMessage(id, { mode }));
      const isSent = sendingRules[status][mode] !== 'refused';
      const what = `mode ${mode} of a flow that is ${status}`;
      t.equal(answer.status, isSent ? 200 : 400, what);
      if (!isSent) t.match(answer.body, { errors: [{ code: status === 'BLOCKED' ? 132068 : 131009, details: new RegExp(id) }] }, what);
      const after = (await core.conversations.ofContact(platform.own.uuid, contact!.uuid))!.length;
      t.equal(after - before, isSent ? 1 : 0, 'a refused message is not recorded');
    }
  }
});

t.test('an unknown flow, or a flow of another account, cannot be sent', async (t) => {
  const platform = await startFlows(t);
  const { api, admin, create, number, call } = platform;
  await platform.contactWrites();
  t.match(await api('POST', '/v1/messages', flowMessage('123')), { status: 400, body: { errors: [{ details: /123/ }] } });
  const other = await number('network', { account: 'theirs' });
  await admin('POST', `/network/numbers/${other.uuid}/messages`, { from: '27831234567', type: 'text', text: { body: 'hello' } });
  const id = await create({ publish: true });
  t.equal((await call('POST', '/v1/messages', { token: other.token, payload: flowMessage(id) })).status, 400);
  t.equal((await api('POST', '/v1/messages', flowMessage(id))).status, 200);
});

t.test('a message that another plugin changes to a flow is checked as it will be sent', async (t) => {
  let flow = '123';
  const asForm = definePlugin({
    name: 'as-form',
    version: '1.0.0',
    register: () => ({
      beforeSend: [
        () => {
          const { type, interactive } = flowMessage(flow);
          return { turn: { type, interactive } as unknown as Sendable };
        },
      ],
    }),
  });
  const test = await startPlatform(t, { plugins: [flows(), messages(), network(), asForm()] });
  const { token, uuid } = await test.number('network', { account: 'ours' });
  await test.admin('POST', `/network/numbers/${uuid}/messages`, { from: '27831234567', type: 'text', text: { body: 'hello' } });
  const send = () => test.call('POST', '/v1/messages', { token, payload: { to: '27831234567', type: 'text', text: { body: 'hi' } } });
  t.match(await send(), { status: 400, body: { errors: [{ details: /123/ }] } });
  flow = (await test.admin('POST', '/flows', { account: 'ours', name: 'Form', definition: JSON.stringify(survey), publish: true })).body
    .flow.id;
  t.equal((await send()).status, 200);
});

t.test('flow messages of a channel are checked when the flow is stored here, and sent unchecked when it is not', async (t) => {
  const looked: [account: string, flow: string][] = [];
  const operator = {
    async admit(_: unknown, account: string, { flow_id }: { flow_id: string }) {
      looked.push([account, flow_id]);
      return { admitted: false, code: 132068, title: 'Flow is in blocked state', details: 'no' };
    },
  };
  const check = flowCheck(operator as never, async (_, id) => (id === '1' ? 'ours' : undefined));
  const send = (kind: string, account: string | null, flow_id: string) =>
    Promise.resolve(check({ emit: () => {} } as never, { number: { kind, account }, turn: flowMessage(flow_id) } as never)).then(
      () => 'sent',
      ({ error }: { error: { code: number } }) => error.code,
    );
  t.equal(await send('channel', null, '1'), 132068);
  t.equal(await send('channel', 'ours', '1'), 132068);
  t.equal(await send('channel', 'theirs', '1'), 'sent');
  t.equal(await send('channel', null, '2'), 'sent');
  t.equal(await send('network', null, '2'), 132068);
  t.strictSame(looked, [
    ['ours', '1'],
    ['ours', '1'],
    ['', '2'],
  ]);
});

t.test('a throttled flow can be sent ten times within any hour', async (t) => {
  const platform = await startFlows(t);
  const { api, clock } = platform;
  await platform.contactWrites();
  const id = await flowThatIs('THROTTLED', platform);
  const send = async () => (await api('POST', '/v1/messages', flowMessage(id))).status;
  const minute = 60_000;
  for (let i = 0; i < 5; i++) t.equal(await send(), 200);
  await clock.advance(30 * minute);
  for (let i = 0; i < 5; i++) t.equal(await send(), 200);
  t.match(await api('POST', '/v1/messages', flowMessage(id)), { status: 400, body: { errors: [{ code: 132069 }] } });
  await clock.advance(30 * minute - 1);
  t.equal(await send(), 400, 'the first five messages are less than an hour old');
  await clock.advance(1);
  for (let i = 0; i < 5; i++) t.equal(await send(), 200);
  t.equal(await send(), 400, 'the last five still count');

  await platform.health(id, 'PUBLISHED');
  for (let i = 0; i < 15; i++) t.equal(await send(), 200);
});

t.test('sending undeclared data, or a screen that is not an entry screen, issues advice', async (t) => {
  const platform = await startFlows(t);
  const { api, events } = platform;
  await platform.contactWrites();
  const id = await flowThatIs('PUBLISHED', platform);
  const hintsOf = async (payload: object) => {
    events.length = 0;
    t.equal((await api('POST', '/v1/messages', flowMessage(id, { flow_action_payload: payload }))).status, 200);
    return events.filter(({ name }) => name === 'advice').map(({ data }) => (data as { name: string }).name);
  };
  t.strictSame(await hintsOf({ screen: 'SURVEY', data: { name: 'Ada' } }), []);
  t.strictSame(await hintsOf({ screen: 'SURVEY', data: { name: 'Ada', age: 36 } }), ['flow_data_not_declared']);
  t.strictSame(await hintsOf({ screen: 'NOWHERE' }), ['flow_screen_unknown']);
});

t.test('the local operator passes the contract suite of operators', async (t) => {
  await flowOperatorContract(t, async (t) => {
    const { platform } = await startFlows(t);
    const { store, clock, ids, publicUrl } = platform;
    const kept = new Map<string, string>();
    const secrets = {
      get: async (name: string) => kept.get(name),
      put: (_: unknown, name: string, value: string) => void kept.set(name, value),
      delete: (_: unknown, name: string) => void kept.delete(name),
    };
    const workers = { run: () => Promise.reject(new Error('these flows are small')) };
    const operator = createLocalOperator({ store, clock, ids, publicUrl, secrets, workers } as never);
    await operator.links.load();
    return {
      operator,
      async download(url) {
        const { pathname, searchParams } = new URL(url);
        const id = pathname.split('/')[2]!;
        operator.links.check(id, Number(searchParams.get('expires')), searchParams.get('signature')!);
        const { bytes } = (await operator.definition(id))!;
        return { status: 200, bytes };
      },
    };
  });
});

t.test('a configured operator replaces the local one', async (t) => {
  const asked: string[] = [];
  const operator = {
    list: async (account: string) => {
      asked.push(account);
      return { flows: [] };
    },
  } as never;
  const { api, admin, create } = await startFlows(t, {}, { operator });
  t.equal((await api('GET', '/v1/flows')).status, 200);
  t.strictSame(asked, ['ours']);
  t.equal((await admin('GET', '/flows')).status, 404, 'the admin API has no flow routes');
  await t.rejects(create());
});
