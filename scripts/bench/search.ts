// Bench: a search among 100,000 messages on disk, and what it costs when messages arrive
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { NewestTexts, textRow } from '../../core/admin/search/newest-texts.js';
import { messageText } from '../../core/admin/search/texts.js';
import { messages } from '../../core/messaging/message.js';
import { ADMIN_KEY, openPlatform } from './history/platform.js';
import { printTable } from './measuring/table.js';

interface Answer {
  readonly results: readonly { readonly kind: string }[];
  readonly kinds: readonly { readonly kind: string; readonly looked_back_to: string | null }[];
}
type Opened = Awaited<ReturnType<typeof openPlatform>>;

const { values } = parseArgs({ options: { messages: { type: 'string', default: '100000' }, quick: { type: 'boolean', default: false } } });
const count = Number(values.messages) / (values.quick ? 10 : 1);
const SEARCHES = 50;
const RECEIVED = 3_000;
const KEPT = 100_000;
const MIB = 1 << 20;

const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
try {
  const full = join(root, 'full');
  const generate = join(import.meta.dirname, 'history', 'generate.js');
  execFileSync(process.execPath, ['--max-old-space-size=4000', generate, full, String(count), String(count / 20)]);
  const opened = await openPlatform(full);
  const { number } = await opened.create();
  const { conversations } = (await opened.call('GET', '/admin/v1/conversations?limit=1', ADMIN_KEY)) as {
    conversations: readonly { readonly contact: { readonly id: string } }[];
  };
  await opened.receive(number, { id: 'newest', from: conversations[0]!.contact.id, text: 'the needle in the newest message' });
  const search = async (q: string) => {
    const began = performance.now();
    const answer = (await opened.call('GET', `/admin/v1/search?q=${encodeURIComponent(q)}`, ADMIN_KEY)) as Answer;
    return {
      ms: performance.now() - began,
      found: answer.results.length,
      rest: answer.kinds.find(({ kind }) => kind === 'message')!.looked_back_to,
    };
  };
  const scan = await scanned(opened, number.uuid);
  const [heap, cpu, began] = [process.memoryUsage().heapUsed, process.cpuUsage(), performance.now()];
  const first = await search('needle');
  while ((await search('needle')).rest !== null) await new Promise((resolve) => setTimeout(resolve, 250));
  const readMs = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  globalThis.gc?.();
  const texts = process.memoryUsage().heapUsed - heap;
  const rows: string[][] = [];
  for (const q of ['needle', 'contact', 'abcdefghi', 'no such word', '4711 nothing']) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const all: Awaited<ReturnType<typeof search>>[] = [];
    for (let n = 0; n < SEARCHES; n++) all.push(await search(q));
    delay.disable();
    const times = all.map(({ ms }) => ms).sort((a, b) => a - b);
    const at = (share: number): string => times[Math.floor(share * (times.length - 1))]!.toFixed(0);
    rows.push([q, String(all[0]!.found), at(0.5), at(0.95), at(1), (delay.percentile(99) / 1e6).toFixed(0)]);
  }
  printTable([`${count} messages, each with a delivery`, 'results', 'p50 ms', 'p95 ms', 'max ms', 'event loop p99 ms'], rows);
  console.log(`The first search took ${first.ms.toFixed(0)} ms, found ${first.found}, and looked back to ${first.rest}.`);
  console.log(
    `All texts were in memory after ${(readMs / 1000).toFixed(1)} s and ${((user + system) / 1e6).toFixed(1)} s of CPU; ${(texts / MIB).toFixed(0)} MiB of heap.`,
  );
  console.log(`Reading from the store instead: ${scan.toFixed(1)} us for each message, ${((scan * count) / 1e6).toFixed(1)} s for all.`);
  await inbound();
} finally {
  rmSync(root, { recursive: true });
}
process.exit();

/** The microseconds that reading a message takes, from the newest to the oldest. */
async function scanned({ platform }: Opened, number: string): Promise<number> {
  const records = platform.store.open(messages);
  const began = performance.now();
  let read = 0;
  for (let before: string[] | undefined; performance.now() - began < 3_000; ) {
    const page = await records.find('age', { equals: [number], order: 'descending', limit: 50, ...(before && { before }) });
    read += page.length;
    const last = page.at(-1);
    if (!last || page.length < 50) break;
    before = [last.recorded_at, last.uuid];
  }
  return ((performance.now() - began) * 1000) / read;
}

/** CPU time of an inbound message, and the part of it that keeps its text. A ratio of two platforms differs by more than that from run to run. */
async function inbound(): Promise<void> {
  const opened = await openPlatform(join(root, 'inbound'));
  const { number } = await opened.create();
  const text = `Où est ma commande? ${'and more words '.repeat(6)}`;
  const whole = await cpuOf(RECEIVED, (n) => opened.receive(number, { id: `in-${n}`, from: `web-${n % 50}`, text }));
  const onFailure = (error: unknown): never => {
    throw error;
  };
  const nothing = { numbers: async () => [], older: async () => [], onBegin: () => undefined };
  const texts = new NewestTexts({ maxBytes: () => 64 * MIB, now: () => new Date(), ...nothing, onFailure });
  texts.begin();
  const kept = await cpuOf(KEPT, (n) => {
    const content = { text: { body: `${text} ${n}` } };
    texts.put(textRow(String(n), new Date(n).toISOString(), number.uuid, messageText({ content })));
  });
  console.log(
    `CPU of an inbound message: ${whole.toFixed(0)} us; of keeping its text: ${kept.toFixed(1)} us (${((kept / whole) * 100).toFixed(1)} %).`,
  );
}

/** Microseconds of CPU time each, in the second half of the calls, after V8 has optimized the code. */
async function cpuOf(calls: number, call: (n: number) => unknown): Promise<number> {
  let before = process.cpuUsage();
  for (let n = 0; n < calls; n++) {
    if (n === calls / 2) before = process.cpuUsage();
    await call(n);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (calls / 2);
}
