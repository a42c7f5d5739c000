// Fills a data folder with many records of a kind through the platform, and prints their size on disk: node fill.js <folder> <kind>
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { outboxEntries } from '../../../core/adapters/outbox/stored-outbox.js';
import { type CompactionInput, type CompactionOutput, compaction, JsonStore } from '../../../core/adapters/store/index.js';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import type { HttpOutcome } from '../../../core/ports/http-client.js';
import type { Ports } from '../../../core/ports/ports.js';
import { admin } from '../measuring/admin.js';
import { bytesOf } from '../store/engines.js';
import { type Kind, kinds } from './kinds.js';

const [folder, kind] = process.argv.slice(2) as [string, Kind];
const A_TIME = 500;

const answer: HttpOutcome = { kind: 'response', status: 200, headers: {}, body: Buffer.from('{}'), cut: false, elapsedMs: 1 };
const deliversAtOnce = { send: async () => answer, stop: async () => undefined };
const neverAnswers = { send: () => new Promise<never>(() => undefined), stop: async () => undefined };

async function countedMerge(input: CompactionInput): Promise<CompactionOutput> {
  for (const segment of input.segments) merges.journal += statSync(join(folder, segment)).size;
  // Each file that a merge writes is a new one, under a new name or in place of the present one.
  const inodesOf = () => new Map(readdirSync(folder).map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })]));
  const before = inodesOf();
  const output = await pool.run(compaction, input);
  for (const [name, file] of inodesOf()) {
    if (/^\w+\..*\.json$/.test(name) && file && before.get(name)?.ino !== file.ino) merges.written += file.size;
  }
  return output;
}

const counts = kinds[kind];
const TEXT = 'abcdefghi '.repeat(counts.text / 10);
const log = new RecordingLogger();
const pool = new PiscinaPool({ maxThreads: 1 });
/** Bytes of the journal that merges have read, and bytes of the files that they have written. */
const merges = { journal: 0, written: 0 };
const store = new JsonStore({ folder, log, compact: countedMerge });
const platform = createPlatform({
  secretKey: '0'.repeat(64),
  plugins: [],
  admin,
  deliveries: { maxWaiting: Number.MAX_SAFE_INTEGER, maxWaitingBytes: Number.MAX_SAFE_INTEGER },
  ports: { log, store, http: counts.waiting ? neverAnswers : deliversAtOnce } as unknown as Partial<Ports>,
});
await platform.start();
const { number, webhook } = await platform.store.transaction((tx) => {
  const number = platform.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Web' });
  const about = { number: number.uuid, url: 'https://receiver.test/', name: 'Receiver', subscriptions: ['channel' as const] };
  return { number, webhook: platform.webhooks.create(tx, about).webhook };
});

const requestOf = (n: number) => ({
  event: `message:${n}`,
  webhook,
  kind: 'channel' as const,
  body: { messages: [{ id: `wamid.${n}`, from: `+27${n}`, type: 'text', text: { body: TEXT } }] },
  message: platform.ids.uuid(),
  conversation: platform.ids.uuid(),
  recipient: `+27${n}`,
});

for (let from = 0; from < counts.conversations; from += A_TIME) {
  await platform.store.transaction(async (tx) => {
    for (let n = from; n < from + A_TIME; n++) {
      const address = `+27${n}`;
      const contact = await platform.contacts.findOrCreate(tx, number, { id: address, address, name: `Contact ${n}` });
      await platform.conversations.addMessage(tx, number, contact, 'inbound');
    }
  });
}
for (let from = 0; from < counts.messages; from += A_TIME) {
  await platform.store.transaction(async (tx) => {
    for (let n = from; n < from + A_TIME; n++) {
      const address = `+27${n % Math.max(1, counts.conversations)}`;
      const inbound = { id: `wamid.${n}`, contact: { id: address, name: `Contact ${n}` }, from: address, timestamp: '1700000000' };
      await platform.messages.received(tx, number, { ...inbound, type: 'text', content: { text: { body: TEXT } } });
    }
  });
}
for (let from = 0; from < counts.waiting; from += A_TIME) {
  await platform.store.transaction(async (tx) => {
    for (let n = from; n < from + A_TIME; n++) await platform.deliveries.post(tx, requestOf(n));
  });
}
if (counts.over > 0) {
  // One delivery is really made; the other deliveries are copies of its records.
  const { uuid } = await platform.store.transaction((tx) => platform.deliveries.post(tx, requestOf(-1)));
  while ((await platform.deliveries.show(uuid)).delivery.state !== 'delivered') await new Promise((resolve) => setTimeout(resolve, 5));
  const { delivery, body } = await platform.deliveries.show(uuid);
  const attempt = { trigger: 'auto', lane: 'default', started_at: delivery.created_at, duration_ms: 2, result: 'delivered', status: 200 };
  for (let from = 0; from < counts.over; from += A_TIME) {
    await platform.store.transaction((tx) => {
      for (let n = from; n < from + A_TIME; n++) {
        const { message, conversation, event } = requestOf(n);
        const id = `${delivery.number}/${String(1_000_000 + n).padStart(12, '0')}`;
        const copy = {
          ...delivery,
          id,
          uuid: platform.ids.uuid(),
          event,
          message,
          conversation,
          content: { body },
          tries: { '1.0': attempt },
        };
        tx.live!(outboxEntries).put(copy as never);
      }
    });
  }
}

const before = bytesOf(folder, '');
let max = before;
const watch = setInterval(() => {
  max = Math.max(max, bytesOf(folder, ''));
}, 5);
if (!counts.isKilled) await store.compact();
clearInterval(watch);
console.log(JSON.stringify({ before, max, after: bytesOf(folder, ''), journal: bytesOf(folder, '.jsonl'), merges }));
// The kill leaves deliveries in flight, which a normal stop would wait for.
process.exit();
