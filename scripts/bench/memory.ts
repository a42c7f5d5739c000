// Bench: heap and disk per answered message of a contact, by length and number of contacts
import { execFileSync } from 'node:child_process';
import { type Kept, texts } from './limits/texts.js';
import { printTable } from './measuring/table.js';

const MIB = 1 << 20;
const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(1);

const rows = Object.entries(texts).map(([name, { count, length, what }]) => {
  const script = `${import.meta.dirname}/limits/keep-texts.js`;
  const stored = JSON.parse(execFileSync(process.execPath, ['--expose-gc', script, name], { encoding: 'utf8' })) as Kept;
  const input = count * length;
  return [
    what,
    String(count),
    kilobytes(stored.heap / count),
    kilobytes(stored.diskRunning / count),
    kilobytes(stored.diskStopped / count),
    ...[stored.heap, stored.diskRunning, stored.diskStopped].map((bytes) => (bytes / input).toFixed(2)),
    (input / MIB).toFixed(1),
  ];
});
printTable(
  ['each, in KB', 'count', 'heap', 'disk', 'disk, stopped', 'heap / input', 'disk / input', 'stopped / input', 'input, MiB'],
  rows,
);
