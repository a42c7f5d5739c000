import { createHmac } from 'node:crypto';
import t from 'tap';
import { advice, createPlatform } from '#core';
import { ManualClock, type RecordedCall, ScriptedHttp, startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { type AlertRecord, alertRecords } from '../../../core/delivery/alert.js';
import type { ReportedLoss } from '../../../core/ports/log.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { sampleJson } from '../../pages/samples.js';
import { freshFolder } from '../adapters/store/folders.js';
import { SimulatedDisk } from '../adapters/store/simulated-disk.js';
import { FOLDER } from '../adapters/store/store-on-disk.js';
import { anyBody, ENDPOINT } from './webhook-platform.js';

const DESK = 'https://on-call.test/alerts';
const PAGER = 'https://pager.test/hook';
const SECRET = 'secret-of-the-on-call-desk';
const MINUTE = 60_000;
let started = 0;
const signatureOf = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('base64');

/** A platform that posts alerts to a desk, and critical ones to a pager, with a webhook whose endpoint fails. */
async function start(t: Tap, { ports = {}, ...options }: Partial<TestPlatformOptions> = {}) {
  const clock = ports.clock instanceof ManualClock ? ports.clock : new ManualClock();
  const http = ports.http instanceof ScriptedHttp ? ports.http : new ScriptedHttp({ clock });
  http.answer(DESK, {}).answer(PAGER, {});
  const test = await startPlatform(t, {
    plugins: [webhooks(), anyBody()],
    secretKey: '00'.repeat(32),
    alerts: [
      { url: DESK, from: 'info', secret: SECRET },
      { url: PAGER, from: 'critical' },
    ],
    deliveries: { pauseAfterFailures: 2 },
    ...options,
    ports: { ...ports, clock, http },
  });
  const { platform, admin } = test;
  const said = (url = DESK): string[] => http.callsTo(url).map(({ json }) => `${json.severity} ${json.state} ${json.name}`);
  const settle = (ms = 0) => clock.advance(ms);
  const { uuid: number } = await test.number('network', { address: `+2782111${++started}` });
  const webhook = async (): Promise<string> => {
    const about = { number, url: ENDPOINT, name: 'Loan desk', subscriptions: ['network' as const] };
    return (await platform.store.transaction((tx) => platform.webhooks.create(tx, about))).webhook.uuid;
  };
  const fail = async (uuid: string) => {
    http.answer(ENDPOINT, { status: 500 });
    await platform.store.transaction(async (tx) => {
      const webhook = (await platform.webhooks.get(uuid))!;
      await platform.deliveries.post(tx, { event: `event ${uuid}`, webhook, kind: 'network', body: {} });
    });
    await settle(MINUTE);
  };
  const advise = (about: object) =>
    platform.store.transaction((tx) => tx.emit(advice, { name: 'a', number, message: 'm', fix: 'f', ...about }));
  return { ...test, clock, http, number, said, settle, webhook, fail, advise, admin };
}

t.test('a webhook that was paused after failures has one alert, signed, and a recovery message when it works', async (t) => {
  const { webhook, fail, said, settle, http, admin, number } = await start(t);
  const uuid = await webhook();
  await fail(uuid);
  t.strictSame(said(), ['warning raised webhook_paused']);
  t.strictSame(said(PAGER), [], 'it is not critical');
  const [call] = http.callsTo(DESK) as [RecordedCall];
  t.match(call.json, {
    id: `webhook_paused/${uuid}`,
    text: /^Webhook 'Loan desk' was paused after 2 failed attempts in a row\. .*: POST \/admin\/v1\/webhooks\/.*\/resume$/,
    about: { webhook: uuid, number },
    at: /^\d{4}-/,
  });
  t.match(call.headers, {
    'x-svc-hook-signature': signatureOf(SECRET, call.text),
    'x-svc-hook-subscription': 'core.alerts',
    'x-svc-hook-delivery': /^[\w-]{36}$/,
    'x-svc-hook-run': '1',
    'x-svc-hook-attempt': '1',
  });
  t.match((await admin('GET', `/deliveries?number=${number}&limit=1`)).body.deliveries, [{ sender: 'alerts', state: 'delivered' }]);
  http.answer(ENDPOINT, {});
  await admin('POST', `/webhooks/${uuid}/resume`);
  await settle(30_000);
  t.equal(said().length, 1, 'a recovery that lasts is posted after a minute');
  await settle(31_000);
  t.strictSame(said().slice(1), ['warning resolved webhook_paused']);
  t.match(http.callsTo(DESK)[1]?.json, { id: `webhook_paused/${uuid}`, text: /^Resolved: Webhook/ });
});

t.test('a webhook that fails again and again within a minute has one alert, and its deletion resolves it', async (t) => {
  const { webhook, said, settle, admin } = await start(t);
  const uuid = await webhook();
  for (let n = 0; n < 5; n++) {
    await admin('POST', `/webhooks/${uuid}/pause`);
    await admin('POST', `/webhooks/${uuid}/resume`);
    await settle(1_000);
  }
  await admin('POST', `/webhooks/${uuid}/pause`);
  await settle(2 * MINUTE);
  t.strictSame(said(), ['info raised webhook_paused']);
  t.equal((await admin('DELETE', `/webhooks/${uuid}`)).status, 200);
  await settle(2 * MINUTE);
  t.strictSame(said(), ['info raised webhook_paused', 'info resolved webhook_paused']);
});

t.test('advice is posted without the texts that may name contacts, once a day, and its dismissal too', async (t) => {
  const { advise, said, settle, http, admin } = await start(t);
  await advise({ message: 'A message to +27821234567 was lost', fix: 'Call +27821234567', about: { message: 'm1' } });
  await settle();
  t.notMatch(http.callsTo(DESK)[0]?.text, /27821234567|m1/);
  await advise({ name: 'b', severity: 'critical', fix: 'Connect it' });
  for (let n = 0; n < 3; n++) await advise({});
  await settle();
  t.strictSame(said(), ['info raised a', 'critical raised b']);
  t.strictSame(said(PAGER), ['critical raised b']);
  t.match(http.callsTo(PAGER)[0]?.json.text, /^Advice 'b' was issued for number 'network': Connect it For details, read it with GET/);
  await settle(24 * 60 * MINUTE);
  await advise({});
  await settle();
  t.strictSame(said().slice(2), ['info raised a'], 'after a day it is posted again');
  const { id } = (await admin('GET', '/advice')).body.advice.find((one: { name: string }) => one.name === 'b');
  await admin('DELETE', `/advice/${id}`);
  await settle(2 * MINUTE);
  t.strictSame(said(PAGER).slice(1), ['critical resolved b']);
});

t.test('advice on many messages is one alert per number and name, which is resolved after a day without more', async (t) => {
  const { advise, said, settle, http, number } = await start(t);
  const occur = (n: number) => advise({ severity: 'warning', cause: `m${n}`, about: { message: `m${n}` } });
  for (let n = 0; n < 30; n++) await occur(n);
  await advise({ name: 'b', cause: 'd1', about: { delivery: 'd1' } });
  await advise({ name: 'b', cause: 'a webhook', about: { delivery: 'd2' } });
  await settle();
  t.strictSame(said(), ['warning raised a', 'info raised b', 'info raised b'], 'the cause of the last one is no delivery');
  t.equal(http.callsTo(DESK)[0]?.json.id, `advice/a/${number}`);
  await settle(20 * 60 * MINUTE);
  await occur(30);
  await settle(20 * 60 * MINUTE);
  t.equal(said().filter((line) => line.endsWith(' a')).length, 1, 'it has occurred within the last day');
  await settle(5 * 60 * MINUTE);
  t.strictSame(said().slice(3), ['info resolved b', 'warning resolved a']);
});

t.test('an alert that became less severe is resolved for everyone who got it', async (t) => {
  const { advise, said, settle, admin } = await start(t);
  await advise({ severity: 'critical' });
  await settle(25 * 60 * MINUTE);
  await advise({ severity: 'warning' });
  await settle();
  const [{ id }] = (await admin('GET', '/advice')).body.advice;
  await admin('DELETE', `/advice/${id}`);
  await settle(2 * MINUTE);
  t.strictSame(said(), ['critical raised a', 'warning raised a', 'critical resolved a']);
  t.strictSame(said(PAGER), ['critical raised a', 'critical resolved a']);
});

t.test('an alert whose target fails is retried like any delivery, and causes no other alert', async (t) => {
  const { advise, said, settle, http, log } = await start(t);
  http.answer(PAGER, { status: 500 }, {}).answer(DESK, { status: 404 });
  await advise({ severity: 'critical' });
  await settle(30 * MINUTE);
  t.strictSame(said(PAGER), ['critical raised a', 'critical raised a']);
  t.equal(http.callsTo(PAGER)[0]?.headers['x-svc-hook-delivery'], http.callsTo(PAGER)[1]?.headers['x-svc-hook-delivery']);
  t.equal(said().length, 1);
  t.match(
    log.lines.filter(({ level }) => level === 'warn'),
    [{ message: /delivery/ }],
  );
});

t.test('a restart raises nothing again, and resolves what was true of the process only', async (t) => {
  const dataDir = freshFolder(t);
  const clock = new ManualClock();
  const one = await start(t, { dataDir, ports: { clock } });
  await one.admin('POST', `/webhooks/${await one.webhook()}/pause`);
  await one.platform.store.transaction((tx) => {
    const about = { id: 'memory_short/host-1', name: 'memory_short', severity: 'critical' as const, text: 'Memory', about: {} };
    tx.in(alertRecords).put({ ...about, number: 'platform', cause: 'process', posted_at: clock.now().toISOString() });
  });
  await one.settle();
  t.strictSame(one.said(), ['info raised webhook_paused']);
  await one.server.stop();
  const two = await start(t, { dataDir, ports: { clock } });
  await two.settle(2 * MINUTE);
  t.strictSame(two.said(), ['critical resolved memory_short']);
  t.strictSame(
    (await two.platform.store.open(alertRecords).list()).map(({ name }) => name),
    ['webhook_paused'],
  );
});

t.test('in a cluster, the next owner of a shard resolves alerts of an earlier one when that no longer runs', async (t) => {
  const dataDir = freshFolder(t);
  const clock = new ManualClock();
  const one = await start(t, { dataDir, ports: { clock } });
  await one.platform.store.transaction((tx) => {
    for (const id of ['self', 'alive', 'ended'])
      tx.in(alertRecords).put({
        ...{ id, name: id, severity: 'critical', text: 'Memory', about: {}, number: 'platform', cause: `process/${id}` },
        posted_at: clock.now().toISOString(),
      } as AlertRecord);
  });
  await one.server.stop();
  const running = new Set(['self', 'alive']);
  const http = new ScriptedHttp({ clock }).answer(DESK, {});
  const two = createPlatform(
    { plugins: [], secretKey: '00'.repeat(32), alerts: [{ url: DESK }], dataDir, ports: { clock, http, log: new RecordingLogger() } },
    { processes: { self: 'self', isRunning: (id) => running.has(id) } },
  );
  await two.start();
  t.teardown(() => two.stop());
  const resolved = () => http.callsTo(DESK).map(({ json }) => json.name);
  await clock.advance(10 * MINUTE);
  t.strictSame(resolved().sort(), ['ended', 'self']);
  running.delete('alive');
  await clock.advance(2 * MINUTE);
  t.equal(resolved().at(-1), 'alive');
  t.strictSame(await two.store.open(alertRecords).list(), []);
});

t.test('short memory has an alert with its severity, which is resolved when there is enough', async (t) => {
  let live = 10;
  const heap = { limitBytes: 1000, read: () => ({ usedBytes: live, liveBytes: live, collectedMsAgo: 0, processShare: 0 }) };
  const { said, settle, admin, number } = await start(t, { ports: { heap } });
  const reach = async (bytes: number) => {
    live = bytes;
    await new Promise((resolve) => setTimeout(resolve, 30));
    await admin('PATCH', `/numbers/${number}`, { name: 'B' });
    await settle();
  };
  await reach(600);
  await reach(990);
  await reach(10);
  await settle(2 * MINUTE);
  t.strictSame(said(), ['warning raised memory_short', 'critical raised memory_short', 'critical resolved memory_short']);
});

t.test('the alert about a store that accepts no writes does without it, with retries, and so is resolved', async (t) => {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, compact: (input) => compact(input, disk) });
  const { said, settle, admin, number, http } = await start(t, { ports: { store, log } });
  http.answer(PAGER, 'refuse', {});
  disk.before = ({ name }) => {
    if (name === 'sync' || name === 'truncate') throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  };
  t.equal((await admin('PATCH', `/numbers/${number}`, { name: 'B' })).status, 503);
  await settle(MINUTE);
  t.strictSame(said(PAGER), ['critical raised store_failed', 'critical raised store_failed'], 'the second one is the retry');
  t.strictSame(said(), ['critical raised store_failed']);
  t.match(http.callsTo(DESK)[0]?.headers['x-svc-hook-signature'], signatureOf(SECRET, http.callsTo(DESK)[0]!.text));
  disk.before = () => {};
  t.equal((await admin('POST', '/store/reopen')).status, 200);
  await settle(2 * MINUTE);
  t.strictSame(said(PAGER).slice(2), ['critical resolved store_failed']);
});

