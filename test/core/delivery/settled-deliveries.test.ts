import t from 'tap';
import { verifySignature } from '#core';
import { ManualClock, ScriptedHttp, SeededIds, startPlatform, type Tap } from '#core/testing';
import { outboxEntries } from '../../../core/adapters/outbox/stored-outbox.js';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { settledDeliveries } from '../../../core/delivery/settled-delivery.js';
import { messages as messageRecords } from '../../../core/messaging/message.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { everything, SimulatedDisk } from '../adapters/store/simulated-disk.js';
import { BODY, ENDPOINT, startWithWebhook, type WebhookPlatform } from './webhook-platform.js';

const KEY = '0'.repeat(64);

const storeOn = (disk: SimulatedDisk): JsonStore =>
  new JsonStore({ folder: '/data', log: new RecordingLogger(), fs: disk, partBytes: 400, compact: (input) => compact(input, disk) });

/** Deliveries with every outcome, listed in every way. @returns everything that was seen */
async function uses(t: Tap, store: MemoryStore | JsonStore, merge: () => Promise<void>): Promise<unknown[]> {
  const platform = await startWithWebhook(t, { secretKey: KEY, ports: { store } });
  const { http, clock, post, admin, webhook } = platform;
  http.answer(ENDPOINT, (call) => (call.text.includes('refused') ? { status: 400 } : {}));
  const seen: unknown[] = [];
  const uuids: string[] = [];
  for (let n = 0; n < 20; n++) {
    const text = n % 5 === 4 ? 'refused' : 'taken';
    uuids.push((await post({ event: `e-${n}`, message: `m-${n % 7}`, body: { n, text } })).uuid);
    await clock.advance(1_000);
    if (n % 6 === 5) await merge();
  }
  await merge();
  const see = async (method: string, path: string, payload?: object) => {
    const { status, body } = await admin(method, path, payload);
    seen.push([method, path, status, body]);
    return body;
  };
  const list = async () => {
    for (const scope of ['', `webhook=${webhook}&`, 'message=m-3&'])
      for (const state of ['', 'state=delivered&', 'state=cancelled&', 'state=queued&']) {
        const { deliveries } = await see('GET', `/deliveries?${scope}${state}limit=3`);
        if (deliveries?.length > 0) await see('GET', `/deliveries?${scope}${state}limit=3&after=${deliveries.at(-1).uuid}`);
      }
    await see('GET', '/attempts?limit=5');
  };
  await list();
  await see('POST', `/deliveries/${uuids[1]}/redeliver`);
  await list();
  await clock.advance(1_000);
  await merge();
  await see('GET', `/deliveries/${uuids[1]}`);
  await see('POST', `/deliveries/${uuids[2]}/cancel`);
  await see('POST', '/deliveries/redeliver', { webhook, limit: 2 });
  await clock.advance(1_000);
  await see('POST', `/deliveries/${uuids[3]}/redeliver`, { body: '{"text":"taken"}' });
  await clock.advance(1_000);
  await merge();
  // Posted before: nothing happens.
  seen.push(await post({ event: 'e-0', body: { again: true } }));
  await list();
  seen.push(http.callsTo(ENDPOINT).map(({ text }) => text));
  return seen;
}

t.test('every use of settled deliveries gives the same, whether they are in memory or on disk', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const expected = await uses(t, new MemoryStore({ log: new RecordingLogger() }), async () => {});
  const seen = await uses(t, store, () => store.compact());
  t.strictSame(JSON.parse(JSON.stringify(seen)), JSON.parse(JSON.stringify(expected)));
  t.ok(
    disk.files.some((name) => /core\.settled-deliveries\.\d+\.json$/.test(name)),
    'they are in parts',
  );
});

