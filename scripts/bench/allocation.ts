// Bench: heap allocated per delivery in all threads, and bytes on disk per inbound message with one delivery
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { inbound, request, startServer } from './api/sides.js';
import type { Ready } from './deliveries/side-process.js';
import { sizeOf } from './measuring/folders.js';
import { Receiver } from './measuring/receiver.js';
import { endChild, inParallel, messageOf, spreadOf } from './measuring/rounds.js';
import { printTable } from './measuring/table.js';

/**
 * V8 reports nothing after the last collection: up to 16 MB per thread, 0.8 KB per delivery in 20,000. A smaller young generation would
 * not help: collections round sizes up, so that more of them report up to half as much again.
 */
const GC_FLAGS = ['--trace-gc-nvp'];
const WARM_UP = 1_000;
const CONNECTIONS = 32;

/**
 * Bytes of JavaScript heap that all threads of the platform allocate per delivery of 1 KB, in each round. V8 reports the allocations
 * at each garbage collection. A round is a process that makes `count` deliveries after the warm-up, less what a
 * process allocates that makes the warm-up only.
 */
export async function measureAllocation({ count, rounds }: { readonly count: number; readonly rounds: number }): Promise<number[]> {
  const receiver = await Receiver.start();
  try {
    const start = await allocatedBy(receiver, [WARM_UP]);
    const perDelivery = [];
    for (let round = 0; round < rounds; round++) {
      perDelivery.push(((await allocatedBy(receiver, [WARM_UP, count])) - start) / count);
    }
    return perDelivery;
  } finally {
    await receiver.stop();
  }
}

/** Bytes that a platform allocates while it makes these lots of deliveries, one lot after the other. */
async function allocatedBy(receiver: Receiver, lots: readonly number[]): Promise<number> {
  const script = join(import.meta.dirname, 'deliveries', 'side-process.js');
  const child = fork(script, ['posthorn', receiver.url], { execArgv: GC_FLAGS, silent: true });
  let traced = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (traced += text));
  child.stderr!.pipe(process.stderr);
  const { secrets } = await messageOf<Ready>(child, 'posthorn');
  await receiver.expectSignatures(secrets);
  for (const lot of lots) {
    const target = (await receiver.count()) + lot;
    const accepted = messageOf(child, 'posthorn');
    child.send(lot);
    await Promise.all([accepted, receiver.reached(target)]);
  }
  await endChild(child);
  const collections = [...traced.matchAll(/ allocated=(\d+)/g)];
  if (collections.length === 0) throw new Error('V8 reported no garbage collection');
  return collections.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** The growth of the data folder per inbound message with a text of this length and one delivery, in bytes, before any compaction. */
export async function measureDisk({ count, characters }: { readonly count: number; readonly characters: number }): Promise<number> {
  const receiver = await Receiver.start();
  const { child, ready } = await startServer('ours', receiver);
  const pool = new Pool(`http://127.0.0.1:${ready.port}`, { connections: CONNECTIONS });
  try {
    const text = 'x'.repeat(characters);
    const post = async (from: number, messages: number): Promise<void> => {
      await inParallel(messages, CONNECTIONS, (n) => request(pool, inbound(ready, from + n, text)));
      await receiver.reached(from + messages);
    };
    // Contacts and conversations are created by their first message.
    await post(0, CONTACTS);
    const before = sizeOf(ready.folder);
    await post(CONTACTS, count);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return (sizeOf(ready.folder) - before) / count;
  } finally {
    await pool.close();
    await endChild(child);
    await receiver.stop();
  }
}

const CONTACTS = 1_000;
/** The end of the last deliveries is stored after the response of the receiver. */
const SETTLE_MS = 500;

/** The text of an inbound message whose delivery has a body of about 1 KB. */
export const TEXT_OF_1_KB_EVENT = 800;

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { deliveries: { type: 'string', default: '20000' }, rounds: { type: 'string', default: '5' } } });
  const [count, rounds] = [Number(values.deliveries), Number(values.rounds)];
  const allocated = spreadOf(await measureAllocation({ count, rounds }));
  const disk = [];
  for (const characters of [TEXT_OF_1_KB_EVENT, 30])
    disk.push([`disk per message of ${characters} characters with one delivery`, await measureDisk({ count: 2_000, characters })] as const);
  printTable(
    ['bytes', 'median', 'min', 'max'],
    [
      ['heap allocated per delivery', ...[allocated.median, allocated.min, allocated.max].map((bytes) => bytes.toFixed(0))],
      ...disk.map(([name, bytes]) => [name, bytes.toFixed(0), '', '']),
    ],
  );
}

if (process.argv[1] === import.meta.filename) await run();