t.test('an alert that became more severe while the store accepted no writes is resolved for everyone who got it', async (t) => {
  let live = 10;
  const heap = { limitBytes: 1000, read: () => ({ usedBytes: live, liveBytes: live, collectedMsAgo: 0, processShare: 0 }) };
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: FOLDER, log, fs: disk, compact: (input) => compact(input, disk) });
  const { said, settle, admin, number } = await start(t, { ports: { store, log, heap } });
  const reach = async (bytes: number) => {
    live = bytes;
    await new Promise((resolve) => setTimeout(resolve, 30));
    await admin('PATCH', `/numbers/${number}`, { name: `${bytes}` });
    await settle();
  };
  await reach(600);
  disk.before = ({ name }) => {
    if (name === 'sync' || name === 'truncate') throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  };
  await reach(600);
  await reach(990);
  disk.before = () => {};
  t.equal((await admin('POST', '/store/reopen')).status, 200);
  await reach(10);
  await settle(2 * MINUTE);
  const onMemory = (lines: string[]) => lines.filter((line) => line.endsWith('memory_short'));
  t.strictSame(onMemory(said(PAGER)), ['critical raised memory_short', 'critical resolved memory_short']);
});

t.test('lost transactions have an alert until an operator confirms them, in whichever process', async (t) => {
  const loss = { id: 'loss-1', shard: 'shard-2', kept: 5, last: 8, at: '2026-01-01T00:00:00.000Z', documents: [] };
  const listeners: ((loss: object) => void)[] = [];
  const losses = {
    onLoss: (listener: (loss: object) => void) => listeners.push(listener),
    list: async () => [loss],
    confirm: async () => true,
  };
  const { said, settle, admin, http } = await start(t, {
    ports: { store: Object.assign(new MemoryStore({ log: new RecordingLogger() }), { losses }) as never },
  });
  listeners[0]!({ ...loss, isAcknowledged: true, isComplete: true } as unknown as ReportedLoss);
  await settle();
  t.strictSame(said(PAGER), ['critical raised transactions_lost']);
  t.match(http.callsTo(PAGER)[0]?.json, { text: /has lost 3 transactions of shard-2/, id: 'transactions_lost/loss-1' });
  Object.assign(loss, { isAcknowledged: true, isComplete: true, isConfirmed: true });
  await admin('PATCH', '/store/losses/loss-1', { confirmed: true });
  await settle(2 * MINUTE);
  const other = await start(t, { ports: { store: Object.assign(new MemoryStore({ log: new RecordingLogger() }), { losses }) as never } });
  await other.admin('PATCH', '/store/losses/loss-1', { confirmed: true });
  await other.settle(2 * MINUTE);
  for (const calls of [said(PAGER).slice(1), other.said(PAGER)]) t.strictSame(calls, ['critical resolved transactions_lost']);
});

