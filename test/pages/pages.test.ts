import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import t from 'tap';
import { type Platform, verifySignature } from '#core';
import { InlinePool, startPlatform } from '#core/testing';
import { channels, outboundPayloadSchema } from '../../plugins/channels/plugin.js';
import { flows, validateFlow } from '../../plugins/flows/plugin.js';
import { lintJourney } from '../../plugins/journeys/engine/lint/lint.js';
import { codeSkill, SKILL_LIMITS, type SkillResult, type SkillRun } from '../../plugins/journeys/engine/skills/code-skill.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { network } from '../../plugins/network/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { inboundEventSchema, statusEventSchema, webhooks } from '../../plugins/webhooks/plugin.js';
import type { Sandbox } from '../../sandbox/compose.js';
import { seedFrom } from '../../sandbox/demo/seed.js';
import { startChannel } from '../plugins/channels/channel-under-test.js';
import { seen, Talk } from '../plugins/journeys/engine/journey-under-test.js';
import { blocksOf, loadSample, sample, sampleJson } from './samples.js';

const CHANNELS = 'plugins/channels/README.md';
const WEBHOOKS = 'plugins/webhooks/README.md';
const FLOWS = 'plugins/flows/README.md';
const SIMULATION = 'plugins/simulation/README.md';
const JOURNEYS = 'plugins/journeys/engine/README.md';

t.test('the page on numbers creates a number and a valid token', async (t) => {
  const { platform, made } = (await loadSample('core/messaging/README.md', 'ts', 'numbers')) as {
    platform: Platform;
    made: { number: { uuid: string }; text: string; token: { uuid: string } };
  };
  t.teardown(() => platform.stop());
  t.match(await platform.tokens.caller(made.text), { number: { uuid: made.number.uuid } });
  await platform.store.transaction((tx) => platform.tokens.revoke(tx, made.number.uuid, made.token.uuid));
  t.equal(await platform.tokens.caller(made.text), undefined);
});

t.test('the engine on the page on journeys runs a conversation without a platform', async (t) => {
  const { talk, warnings, greeting, next } = (await loadSample('plugins/journeys/engine/README.md', 'ts', 'engine alone')) as {
    talk: (container: unknown, answers: readonly string[]) => string[];
    warnings: (container: unknown) => string[];
    greeting: string;
    next: number;
  };
  const journey = sampleJson('plugins/journeys/engine/README.md', 'journey');
  const [first, second, ...more] = talk(journey, ['table', '4']);
  t.match(first, /"type":"interactive"/);
  t.match(second, /How many|many/);
  t.equal(more.length, 1);
  t.strictSame(warnings(journey), []);
  t.strictSame([greeting, next], ['Hello Ada', 3]);
});

t.test('bodies on the page on channels are accepted and sent as shown', async (t) => {
  const { call, maker, post, uuid, token, settle, send, deliveries } = await startChannel(t);
  const created = await call('POST', '/v1/numbers', { token: maker.token, payload: sampleJson(CHANNELS, 'new channel') });
  t.equal(created.status, 201);
  t.strictSame((await post(sampleJson(CHANNELS, 'message'))).body, { success: true });
  await send({ type: 'text', text: { body: 'Hello Ann' } }, '+27820001001');
  await settle();
  const shown = sampleJson(CHANNELS, 'delivery');
  t.equal(outboundPayloadSchema.validate(shown).error, undefined);
  t.strictSame(deliveries().at(-1)?.json, shown);
  const reported = await call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload: sampleJson(CHANNELS, 'status') });
  t.strictSame(reported.body, { success: true });
});

t.test('a token created as on the page on channels sends the message shown', async (t) => {
  const { admin, call, clock, http, number } = await startPlatform(t, { plugins: [channels(), webhooks(), messages()] });
  const { token: maker } = await number('network');
  const payload = sampleJson(CHANNELS, 'new channel');
  const made = await call('POST', '/v1/numbers', { token: maker, payload });
  http.answer(`POST ${payload.endpoint}`, { body: { messages: [{ id: 'out-1' }] } });
  const { text: token } = (await admin('POST', `/numbers/${made.body.number.uuid}/tokens`, sampleJson(CHANNELS, 'new token'))).body;
  t.match(await call('POST', '/v1/messages', { token, payload: sampleJson(CHANNELS, 'send') }), { status: 200 });
  await clock.advance(1_000);
  const [sent] = http.callsTo(payload.endpoint);
  t.match(sent?.json, { to: '+27820001001', turn: { type: 'text', text: { body: 'Hello Ann' } } });
  const right = createHmac('sha256', made.body.webhook.hmac_secret).update(sent!.text).digest('base64');
  t.equal(sent?.headers['x-svc-hook-signature'], right, 'signed as the page says');
});

