// Bench: memory, start and reads with a long history of messages and deliveries on disk, beside an empty store
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Compared } from './history/compare.js';
import type { Flooded, Served } from './history/serve.js';
import { printTable } from './measuring/table.js';

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '10000000' },
    /** With a tenth of the messages. */
    quick: { type: 'boolean', default: false },
    /** Where the folders are; the temporary folder if not given. */
    folder: { type: 'string', default: tmpdir() },
  },
});
const messages = Number(values.messages) / (values.quick ? 10 : 1);
const conversations = messages / 20;
/** Generated rows that are compared with received ones. */
const COMPARED = values.quick ? 10_000 : 100_000;
const MIB = 1 << 20;
/** The heap and the young generation of a container of 512 MB. */
const FLAGS = ['--max-old-space-size=320', '--max-semi-space-size=8'];
/** As fast as possible, more is in memory between two merges. */
const FLOOD_FLAGS = ['--max-old-space-size=1024'];

const root = mkdtempSync(join(values.folder, 'posthorn-bench-'));
try {
  const folder = (name: string): string => join(root, name);
  const compared = run<Compared[]>('compare', [], generate('like-received', COMPARED, COMPARED / 20), folder('received'), String(COMPARED));
  printTable(
    ['rows that were generated, of rows that were received', 'rows', 'of another form', 'bytes, mean', 'bytes of those received'],
    compared.map(({ collection, rows, others, bytes }) => [collection, ...[rows, others, ...bytes].map((number) => number.toFixed(0))]),
  );
  const began = performance.now();
  generate('full', messages, conversations);
  const generatedMs = performance.now() - began;
  generate('empty', 0, 0);
  const { startHeap: idle } = run<Served>('serve', FLAGS, generate('idle', 0, conversations), String(conversations), 'start');
  const bytes = sizeOf(folder('full'));
  const full = run<Served>('serve', FLAGS, folder('full'), String(conversations));
  const empty = run<Served>('serve', FLAGS, folder('empty'), '0');
  const flooded = run<Flooded>('serve', FLOOD_FLAGS, folder('full'), String(conversations), 'flood');
  const floodedEmpty = run<Flooded>('serve', FLOOD_FLAGS, folder('empty'), '0', 'flood');
  const row = (what: string, full: number, empty: number, digits: number, goal?: number, isAtLeast = false) => {
    const verdict = goal === undefined ? '' : (isAtLeast ? full >= goal : full <= goal) ? 'met' : 'MISSED';
    return [what, full.toFixed(digits), empty.toFixed(digits), goal === undefined ? '' : String(goal), verdict];
  };
  const of = (what: string, figure: (served: Served) => number, digits: number, goal?: number) =>
    row(what, figure(full), figure(empty), digits, goal);
  const [rate, emptyRate] = [flooded.inboundPerSecond, floodedEmpty.inboundPerSecond];
  const mergedOf = ({ merges }: Flooded): number => merges.written / merges.journal;
  printTable(
    [`${messages} messages with a delivery each, in ${conversations} conversations`, 'full', 'empty', 'goal', ''],
    [
      of('start until ready, ms', ({ startMs }) => startMs, 0, 3_000),
      of('resident memory after the start, MiB', ({ startRss }) => startRss / MIB, 0),
      of('heap and buffers after the start, MiB', ({ startHeap }) => startHeap / MIB, 1),
      of('resident memory at the end, MiB', ({ endRss }) => endRss / MIB, 0, 512),
      of('largest resident memory, with 200 inbound messages per second, MiB', ({ peakRss }) => peakRss / MIB, 0, 512),
      row('inbound messages per second, with a webhook', rate, emptyRate, 0),
      row('  of the same with an empty store', rate / emptyRate, 1, 2, 0.9, true),
      of('page of 50 of an old conversation, p50 ms', ({ page }) => page.p50, 1),
      of('page of 50 of an old conversation, p99 ms', ({ page }) => page.p99, 1, 20),
      of('status of an old message, p50 ms', ({ status }) => status.p50, 1),
      of('status of an old message, p99 ms', ({ status }) => status.p99, 1, 20),
      of('page of 50 old deliveries, p50 ms', ({ deliveries }) => deliveries.p50, 1),
      of('page of 50 old deliveries, p99 ms', ({ deliveries }) => deliveries.p99, 1),
      of('an old delivery with its body, p99 ms', ({ delivery }) => delivery.p99, 1),
      of('message of an old contact, p50 ms', ({ revived }) => revived.p50, 1),
      of('message of an old contact, p99 ms', ({ revived }) => revived.p99, 1),
      of('the next message of it, p50 ms', ({ next }) => next.p50, 1),
      of('the next message of it, p99 ms', ({ next }) => next.p99, 1),
      row('bytes written by merges, per byte of journal', mergedOf(flooded), mergedOf(floodedEmpty), 2, 2.5),
    ],
  );
  console.log(
    `${((idle - empty.startHeap) / conversations).toFixed(1)} bytes of memory per idle contact with a conversation (goal 100), of ${conversations}`,
  );
  if (messages > 0)
    console.log(
      `${(bytes / messages).toFixed(0)} bytes of disk (goal 2,048) and ${((full.startHeap - empty.startHeap) / messages).toFixed(2)} bytes of memory per message with its delivery; generated in ${(generatedMs / 1000).toFixed(0)} s`,
    );
} finally {
  rmSync(root, { recursive: true });
}

/** @returns the folder */
function generate(name: string, messages: number, conversations: number): string {
  run('generate', ['--max-old-space-size=8000'], join(root, name), String(messages), String(conversations));
  return join(root, name);
}

function run<T>(script: string, flags: readonly string[], ...args: string[]): T {
  const file = join(import.meta.dirname, 'history', `${script}.js`);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', ...flags, file, ...args], { encoding: 'utf8' })) as T;
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
