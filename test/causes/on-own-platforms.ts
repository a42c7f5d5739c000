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
import { ADMIN_KEY, type Answer, InlinePool, ManualClock, RecordingLogger, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { cloudApi, graphFlowOperator } from '../../plugins/cloud-api/plugin.js';
import { cloudApiStandIn } from '../../plugins/cloud-api/testing/index.js';
import { flows } from '../../plugins/flows/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { inboundText, startChannel } from '../plugins/channel-under-test.js';
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
async function startCloud(t: Tap) {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  const secrets = { accessToken: 'stand-in-access-token', appSecret: 'stand-in-app-secret', verifyToken: 'stand-in-verify-token' };
  const numbers = [{ address: '+15550783881', phoneNumberId: '106540352242922', wabaId: '102290129340398', ...secrets }];
  const standIn = await cloudApiStandIn({ clock, port: false, numbers, ...secrets });
  standIn.serve(http);
  const operator = graphFlowOperator();
  const cloud = cloudApi({ numbers, graphUrl: standIn.url, flowOperator: operator });
  const test = await startPlatform(t, { plugins: [flows({ operator }), messages(), cloud], ports: { clock, http } });
  const [number] = await test.platform.numbers.list();
  const token = await test.platform.store.transaction((tx) => test.platform.tokens.issue(tx, number!.uuid, 'test').text);
  const flow_json = JSON.stringify({ version: '7.3', screens: [{ id: 'A' }] });
  const create = (about = {}) => test.call('POST', '/v1/flows', { token, payload: { name: 'A flow', flow_json, ...about } });
  return { ...test, http, standIn, create };
}

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

/** `GET /ready` while a plugin starts or stops. */
async function readyWhile(phase: 'start' | 'stop'): Promise<Answer> {
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
  const ports = { workers: new InlinePool(), log: new RecordingLogger() };
  const platform = createPlatform({ plugins: [slow()], admin: { key: ADMIN_KEY }, ports });
  await server.register(platform.hapiPlugin);
  if (phase === 'stop') await server.initialize();
  const running = phase === 'stop' ? server.stop() : server.initialize();
  await begun;
  const answer = answerOf(await server.inject('/ready'));
  release();
  await running;
  if (phase === 'start') await server.stop();
  return answer;
}
