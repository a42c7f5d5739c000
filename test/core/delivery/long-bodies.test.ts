import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type DeliveryRecord, verifySignature } from '#core';
import { ManualClock } from '#core/testing';
import { outboxEntries } from '../../../core/adapters/outbox/stored-outbox.js';
import { checkData, repairData } from '../../../core/adapters/store/check/repair-data.js';
import { chunks, chunkUses } from '../../../core/memory/chunks.js';
import { freshFolder } from '../adapters/store/folders.js';
import { BODY, ENDPOINT, SECRET, startWithWebhook } from './webhook-platform.js';

const answer = `An answer of many words: ${'the quick brown fox '.repeat(3_000)}`;
/** A value that occurs in several places, as in the context of a journey. */
const body = {
  context: { who: answer, results: { who: { value: answer, response: answer } }, event: { text: { body: answer } } },
  turn: 'hi',
};

t.test('every attempt sends the same bytes, also after a restart and a redelivery, though the body is stored in chunks', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startWithWebhook(t, { dataDir });
  before.http.answer(ENDPOINT, 'refuse');
  const { uuid } = await before.post({ body, conversation: 'conversation' });
  await before.clock.advance(20_000);
  t.equal(before.calls().length, 2);
  await before.server.stop();

  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:30Z') });
  const after = await startWithWebhook(t, { dataDir, seed: 'again', webhook: before.webhook, answers: ['refuse', {}], ports: { clock } });
  await clock.advance(60_000);
  await after.redeliver(uuid);
  await clock.advance(0);
  const calls = [...before.calls(), ...after.calls()];
  t.equal(calls.length, 5);
  for (const call of calls) {
    t.equal(call.text, JSON.stringify(body));
    t.ok(verifySignature(SECRET, call.body, call.headers['x-svc-hook-signature']));
  }
  t.match(await after.platform.deliveries.show(uuid), { body: JSON.stringify(body) });
  await after.server.stop();
  const stored = readFileSync(join(dataDir, 'core.settled-deliveries.json'), 'utf8');
  t.ok(stored.length < 3_000, 'the stored delivery itself is short');
});

t.test('deliveries of one event share their chunks, and evicting one delivery leaves the bodies of the others complete', async (t) => {
  const { post, platform, clock, http, delivery } = await startWithWebhook(t, { deliveries: { kept: 1 } });
  http.answer(ENDPOINT, {});
  const { store, deliveries } = platform;
  const first = await post({ body, conversation: 'one', event: 'a' });
  await clock.advance(1);
  const second = await post({ body, conversation: 'one', event: 'b' });
  await clock.advance(1);
  t.equal((await store.open(chunks).list()).length, 1);
  const other = await post({ body, conversation: 'two', event: 'c' });
  t.equal((await store.open(chunks).list()).length, 2, 'another conversation has its own');
  await clock.advance(60 * 60_000);
  await t.rejects(delivery(first.uuid), { code: 'delivery_not_found' });
  await t.rejects(delivery(second.uuid), { code: 'delivery_not_found' });
  t.equal((await deliveries.show(other.uuid)).body, JSON.stringify(body));
  t.equal((await store.open(chunks).list()).length, 1, 'chunks without uses are deleted');
});

t.test('deleting a webhook also deletes the chunks of its bodies', async (t) => {
  const { post, platform, clock, http, webhook } = await startWithWebhook(t);
  http.answer(ENDPOINT, 'refuse');
  await post({ body });
  await clock.advance(0);
  t.equal(await platform.store.open(chunks).count(), 1);
  await platform.store.transaction((tx) => platform.webhooks.delete(tx, webhook));
  await clock.advance(20_000);
  t.equal(await platform.store.open(chunks).count(), 0);
});

