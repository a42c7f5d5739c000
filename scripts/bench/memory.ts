// Bench: heap and disk per answered message of a contact, by length and number of contacts
import { execFileSync } from 'node:child_process';
import { type Kept, texts } from './limits/texts.js';
import { printTable } from './table.js';

const MIB = 1 << 20;
const kilobytes = (bytes: number): string => (bytes / 1_000).toFixed(1);

const rows = Object.entries(texts).map(([name, { count, length, what }]) => {
  const script = `${import.meta.dirname}/limits/keep-texts.js`;
  const kept = JSON.parse(execFileSync(process.execPath, ['--expose-gc', script, name], { encoding: 'utf8' })) as Kept;
  const input = count * length;
  return [
    what,
    String(count),
    kilobytes(kept.heap / count),
    kilobytes(kept.diskRunning / count),
    kilobytes(kept.diskStopped / count),
    ...[kept.heap, kept.diskRunning, kept.diskStopped].map((bytes) => (bytes / input).toFixed(2)),
    (input / MIB).toFixed(1),
  ];
});
printTable(
  ['each, in KB', 'count', 'heap', 'disk', 'disk, stopped', 'heap / input', 'disk / input', 'stopped / input', 'input, MiB'],
  rows,
);