t.test('the page on operations shows options that are accepted, and an alert as it is posted', async (t) => {
  const { alerts } = sampleJson('core/kernel/README.md', 'option alerts') as { alerts: NonNullable<TestPlatformOptions['alerts']> };
  const { http, webhook, fail } = await start(t, { alerts, deliveries: { pauseAfterFailures: 1 } });
  http.answer(alerts[0]!.url, {});
  await fail(await webhook());
  const [posted] = http.callsTo(alerts[0]!.url);
  const shown = sampleJson('core/kernel/README.md', 'alert') as Record<string, string>;
  t.strictSame(Object.keys(posted?.json), Object.keys(shown));
  const generic = (text: string) => text.replaceAll(/[\da-f]{8}-[\w-]{27}/g, 'UUID').replace(/after \d+/, 'after N');
  for (const key of ['id', 'state', 'severity', 'name', 'text']) t.equal(generic(posted?.json[key]), generic(shown[key]!), key);
});

t.test('a target that the rules for outgoing requests refuse is named at the start, and wrong options are refused', async (t) => {
  const http = Object.assign(new ScriptedHttp({ clock: new ManualClock() }), { refusal: () => 'a private address' });
  const { log } = await start(t, { plugins: [], alerts: [{ url: DESK }], ports: { http } });
  t.match(log.lines, [{ level: 'warn', message: /^alerts cannot be posted/, fields: { url: DESK, reason: 'a private address' } }]);
  for (const alerts of [[{ url: 'ftp://a.test' }], [{ url: DESK, from: 'high' }], [{ url: DESK }, { url: DESK }]])
    await t.rejects(start(t, { alerts } as never), /these platform options cannot be used: "alerts/);
});
