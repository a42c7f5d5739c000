// Bench: memory and disk per message, delivery and conversation, and the start time with many of them
import { rmSync } from 'node:fs';
import { type Kind, kinds } from './limits/kinds.js';
import { measure, newRoot, ROUNDS } from './limits/measure.js';
import { printTable } from './measuring/table.js';

const MIB = 1 << 20;
const root = newRoot();

const wanted = process.argv.slice(2) as Kind[];
try {
  const measured = (Object.keys(kinds) as Kind[])
    .filter((kind) => wanted.length === 0 || wanted.includes(kind))
    .map((kind) => measure(root, kind));
  const nothing = measured.find(({ kind }) => kind === 'empty');
  const each = (bytes: number, count: number): string => (count === 0 || bytes === 0 ? '' : (bytes / count).toFixed(0));
  printTable(
    [`median of ${ROUNDS} starts`, 'count', 'disk, bytes each', 'heap, bytes each', 'RSS, MiB', 'start, ms', 'CPU, ms'],
    measured.map(({ kind, filled, ms, cpuMs, heap, rss }) => {
      const { what, conversations, messages, waiting, over, isKilled } = kinds[kind];
      const count = kind === 'mixed' ? 100_000 : Math.max(waiting, over, messages) || conversations;
      const numbers = [count, each(isKilled ? 0 : filled.after, count), each(heap - (nothing?.heap ?? 0), count)];
      return [what, ...[...numbers, (rss / MIB).toFixed(0), ms.toFixed(0), cpuMs.toFixed(0)].map(String)];
    }),
  );
  printTable(
    ['disk, MiB', 'remaining journal', 'before the merge', 'maximum', 'after', 'merges: journal', 'written', 'written / journal'],
    measured.map(({ kind, filled: { journal, before, max, after, merges }, writeAmplification }) => [
      kinds[kind].what,
      ...[journal, before, max, after, merges.journal, merges.written].map((bytes) => (bytes / MIB).toFixed(1)),
      writeAmplification.toFixed(2),
    ]),
  );
} finally {
  rmSync(root, { recursive: true });
}