t.test('new deliveries follow those that have settled, also after a restart', async (t) => {
  const disk = new SimulatedDisk();
  const first = await startWithWebhook(t, { secretKey: KEY, ports: { store: storeOn(disk) }, answers: [{}] });
  for (let n = 0; n < 3; n++) await first.post();
  await first.clock.advance(1_000);
  await first.server.stop();
  const { webhook } = first;
  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:00Z') });
  const second = await startWithWebhook(t, {
    webhook,
    seed: 'second',
    secretKey: KEY,
    ports: { store: storeOn(disk), clock },
    answers: [{}],
  });
  const { uuid } = await second.post();
  t.match((await second.platform.deliveries.list({ limit: 10 })).map((one) => one.uuid)[0], uuid);
  t.equal((await second.platform.deliveries.list({ limit: 10 })).length, 4);
});

/** A delivery whose request waits for the test to answer it. */
async function whileSent(t: Tap): Promise<WebhookPlatform & { readonly uuid: string; answer(): void }> {
  let answer = () => {};
  const platform = await startWithWebhook(t);
  platform.http.answer(ENDPOINT, () => new Promise((resolve) => (answer = () => resolve({}))));
  const { uuid } = await platform.post();
  await platform.clock.advance(0);
  return { ...platform, uuid, answer: () => answer() };
}

t.test('a delivery that is cancelled while it is sent is delivered if the endpoint accepts it', async (t) => {
  const { uuid, answer, cancel, delivery, attempts, clock } = await whileSent(t);
  await cancel(uuid);
  t.equal((await delivery(uuid)).state, 'cancelled');
  answer();
  await clock.advance(1_000);
  t.match(await delivery(uuid), { state: 'delivered', run: 1 });
  t.equal((await attempts(uuid)).length, 1);
});

t.test('one that is also redelivered meanwhile is sent again when the first request has ended', async (t) => {
  const { uuid, answer, cancel, redeliver, delivery, attempts, calls, clock } = await whileSent(t);
  await cancel(uuid);
  await redeliver(uuid);
  await clock.advance(1_000);
  t.equal(calls().length, 1, 'not at the same time');
  answer();
  await clock.advance(1_000);
  t.equal(calls().length, 2);
  answer();
  await clock.advance(1_000);
  t.match(await delivery(uuid), { state: 'delivered', run: 2 });
  t.equal((await attempts(uuid)).length, 2);
});

t.test('deliveries that an earlier release has settled are moved in the background, and found meanwhile', async (t) => {
  const disk = new SimulatedDisk();
  const first = await startWithWebhook(t, { secretKey: KEY, ports: { store: storeOn(disk) }, answers: ['refuse'] });
  const { platform, webhook } = first;
  const { uuid, ...pending } = await first.post();
  // As they are in a folder of format 4.
  const settled = { ...pending, number: undefined, state: 'delivered', settled_at: pending.created_at, content: { json: BODY } };
  const uuids = Array.from({ length: 240 }, (_, n) => `${uuid.slice(0, -3)}${n + 100}`);
  await platform.store.transaction((tx) => {
    for (const [n, uuid] of uuids.entries()) {
      const id = `${pending.number}/${String(n + 10).padStart(12, '0')}`;
      tx.live!(outboxEntries).put({ ...settled, uuid, event: `old-${n}`, id } as never);
    }
  });
  await first.server.stop();
  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:00Z') });
  const second = await startWithWebhook(t, {
    webhook,
    seed: 'second',
    secretKey: KEY,
    ports: { store: storeOn(disk), clock },
    answers: ['refuse'],
  });
  const { deliveries, store } = second.platform;
  t.equal((await deliveries.list({ state: 'delivered', limit: 500 })).length, 240);
  await clock.advance(100);
  t.equal(await store.open(settledDeliveries).count(), 240);
  t.equal((await deliveries.list({ state: 'delivered', limit: 500 })).length, 240);
  t.match(await deliveries.show(uuids[17]!), { delivery: { event: 'old-17', state: 'delivered' } });
});

