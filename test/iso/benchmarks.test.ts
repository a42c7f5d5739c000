import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { type Goal, goals } from '../../scripts/bench/goals/goals.js';
import { noCpuFigures } from '../../scripts/bench/measuring/cpu.js';
import { onlyLong } from '../forms.js';

interface Printed extends Goal {
  readonly name: string;
  readonly verdict: string;
  readonly value?: number;
  readonly missing?: string;
}

const script = fileURLToPath(new URL('../../scripts/bench/goals.js', import.meta.url));

/** One round of the goals whose names contain one of the words, with tiny counts: whether they can be measured, not how fast it is. */
async function measure(words: string): Promise<Printed[]> {
  const args = [script, '--quick', '--rounds', '1', '--scale', '0.05', '--json', '--only', words];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return (JSON.parse(stdout) as { goals: Printed[] }).goals;
}

const isStack = (name: string): boolean => name.startsWith('stack-');
const isAll = process.env.POSTHORN_BENCHMARKS === 'all';
/**
 * Every goal starts processes of its own, so every third one is measured, and none that builds the package; all of them with
 * POSTHORN_BENCHMARKS=all.
 */
const isMeasured = (name: string, i: number): boolean => !isStack(name) && (isAll || (i % 3 === 0 && name !== 'import'));

t.test('the benchmark of the goals measures them', { skip: onlyLong }, async (t) => {
  const names = Object.keys(goals).filter(isMeasured);
  t.ok(names.length > 2, names.join());
  const printed = await measure(names.join(','));
  // A name may contain another one.
  t.strictSame(
    printed.map(({ name }) => name).filter((name) => names.includes(name)),
    names,
  );
  for (const { name, value, missing, verdict } of printed) {
    if (missing !== undefined) {
      t.ok(noCpuFigures !== undefined, `${name}: ${missing}`);
      continue;
    }
    t.ok(value! > 0 && Number.isFinite(value), `${name}: ${value}`);
    t.match(verdict, /^(not )?reached$/, name);
  }
});

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const hasPostgres = existsSync('/usr/lib/postgresql');
const unable = noCpuFigures ?? (hasRedis && hasPostgres ? false : 'redis-server and postgresql are not both installed');

t.test('it compares whole stacks with BullMQ and pg-boss', { skip: onlyLong || unable }, async (t) => {
  const printed = await measure('stack');
  t.strictSame(
    printed.map(({ name }) => name),
    Object.keys(goals).filter(isStack),
  );
  for (const { name, value, missing } of printed) {
    if (name === 'stack-outpost') t.match(missing, /has no side in this benchmark/);
    else t.ok(value !== undefined && value > 0, `${name}: ${missing ?? value}`);
  }
});
