// Bench: memory and disk per message, delivery and conversation, and the start time with many of them
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kind, kinds } from './limits/kinds.js';
import { median, printTable } from './table.js';

const ROUNDS = 3;
const MIB = 1 << 20;
const root = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));

/** Runs a script of this benchmark in its own process. @returns its output */
function run<T>(script: 'fill' | 'open', ...args: string[]): T {
  const file = join(import.meta.dirname, 'limits', `${script}.js`);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', file, ...args], { encoding: 'utf8' })) as T;
}

interface Filled {
  readonly before: number;
  readonly max: number;
  readonly after: number;
  readonly journal: number;
}

interface Opened {
  readonly ms: number;
  readonly cpuMs: number;
  readonly heap: number;
  readonly rss: number;
  readonly peak: number;
}

function measure(kind: Kind) {
  const [folder, copy] = [join(root, kind), join(root, 'copy')];
  mkdirSync(folder);
  const filled = run<Filled>('fill', folder, kind);
  const runs = Array.from({ length: ROUNDS }, () => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder, copy, { recursive: true });
    rmSync(join(copy, 'lock'), { force: true });
    return run<Opened>('open', copy);
  });
  rmSync(folder, { recursive: true });
  const of = (what: keyof Opened): number => median(runs.map((opened) => opened[what]));
  return { kind, filled, ms: of('ms'), cpuMs: of('cpuMs'), heap: of('heap'), rss: of('rss'), peak: of('peak') };
}

const wanted = process.argv.slice(2) as Kind[];
try {
  const measured = (Object.keys(kinds) as Kind[]).filter((kind) => wanted.length === 0 || wanted.includes(kind)).map(measure);
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
    ['disk, MiB', 'remaining journal', 'before the merge', 'maximum', 'after'],
    measured.map(({ kind, filled: { journal, before, max, after } }) => [
      kinds[kind].what,
      ...[journal, before, max, after].map((bytes) => (bytes / MIB).toFixed(1)),
    ]),
  );
} finally {
  rmSync(root, { recursive: true });
}