const TEXT = 'I would like to change my appointment of Thursday, because I will be away. Would Friday at the same time be possible?';

t.test('a settled body has the content of its message by reference, and is sent again byte by byte', async (t) => {
  const disk = new SimulatedDisk();
  const store = storeOn(disk);
  const { admin, number, platform, clock, http, call } = await startPlatform(t, {
    plugins: [channels(), messages(), network(), webhooks()],
    secretKey: KEY,
    ports: { store },
  });
  http.answer(ENDPOINT, {});
  const { uuid: channel, token } = await number('channel');
  const made = await admin('POST', '/webhooks', { number: channel, url: ENDPOINT, name: 'all', subscriptions: ['msgapp'] });
  t.match(made, { status: 201 });
  await call('POST', `/v1/numbers/${channel}/messages`, {
    token,
    payload: {
      contact: { id: 'ann', profile: { name: 'Ann "Ü" Lee' } },
      message: { id: 'in-1', from: 'ann', type: 'text', timestamp: '1767600000', text: { body: TEXT } },
    },
  });
  await clock.advance(1_000);
  const [sent] = http.callsTo(ENDPOINT);
  t.match(sent!.text, TEXT);
  const [settled] = await store.open(settledDeliveries).list();
  t.notMatch(JSON.stringify(settled), TEXT, 'the text is stored with its message only');
  t.match(settled, { content: { of_message: { crc32: Number } } });
  await store.compact();
  const { uuid } = settled!;
  t.equal((await platform.deliveries.show(uuid)).body, sent!.text);
  t.match(await admin('POST', `/deliveries/${uuid}/redeliver`), { status: 200 });
  await clock.advance(1_000);
  t.strictSame(http.callsTo(ENDPOINT)[1]!.text, sent!.text);
  t.ok(verifySignature(made.body.hmac_secret, http.callsTo(ENDPOINT)[1]!.body, http.callsTo(ENDPOINT)[1]!.headers['x-svc-hook-signature']));

  await t.test('it is never sent if its message has changed or is gone, except as a new delivery with a body', async (t) => {
    const [message] = await store.open(messageRecords).list();
    await platform.store.transaction((tx) => {
      tx.in(messageRecords).put({ ...message!, content: { text: { body: `${TEXT}!` } } } as never);
    });
    t.match(await admin('POST', `/deliveries/${uuid}/redeliver`), { status: 409, body: { errors: [{ cause: 'body_not_reproducible' }] } });
    t.match(await admin('POST', `/deliveries/${uuid}/redeliver`, { url: `${ENDPOINT}/other` }), {
      status: 409,
      body: { errors: [{ cause: 'body_not_reproducible' }] },
    });
    await platform.store.transaction((tx) => tx.in(messageRecords).delete(message!.uuid));
    t.match(await admin('POST', `/deliveries/${uuid}/redeliver`), { status: 409, body: { errors: [{ cause: 'body_not_reproducible' }] } });
    t.equal((await platform.deliveries.show(uuid)).body, '');
    t.match(await admin('POST', `/deliveries/${uuid}/redeliver`, { body: '{"new":true}' }), { status: 200 });
    await clock.advance(1_000);
    const last = http.callsTo(ENDPOINT).at(-1)!;
    t.equal(last.text, '{"new":true}');
    t.not(last.headers['x-svc-hook-delivery'], sent!.headers['x-svc-hook-delivery']);
    t.equal(http.callsTo(ENDPOINT).length, 3);
  });
});