t.test('settled deliveries are bounded in bytes, oldest evicted first; unsettled ones do not count', async (t) => {
  const { post, clock, http, platform, admin } = await startWithWebhook(t, { deliveries: { keptBytes: 100_000 } });
  const long = (n: number) => ({ text: `${n}${'x'.repeat(20_000)}` });
  http.answer(ENDPOINT, 'refuse', {});
  const posted: string[] = [];
  for (let n = 0; n < 10; n++) {
    posted.push((await post({ body: long(n) })).uuid);
    await clock.advance(1);
  }
  const remaining = (await platform.deliveries.list({ limit: 20 })).map(({ uuid }) => posted.indexOf(uuid));
  t.strictSame(remaining, [9, 8, 7, 6, 0], 'the first still waits for its retry');
  const { histories } = (await admin('GET', '/memory')).body.memory;
  t.match(histories[0], { name: 'deliveries', count: 4, most: { bytes: 100_000, count: 100_000 } });
  t.ok(histories[0].bytes > 80_000 && histories[0].bytes <= 100_000, String(histories[0].bytes));
});

t.test('responses count towards the bytes, and at most 4 KB of their headers are stored', async (t) => {
  const { post, clock, http, platform, attempts } = await startWithWebhook(t, { deliveries: { keptBytes: 60_000 } });
  const headers = { 'x-long': 'y'.repeat(5_000), 'x-some': 'z'.repeat(3_000), 'x-more': 'z'.repeat(3_000), 'x-short': 'kept' };
  http.answer(ENDPOINT, { status: 200, headers, body: 'b'.repeat(10_000) });
  const posted: string[] = [];
  for (let n = 0; n < 10; n++) {
    posted.push((await post()).uuid);
    await clock.advance(1);
  }
  const [{ response, response_headers: kept }] = (await attempts(posted.at(-1)!)) as [Awaited<ReturnType<typeof attempts>>[0]];
  t.equal(response?.length, 4096);
  t.strictSame(Object.keys(kept), ['x-some', 'x-short']);
  const remaining = await platform.deliveries.list({ limit: 20 });
  t.equal(remaining.length, 6);
  t.ok(remaining.every(({ kept_bytes: bytes }) => bytes! > 7_000));
});

t.test('a body that an earlier release stored without chunks is sent, shown, redelivered and evicted', async (t) => {
  const { post, clock, http, platform, redeliver, calls } = await startWithWebhook(t, { deliveries: { kept: 1 } });
  const { store, deliveries } = platform;
  http.answer(ENDPOINT, 'refuse', {});
  const { uuid } = await post();
  await clock.advance(0);
  const [{ kept_bytes: _, ...record }] = (await deliveries.list({ limit: 1 })) as [DeliveryRecord];
  await store.transaction((tx) => {
    const id = `${record.number}/000000000001`;
    tx.live!(outboxEntries).put({ ...record, id, content: { body: JSON.stringify(body) } } as never);
  });
  await clock.advance(20_000);
  await redeliver(uuid);
  await clock.advance(0);
  t.strictSame(
    calls().map(({ text }) => text),
    [JSON.stringify(BODY), JSON.stringify(body), JSON.stringify(body)],
  );
  t.match(await deliveries.show(uuid), { delivery: { state: 'delivered' }, body: JSON.stringify(body) });
  await post();
  await post();
  await clock.advance(60 * 60_000);
  await t.rejects(deliveries.show(uuid), { code: 'delivery_not_found' });
});

t.test('a repair keeps the chunks that the bodies of pending and settled deliveries share', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startWithWebhook(t, { dataDir, answers: ['refuse', {}] });
  await before.post({ body, conversation: 'one' });
  const settled = [await before.post({ body, conversation: 'one' }), await before.post({ body, conversation: 'one' })];
  await before.clock.advance(1_000);
  await before.server.stop();

  const file = join(dataDir, 'core.settled-deliveries.json');
  const bytes = readFileSync(file);
  bytes[bytes.indexOf(settled[1]!.uuid)]! ^= 1;
  writeFileSync(file, bytes);
  t.match(await repairData(dataDir), { repaired: true, beyond_repair: [] });
  t.match(await checkData(dataDir), { is_whole: true });

  const clock = new ManualClock({ start: new Date('2026-01-05T08:00:05Z') });
  const after = await startWithWebhook(t, { dataDir, seed: 'again', webhook: before.webhook, answers: [{}], ports: { clock } });
  t.strictSame(
    (await after.platform.store.open(chunkUses).list()).map(({ uses }) => uses),
    [2],
  );
  await clock.advance(60_000);
  t.equal(after.calls().at(-1)!.text, JSON.stringify(body));
  t.match(await after.platform.deliveries.show(settled[0]!.uuid), { body: JSON.stringify(body) });
});