t.test('the page on webhooks shows the bodies that are sent', async (t) => {
  const { admin, uuid, post, send, report, settle, http } = await startChannel(t);
  const url = 'https://receiver.test/hook';
  http.answer(`POST ${url}`, () => ({ body: {} }));
  await admin('POST', '/webhooks', { number: uuid, url, name: 'Receiver', subscriptions: ['msgapp'] });
  await post(sampleJson(CHANNELS, 'message'));
  const sent = await send({ type: 'text', text: { body: 'Hello Ann' } }, '+27820001001');
  await settle();
  await report('out-1', 'delivered', { at: 1767600001 });
  await settle();
  const told = http.callsTo(url).map(({ json }) => json);
  const [inbound, status] = [sampleJson(WEBHOOKS, 'inbound'), sampleJson(WEBHOOKS, 'status')];
  t.equal(inboundEventSchema.validate(inbound).error, undefined);
  t.equal(statusEventSchema.validate(status).error, undefined);
  t.strictSame(told[0], inbound);
  t.strictSame(told[1], { statuses: [{ ...status.statuses[0], _vnd: told[1].statuses[0]._vnd }] });
  t.equal(told[1].statuses[0]._vnd.v1.uuid, sent.uuid);
});

t.test('the signature checks on the page accept valid signatures and refuse others', async (t) => {
  const { say, publish, settle, webhook, deliveries } = await startChannel(t);
  await publish({ texts: { hi: 'Grüße' }, blocks: [{ name: 'hi', type: 'MobilePrimitives.Message', config: { prompt: 'hi' } }] });
  await say('hello');
  await settle();
  const [delivered] = deliveries();
  const { text: body, headers } = delivered!;
  const given = headers['x-svc-hook-signature'];
  t.equal(given, createHmac('sha256', webhook.secret).update(body).digest('base64'));
  const { code } = blocksOf('core/delivery/README.md').find(({ name }) => name === 'two secrets')!;
  const isOurs = (name: string): unknown =>
    new Function('verifySignature', 'secret', 'rawBody', 'request', `${code}; return isOurs`)(verifySignature, webhook.secret, body, {
      headers: { [name]: given },
    });
  t.equal(isOurs('x-svc-hook-signature'), true);
  t.equal(isOurs('x-svc-hook-signature-previous'), true);
  t.equal(isOurs('x-other'), false);
  const { isSigned } = (await loadSample(WEBHOOKS, 'js', 'verify')) as { isSigned: (...given: unknown[]) => boolean };
  t.equal(isSigned(webhook.secret, Buffer.from(body), given), true);
  t.equal(isSigned(webhook.secret, Buffer.from(`${body} `), given), false);
  t.equal(isSigned('another', Buffer.from(body), given), false);
  t.equal(isSigned(webhook.secret, Buffer.from(body), undefined), false);
});

t.test('the signature check in Python does the same', { skip: !python() && 'there is no python3 here' }, async (t) => {
  const code = sample(WEBHOOKS, 'py', 'verify');
  const body = '{"text":"Grüße"}';
  const right = createHmac('sha256', 'secret').update(body).digest('base64');
  const check = (header: string): string =>
    execFileSync('python3', ['-c', `${code}\nimport sys\nprint(is_signed("secret", sys.argv[1].encode(), sys.argv[2]))`, body, header], {
      encoding: 'utf8',
      env: { ...process.env, PYTHONUTF8: '1' },
    }).trim();
  t.equal(check(right), 'True');
  t.equal(check(`${right.slice(0, -2)}A=`), 'False');
});

