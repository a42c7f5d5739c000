// Fills a data folder with messages of contacts, each delivered to a webhook, then keeps writing until the store has merged its journal
// several times: node --expose-gc fill.js <folder> <messages> <merges>. Prints what it measured as JSON.
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { compaction, JsonStore } from '../../../core/adapters/store/index.js';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import type { HttpOutcome } from '../../../core/ports/http-client.js';
import type { Ports } from '../../../core/ports/ports.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { admin } from '../measuring/admin.js';
import { sizeOf } from '../measuring/folders.js';

export interface Filled {
  /** Bytes of heap that each message and its delivery keep in the running process, as long as all deliveries are kept. */
  readonly heapPerMessage: number;
  /** Bytes of the data folder after all is merged. */
  readonly disk: number;
  /** Bytes that the merges wrote, and bytes of the journal that they merged; undefined without /proc/self/io. */
  readonly merges: { readonly count: number; readonly written: number; readonly journal: number } | undefined;
}

const [folder, messagesText, mergesText] = process.argv.slice(2) as [string, string, string];
const [MESSAGES, MERGES] = [Number(messagesText), Number(mergesText)];
/** The platform keeps so many deliveries. */
const KEPT = 100_000;
const A_TIME = 200;
/** A message in 100 belongs to a new conversation. */
const PER_CONVERSATION = 100;
const TEXT = 'a question about opening hours';

/** Bytes that this process has passed to write system calls; NaN without /proc. */
function writtenBytes(): number {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

const log = new RecordingLogger();
const pool = new PiscinaPool({ maxThreads: 1 });
const merged = { count: 0, written: 0 };
let merging: Promise<unknown> | undefined;
const store = new JsonStore({
  folder: join(folder, 'data'),
  log,
  async compact(input) {
    const before = writtenBytes();
    const output = pool.run(compaction, input);
    merging = output.catch(() => undefined);
    const result = await output;
    merged.count++;
    merged.written += writtenBytes() - before;
    merging = undefined;
    return result;
  },
});
const answer: HttpOutcome = { kind: 'response', status: 200, headers: {}, body: Buffer.from('{}'), cut: false, elapsedMs: 1 };
const http = { send: async () => answer, stop: async () => undefined };
const platform = createPlatform({
  secretKey: '0'.repeat(64),
  plugins: [webhooks()],
  admin,
  deliveries: { kept: KEPT, keptBytes: Number.MAX_SAFE_INTEGER },
  ports: { log, store, http } as unknown as Partial<Ports>,
});
await platform.start();
const number = await platform.store.transaction((tx) => {
  const number = platform.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Web' });
  platform.webhooks.create(tx, { number: number.uuid, url: 'https://receiver.test/', name: 'Receiver', subscriptions: ['network'] });
  return number;
});

let written = 0;
/** Writes no message during a merge, so that what the process writes meanwhile is the merge. */
async function writeLot(): Promise<void> {
  await merging;
  await platform.store.transaction(async (tx) => {
    for (const end = written + A_TIME; written < end; written++) {
      const address = `+27${Math.floor(written / PER_CONVERSATION)}`;
      const contact = { id: address, name: 'Ann' };
      const message = {
        id: `wamid.${written}`,
        contact,
        from: address,
        timestamp: '1700000000',
        type: 'text',
        content: { text: { body: TEXT } },
      };
      await platform.messages.received(tx, number, message);
    }
  });
}

async function delivered(): Promise<void> {
  const has = async (state: 'queued' | 'sending'): Promise<boolean> => (await platform.deliveries.list({ state, limit: 1 })).length > 0;
  while ((await has('queued')) || (await has('sending'))) await sleep(20);
}

async function heapUsed(): Promise<number> {
  await delivered();
  globalThis.gc!();
  await sleep(100);
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The first tenth warms up: V8 compiles the code, and caches fill.
const measured = Math.min(MESSAGES, KEPT);
while (written < measured / 10) await writeLot();
const warmUp = written;
const heapBefore = await heapUsed();
while (written < measured) await writeLot();
const heapPerMessage = ((await heapUsed()) - heapBefore) / (written - warmUp);
while (written < MESSAGES) await writeLot();
await delivered();
await merging;
await store.compact();
const disk = sizeOf(join(folder, 'data'));
cpSync(join(folder, 'data'), join(folder, 'filled'), { recursive: true });

const [countBefore, mergedBefore, allBefore] = [merged.count, merged.written, writtenBytes()];
while (merged.count < countBefore + MERGES) {
  await writeLot();
  await merging;
}
const inMerges = merged.written - mergedBefore;
const journal = writtenBytes() - allBefore - inMerges;
const merges = Number.isNaN(journal) ? undefined : { count: MERGES, written: inMerges, journal };
await platform.stop();
await pool.stop();
console.log(JSON.stringify({ heapPerMessage, disk, merges } satisfies Filled));
process.exit();
