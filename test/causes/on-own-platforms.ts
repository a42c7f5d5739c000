import { setTimeout as sleep } from 'node:timers/promises';
import Hapi from '@hapi/hapi';
import {
  beforeCommit,
  boolean,
  createPlatform,
  definePlugin,
  messageQueued,
  object,
  type Plugin,
  type Route,
  route,
  Unavailable,
} from '#core';
import { StoreUnavailable, TaskFailed, TransactionConflict } from '#core/ports';
import {
  ADMIN_KEY,
  type Answer,
  InlinePool,
  ManualClock,
  MemoryStore,
  RecordingLogger,
  ScriptedHttp,
  startPlatform,
  type Tap,
} from '#core/testing';
import { type Claims, ClaimTaken } from '../../core/ports/claims.js';
import { LogUnreachable } from '../../core/ports/log.js';
import { channels } from '../../plugins/channels/plugin.js';
import { cloudApi, graphFlowOperator } from '../../plugins/cloud-api/plugin.js';
import { cloudApiStandIn } from '../../plugins/cloud-api/testing/index.js';
import { flows } from '../../plugins/flows/plugin.js';
import { integration as integrations } from '../../plugins/integration/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { inboundText, startChannel } from '../plugins/channels/channel-under-test.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { allPlugins, OWNER, startNetwork } from '../plugins/messages/network-under-test.js';

const MIB = 1 << 20;
const text = { type: 'text', text: { body: 'Hi' } };

/** A plugin with one route, whose handler throws. */
const throwing = (error: () => Error): Plugin => {
  const handler: Route['handler'] = () => {
    throw error();
  };
  const responses = { 200: object({ done: boolean() }) };
  const routes = [route({ method: 'GET', path: '/v1/thrown', auth: 'none', summary: 'Throws.', responses, handler })];
  return definePlugin({ name: 'throwing', version: '1.0.0', register: () => ({ routes }) })();
};

/** The response of the kernel to an error of the store, of a worker or of a plugin. */
const thrown = (error: () => Error) => async (t: Tap) => {
  const { call } = await startPlatform(t, { plugins: [throwing(error)] });
  return call('GET', '/v1/thrown');
};

const answerOf = ({ statusCode, payload, headers }: { statusCode: number; payload: string; headers: object }): Answer => ({
  status: statusCode,
  body: JSON.parse(payload),
  headers: headers as Answer['headers'],
});

/** A platform over the Cloud API, with flows of the network. */
async function startCloud(t: Tap, { passesOperator = true } = {}) {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  const secrets = { accessToken: 'stand-in-access-token', appSecret: 'stand-in-app-secret', verifyToken: 'stand-in-verify-token' };
  const numbers = [{ address: '+15550783881', phoneNumberId: '106540352242922', wabaId: '102290129340398', ...secrets }];
  const standIn = await cloudApiStandIn({ clock, port: false, numbers, ...secrets });
  standIn.serve(http);
  const operator = graphFlowOperator();
  const cloud = cloudApi({ numbers, graphUrl: standIn.url, ...(passesOperator && { flowOperator: operator }) });
  const test = await startPlatform(t, { plugins: [flows({ operator }), messages(), cloud], ports: { clock, http } });
  const [number] = await test.platform.numbers.list();
  const token = await test.platform.store.transaction((tx) => test.platform.tokens.issue(tx, number!.uuid, 'test').text);
  const flow_json = JSON.stringify({ version: '7.3', screens: [{ id: 'A' }] });
  const create = (about = {}) => test.call('POST', '/v1/flows', { token, payload: { name: 'A flow', flow_json, ...about } });
  return { ...test, http, standIn, create };
}

/** Creates a number in a shard of a cluster whose directory refuses its claims. */
const claimed = (refuse: Claims['claim']) => async (t: Tap) => {
  const claims: Claims = { claim: refuse, release: async () => {}, list: async () => [] };
  const ports = { workers: new InlinePool(), log: new RecordingLogger() };
  const platform = createPlatform({ plugins: [], admin: { key: ADMIN_KEY }, ports }, { claims });
  const server = Hapi.server({ debug: false });
  await server.register(platform.hapiPlugin);
  await server.initialize();
  t.teardown(() => server.stop());
  const payload = { kind: 'network', address: '+27110000000', name: 'Library', account: 'ours' };
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  return answerOf(await server.inject({ method: 'POST', url: '/admin/v1/numbers', headers, payload }));
};