t.test('a body that is still to be sent is stored without the content of its message, and is the same after a crash', async (t) => {
  const disk = new SimulatedDisk();
  const plugins = [channels(), messages(), network(), webhooks()];
  const first = await startPlatform(t, { plugins, secretKey: KEY, ports: { store: storeOn(disk) } });
  first.http.answer(ENDPOINT, 'refuse');
  const { uuid: channel, token } = await first.number('channel');
  const made = await first.admin('POST', '/webhooks', { number: channel, url: ENDPOINT, name: 'all', subscriptions: ['msgapp'] });
  for (const id of ['in-1', 'in-2']) {
    await first.call('POST', `/v1/numbers/${channel}/messages`, {
      token,
      payload: {
        contact: { id: 'ann', profile: { name: 'Ann "Ü" Lee' } },
        message: { id, from: 'ann', type: 'text', timestamp: '1767600000', text: { body: TEXT } },
      },
    });
  }
  await first.clock.advance(1_000);
  const sent = first.http.callsTo(ENDPOINT)[0]!;
  const written = disk.files.map((path) => disk.read(path).toString()).join('');
  t.equal(written.split(TEXT).length - 1, 2, 'with the messages only');
  const pending = await first.platform.deliveries.list({ limit: 2 });
  t.match(pending, [{ state: 'retry_wait' }, { state: 'retry_wait' }]);

  const store = storeOn(disk.afterCrash(everything));
  const clock = new ManualClock({ start: new Date(first.clock.now().getTime() + 60_000) });
  const http = new ScriptedHttp({ clock });
  http.answer(ENDPOINT, 'refuse', {});
  const ids = new SeededIds('second');
  const { platform } = await startPlatform(t, { plugins, secretKey: KEY, ports: { store, clock, http, ids } });
  const [delivery, other] = [pending[1]!, pending[0]!];
  t.equal((await platform.deliveries.show(delivery.uuid)).body, sent.text);
  const changed = await store.open(messageRecords).get(other.message!);
  await platform.store.transaction((tx) => {
    tx.in(messageRecords).put({ ...changed!, content: { text: { body: `${TEXT}!` } } } as never);
  });
  await store.compact();
  await clock.advance(120_000);
  const calls = http.callsTo(ENDPOINT);
  t.strictSame(
    calls.map(({ text }) => text),
    [sent.text, sent.text],
  );
  t.ok(verifySignature(made.body.hmac_secret, calls[1]!.body, calls[1]!.headers['x-svc-hook-signature']));
  const all = await store.open(settledDeliveries).list();
  t.match(
    all.find(({ uuid }) => uuid === delivery.uuid),
    { state: 'delivered', attempts: 3, content: { of_message: { crc32: Number } } },
  );
  t.match(
    all.find(({ uuid }) => uuid === other.uuid),
    { state: 'dropped' },
    'a body that cannot be restored is never sent',
  );
  t.equal((await platform.deliveries.show(other.uuid)).body, '');
});

t.test('a pending delivery of a folder of format 5 has its whole body, and is settled with a reference', async (t) => {
  const disk = new SimulatedDisk();
  const before = await startWithWebhook(t, { secretKey: KEY, ports: { store: storeOn(disk) }, answers: ['refuse'] });
  const content = { text: { body: TEXT } };
  const { number, ...pending } = await before.post();
  const id = `${number}/000000000009`;
  const json = { before: 1, ...content };
  const placed = [JSON.stringify({ before: 1 }).length, JSON.stringify(content).length - 2];
  const document = { ...pending, id, uuid: `${pending.uuid.slice(0, -3)}009`, event: 'old', content: { json, message_at: placed } };
  await before.platform.store.transaction((tx) => tx.live!(outboxEntries).put(document as never));
  await before.server.stop();
  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:10Z') });
  const store = storeOn(disk);
  const after = await startWithWebhook(t, {
    webhook: before.webhook,
    seed: 'second',
    secretKey: KEY,
    ports: { store, clock },
    answers: [{}],
  });
  await clock.advance(60_000);
  t.ok(after.calls().some(({ text }) => text === JSON.stringify(json)));
  const settled = (await store.open(settledDeliveries).list()).find(({ event }) => event === 'old');
  t.match(settled, { state: 'delivered', content: { of_message: { before: '{"before":1,', after: '}' } } });
});