function python(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

t.test('the page on flows creates and publishes its form', async (t) => {
  const form = sampleJson(FLOWS, 'form');
  t.strictSame(validateFlow(sample(FLOWS, 'json', 'form')).errors, []);
  const { server, number } = await startPlatform(t, { plugins: [flows()] });
  const { token } = await number('network', { account: 'shop' });
  await server.start();
  const made = (await loadSample(FLOWS, 'js', 'create a flow')) as {
    createFlow: (api: string, token: string, form: object) => Promise<{ id: string; success: boolean }>;
  };
  t.match(await made.createFlow(server.info.uri, token, form), { id: /^\d+$/, success: true });
});

t.test('the journey on the page on journeys replies as shown, without lint findings', async (t) => {
  const journey = sampleJson(JOURNEYS, 'journey');
  t.strictSame(lintJourney(journey), []);
  const talk = new Talk({ main: journey });
  const said: string[] = [];
  const hears = (stepped: Parameters<typeof seen>[0]): void => void said.push(...seen(stepped).map((line) => `< ${line}`));
  const written = sample(JOURNEYS, 'conversation', '').trim().split('\n');
  hears(talk.start({ contact: { name: 'Ann' } }));
  for (const line of written.filter((line) => line.startsWith('> '))) {
    said.push(line);
    hears(talk.say(line.slice(2)));
  }
  t.strictSame(said, written);
});

t.test('the journey on the page replies to a simulation as the page on simulation shows', async (t) => {
  const { admin, call, number } = await startPlatform(t, { plugins: [channels(), webhooks(), journeys(), simulation()] });
  const { uuid, token } = await number('network');
  const journey = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';
  await admin('PUT', `/journeys/${journey}`, { number: uuid, name: 'Café', definition: sampleJson(JOURNEYS, 'journey') });
  t.match(await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' }), { status: 200, body: { problems: [] } });
  for (const turn of ['first', 'second']) {
    const payload = sampleJson(SIMULATION, `${turn} request`);
    const { body } = await call('POST', `/v1/journeys/${journey}/simulation`, { token, payload });
    t.match(body, sampleJson(SIMULATION, `${turn} answer`), turn);
    for (const key of ['skill_calls', 'actions', 'http_calls', 'contact', 'context']) t.ok(key in body, `the response has ${key}`);
  }
  const { simulation_id, ...mocks } = sampleJson(SIMULATION, 'mocks');
  const mocked = await call('POST', `/v1/journeys/${journey}/simulation`, {
    token,
    payload: { simulation_id, ...mocks, input: undefined },
  });
  t.match(mocked, { status: 200, body: { simulation_id: 'order-42', state: 'waiting_for_input' } });
});

t.test('the seed on the page on the sandbox is valid, and its sandbox has a manual clock', async (t) => {
  t.match(seedFrom(sampleJson('sandbox/README.md', 'seed')), { numbers: [{ address: '+27600000001' }] });
  const { sandbox } = (await loadSample('sandbox/README.md', 'ts', 'sandbox')) as { sandbox: Sandbox };
  t.teardown(() => sandbox.stop());
  t.match(sandbox.api, /^http:\/\/127\.0\.0\.1:\d+$/);
  t.ok(sandbox.clock);
});

t.test('the policy on the page on the network is accepted', async (t) => {
  const { admin, number } = await startPlatform(t, { plugins: [messages(), network()] });
  const { uuid } = await number('network');
  const policy = sampleJson('plugins/network/README.md', 'policy');
  t.match(await admin('PATCH', `/network/numbers/${uuid}/policy`, policy), { status: 200 });
  t.match((await admin('GET', `/network/numbers/${uuid}/policy`)).body, { policy });
});

t.test('the template on the page on the network is accepted, and sent as shown', async (t) => {
  const { admin, call, number } = await startPlatform(t, { plugins: [messages(), network()] });
  const { uuid, token } = await number('network');
  const put = await admin('PUT', `/numbers/${uuid}/templates`, sampleJson('plugins/network/README.md', 'template'));
  t.match(put, { status: 200, body: { template: { name: 'visit_reminder', category: 'UTILITY', status: 'APPROVED' } } });
  const payload = sampleJson('plugins/network/README.md', 'message with a template');
  t.match(await call('POST', '/v1/messages', { token, payload }), { status: 200 });
});

t.test('the skill on the page on code skills requests an order and returns its state', async (t) => {
  const pool = new InlinePool();
  t.teardown(() => pool.stop());
  const run = (answered: SkillRun['answered']): Promise<SkillResult> =>
    pool.run(codeSkill, {
      source: sample('plugins/journeys/engine/skills/README.md', 'js', 'order skill'),
      arguments: { id: '4711' },
      answered,
      now: 0,
      seed: 'seed',
      limitMs: SKILL_LIMITS.ms,
      limitBytes: SKILL_LIMITS.bytes,
    });
  const asked = await run([]);
  t.match(asked, { kind: 'call', call: { url: 'https://shop.example/orders/4711' } });
  if (asked.kind !== 'call') return;
  const answer = { status: 200, headers: {}, body: '{"state":"sent"}', json: { state: 'sent' } };
  t.match(await run([{ call: asked.call, answer }]), { kind: 'output', output: { state: 'sent' } });
});
