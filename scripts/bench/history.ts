// Bench: memory, start and reads with a long history of messages and deliveries on disk, beside an empty store
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Served } from './history/serve.js';
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
const MIB = 1 << 20;
/** The heap and the young generation of a container of 512 MB. */
const FLAGS = ['--max-old-space-size=320', '--max-semi-space-size=8'];

const root = mkdtempSync(join(values.folder, 'posthorn-bench-'));
try {
  const folder = (name: string): string => join(root, name);
  const { generatedMs } = run<{ generatedMs: number }>('generate', [], folder('full'), String(messages), String(conversations));
  run('generate', [], folder('empty'), '0', '0');
  const bytes = sizeOf(folder('full'));
  const full = run<Served>('serve', FLAGS, folder('full'), String(conversations));
  const empty = run<Served>('serve', FLAGS, folder('empty'), '0');
  const row = (what: string, of: (served: Served) => number, digits: number, goal?: number, isAtLeast = false) => {
    const value = of(full);
    const verdict = goal === undefined ? '' : (isAtLeast ? value >= goal : value <= goal) ? 'met' : 'MISSED';
    return [what, value.toFixed(digits), of(empty).toFixed(digits), goal === undefined ? '' : String(goal), verdict];
  };
  printTable(
    [`${messages} messages with a delivery each, in ${conversations} conversations`, 'full', 'empty', 'goal', ''],
    [
      row('start until ready, ms', ({ startMs }) => startMs, 0, 3_000),
      row('resident memory after the start, MiB', ({ startRss }) => startRss / MIB, 0),
      row('heap and buffers after the start, MiB', ({ startHeap }) => startHeap / MIB, 1),
      row('resident memory at the end, MiB', ({ endRss }) => endRss / MIB, 0, 512),
      row('largest resident memory, MiB', ({ peakRss }) => peakRss / MIB, 0, 512),
      row('inbound messages per second, with a webhook', ({ inboundPerSecond }) => inboundPerSecond, 0),
      row('  of the same with an empty store', ({ inboundPerSecond }) => inboundPerSecond / empty.inboundPerSecond, 2, 0.9, true),
      row('page of 50 of an old conversation, p50 ms', ({ page }) => page.p50, 1),
      row('page of 50 of an old conversation, p99 ms', ({ page }) => page.p99, 1, 20),
      row('status of an old message, p50 ms', ({ status }) => status.p50, 1),
      row('status of an old message, p99 ms', ({ status }) => status.p99, 1, 20),
      row('page of 50 old deliveries, p50 ms', ({ deliveries }) => deliveries.p50, 1),
      row('page of 50 old deliveries, p99 ms', ({ deliveries }) => deliveries.p99, 1),
      row('an old delivery with its body, p99 ms', ({ delivery }) => delivery.p99, 1),
      row('message of an old contact, p50 ms', ({ revived }) => revived.p50, 1),
      row('message of an old contact, p99 ms', ({ revived }) => revived.p99, 1),
      row('the next message of it, p50 ms', ({ next }) => next.p50, 1),
      row('the next message of it, p99 ms', ({ next }) => next.p99, 1),
    ],
  );
  if (messages > 0)
    console.log(
      `${(bytes / messages).toFixed(0)} bytes of disk (goal 2,048) and ${((full.startHeap - empty.startHeap) / messages).toFixed(2)} bytes of memory per message with its delivery; generated in ${(generatedMs / 1000).toFixed(0)} s`,
    );
} finally {
  rmSync(root, { recursive: true });
}

function run<T>(script: string, flags: readonly string[], ...args: string[]): T {
  const file = join(import.meta.dirname, 'history', `${script}.js`);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', ...flags, file, ...args], { encoding: 'utf8' })) as T;
}

function sizeOf(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