/** Provokes a cause on a platform of its own. */
export const onOwnPlatforms: Readonly<Record<string, (t: Tap) => Promise<Answer>>> = {
  internal_error: thrown(() => new Error('something private')),
  unavailable: thrown(() => new Unavailable('The catalogue does not answer')),
  store_unavailable: thrown(() => new StoreUnavailable('no space left')),
  store_conflict: thrown(() => new TransactionConflict('again and again')),
  call_timed_out: thrown(() => new TaskFailed('a task', 'timed out', 'after 5 seconds')),
  bad_request: thrown(() => Object.assign(new Error('Teapot'), { output: { statusCode: 400 } })),
  async disk_unavailable(t) {
    const put = () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' }));
    const { call, token } = await startNetwork(t, { ports: { blobs: { put, get: async () => undefined, delete: async () => {} } } });
    return call('POST', '/v1/media', { token, payload: Buffer.from('bytes'), headers: { 'content-type': 'image/png' } });
  },
  async memory_full(t) {
    let bytes = 50 * MIB;
    const read = () => ({ usedBytes: bytes, liveBytes: bytes, collectedMsAgo: 0, processShare: 0 });
    const { post } = await startChannel(t, { ports: { heap: { limitBytes: 400 * MIB, read, collect: async () => {} } } });
    bytes = 380 * MIB;
    // The guard reads the heap every 20 ms.
    await sleep(40);
    return post(inboundText('hi'));
  },
  async backlog_full(t) {
    const { admin, clock, http, post, uuid } = await startChannel(t, { deliveries: { maxWaiting: 1 } });
    await admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] });
    http.answer(OWNER, 'refuse');
    await post(inboundText('hi', { id: 'in-1' }));
    await clock.advance(0);
    return post(inboundText('hi', { id: 'in-2' }));
  },
  async rate_limited(t) {
    const { send } = await startNetwork(t, { rateLimits: { general: 1, text: 1, media: 1 } });
    await send(text);
    return send(text);
  },
  async fault_rule(t) {
    const fault = { rule: '1', effect: { kind: 'status', status: 503 } } as const;
    const faults = { fire: (place: string) => (place === 'api' ? fault : undefined) };
    const { send } = await startNetwork(t, { ports: { faults: faults as never } });
    return send(text);
  },
  async not_running(t) {
    const server = Hapi.server({ debug: false });
    const platform = createPlatform({
      plugins: [],
      admin: { key: ADMIN_KEY },
      ports: { workers: new InlinePool(), log: new RecordingLogger() },
    });
    await server.register(platform.hapiPlugin);
    t.teardown(() => server.stop());
    return answerOf(await server.inject('/ready'));
  },
  starting: () => readyWhile('start'),
  stopping: () => readyWhile('stop'),
  // A store that several processes share, whose owner this process has just become.
  taking_over: () =>
    readyWhile(
      'start',
      '/admin/v1/numbers',
      Object.assign(new MemoryStore({ log: new RecordingLogger() }), {
        ownership: { refusal: () => undefined, onRefusal: () => {}, onStandby: () => {}, interrupt: () => {} },
      }),
    ),
  account_elsewhere: claimed(async (claims) => {
    throw new ClaimTaken(claims.find(({ kind }) => kind === 'account')!);
  }),
  directory_unavailable: claimed(() => Promise.reject(new LogUnreachable('the database does not respond'))),
  async number_not_carried(t) {
    const { call, number } = await startPlatform(t, { plugins: [messages()] });
    const { token } = await number('network');
    return call('POST', '/v1/messages', { token, payload: { to: '+27820001001', ...text } });
  },
  async type_not_supported(t) {
    const quiet = definePlugin({
      name: 'quiet',
      version: '1.0.0',
      register: ({ messages: sent, ids }) => ({
        channels: [{ type: 'quiet', deliver: (tx, { number, message }) => sent.accepted(tx, number, message.uuid, ids.uuid()) }],
      }),
    });
    const { call, number } = await startPlatform(t, { plugins: [messages(), quiet()] });
    const { token } = await number('channel', { type: 'quiet' });
    return call('POST', '/v1/messages', { token, payload: { to: 'ann', type: 'location', location: { latitude: 1, longitude: 2 } } });
  },
  async message_ambiguous(t) {
    const { admin, call, number } = await startPlatform(t, { plugins: [channels(), messages()] });
    for (const address of ['web:1', 'web:2']) {
      const { uuid, token } = await number('channel', { type: 'channel_http_api', address });
      await call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: inboundText('hi', { id: 'M-1' }) });
    }
    return admin('GET', '/messages/M-1');
  },
  async call_not_found(t) {
    const { admin } = await startPlatform(t, { plugins: [], recording: { calls: true } });
    return admin('GET', '/calls/none');
  },
  async loss_not_found(t) {
    const { admin } = await startPlatform(t, { plugins: [] });
    return admin('PATCH', '/store/losses/none', { confirmed: true });
  },
  async claims_off(t) {
    const { admin, number } = await startPlatform(t, { plugins: [webhooks(), messages()] });
    const { uuid } = await number('network');
    return admin('POST', '/webhooks', { number: uuid, url: OWNER, claims: true });
  },
  async secret_missing(t) {
    const secrets = { put: () => {}, delete: () => {}, get: async () => undefined };
    const { admin, number } = await startPlatform(t, { plugins: [webhooks()], ports: { secrets: secrets as never } });
    const { uuid } = await number('network');
    const { webhook } = (await admin('POST', '/webhooks', { number: uuid, url: OWNER })).body;
    return admin('POST', '/signatures/explain', { webhook: webhook.uuid, body: 'x', signature: 'x' });
  },
  async idempotency_key_in_progress(t) {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const register = () => ({
      on: [
        beforeCommit(messageQueued, async () => {
          begin();
          await released;
        }),
      ],
    });
    const waiting = definePlugin({ name: 'waiting', version: '1.0.0', register });
    const { send } = await startNetwork(t, { plugins: [...allPlugins(), waiting()] });
    const first = send(text, { 'idempotency-key': 'a' });
    await begun;
    const second = await send(text, { 'idempotency-key': 'a' });
    release();
    await first;
    return second;
  },
  async journey_too_complex(t) {
    const pool = new InlinePool();
    const run = (task: { name: string }, input: never) =>
      /check/i.test(JSON.stringify(task))
        ? Promise.reject(new TaskFailed('a task', 'timed out', 'after 5 seconds'))
        : pool.run(task as never, input);
    const workers = new Proxy(pool, { get: (target, key) => (key === 'run' ? run : Reflect.get(target, key).bind(target)) });
    const { admin, platform, uuid } = await startNetwork(t, { ports: { workers: workers as never } });
    const definition = containerOf({
      texts: { a: 'A' },
      blocks: [{ name: 'a', type: 'MobilePrimitives.Message', config: { prompt: 'a' } }],
    });
    return admin('PUT', `/journeys/${platform.ids.uuid()}`, { number: uuid, name: 'Large', definition });
  },
  async flow_operator_missing(t) {
    const { create } = await startCloud(t, { passesOperator: false });
    return create();
  },
  async no_message(t) {
    const { admin, clock, http, send, platform, uuid } = await startNetwork(t, { plugins: [...allPlugins(), integrations()] });
    const actions = { extend: { description: 'Extend', url: 'extend', payload: {} } };
    const capabilities = { actions: true };
    http.answer('POST https://shop.test/*', ({ url }) => ({
      body: { version: '1.0.0-alpha', ...(url.includes('handshake') ? { capabilities } : { actions }) },
    }));
    const { integration } = (await admin('POST', '/integrations', { number: uuid, name: 'Shop', url: 'https://shop.test/context' })).body;
    await clock.advance(1_000);
    await send(text);
    const [conversation] = await platform.conversations.list(uuid, 1);
    await admin('GET', `/conversations/${conversation!.uuid}`);
    await clock.advance(1_000);
    return admin('POST', `/conversations/${conversation!.uuid}/actions`, { integration: integration.uuid, action: 'extend' });
  },
  async not_a_webhook(t) {
    const destination = { uuid: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90', enabled: true, lane: 'default' } as const;
    const sender = { name: 'pager', destination: () => undefined, request: () => Promise.reject(new Error('the pager is off')) };
    const pager = definePlugin({ name: 'pager', version: '1.0.0', register: () => ({ senders: [sender] }) });
    const { admin, number, platform } = await startPlatform(t, { plugins: [pager()] });
    const webhook = { ...destination, number: (await number('network')).uuid };
    const { uuid } = await platform.store.transaction((tx) =>
      platform.deliveries.post(tx, { event: 'a page', webhook, sender: 'pager', kind: 'service', body: {} }),
    );
    return admin('POST', `/deliveries/${uuid}/redeliver`, { body: '{"edited":true}' });
  },
  async operator_error(t) {
    const { create, standIn } = await startCloud(t);
    standIn.rule({ on: { method: 'POST', path: '/*/publish' }, times: 1, error: { code: 139002, userMessage: 'No phone number.' } });
    return create({ publish: true });
  },
  async network_refused(t) {
    const { create, standIn } = await startCloud(t);
    standIn.rule({ on: { method: 'POST', path: '/*/flows' }, times: 1, error: 190 });
    return create();
  },
  async network_unreachable(t) {
    const { clock, create, http } = await startCloud(t);
    http.answer('*', 'refuse');
    const answer = create();
    await clock.advance(600_000);
    return answer;
  },
};

/** A call, `GET /ready` if none is given, while a plugin starts or stops. */
async function readyWhile(phase: 'start' | 'stop', url = '/ready', store?: MemoryStore): Promise<Answer> {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const wait = () => {
    begin();
    return released;
  };
  const slow = definePlugin({ name: 'slow', version: '1.0.0', register: () => ({ [phase]: wait }) });
  const server = Hapi.server({ debug: false });
  const ports = { workers: new InlinePool(), log: new RecordingLogger(), ...(store && { store }) };
  const platform = createPlatform({ plugins: [slow()], admin: { key: ADMIN_KEY }, secretKey: '8'.repeat(64), ports });
  await server.register(platform.hapiPlugin);
  if (phase === 'stop') await server.initialize();
  const running = phase === 'stop' ? server.stop() : server.initialize();
  await begun;
  const answer = answerOf(await server.inject({ url, headers: { authorization: `Bearer ${ADMIN_KEY}` } }));
  release();
  await running;
  if (phase === 'start') await server.stop();
  return answer;
}
