// Bench: from starting the process to the line that says it is ready, as a ratio to a hapi server with two children
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, printTable } from './table.js';

const ROUNDS = 7;
const compiled = (file: string): string => join(import.meta.dirname, '..', '..', file);
const main = compiled('sandbox/main.js');
const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));

/** What is started, with the arguments of Node. A number in them is the round. */
const cases: Readonly<Record<string, (round: number) => string[]>> = {
  'floor: hapi and two children': () => [compiled('scripts/bench/start-floor.js')],
  'posthorn --version': () => [main, '--version'],
  'sandbox, empty': () => [main, '--port', '0', '--json', '--seed', 'empty'],
  'sandbox, demo in memory': () => [main, '--port', '0', '--json'],
  'sandbox, demo in a new folder': (round) => [main, '--port', '0', '--json', '--data', join(folder, String(round))],
  'sandbox, demo in a used folder': () => [main, '--port', '0', '--json', '--data', join(folder, '0')],
};

/** Milliseconds until the process prints something; then it is ended. */
async function timeOf(args: readonly string[]): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const ms = performance.now() - began;
  child.kill();
  await ended;
  return ms;
}

// Taken in turns, so that a busy moment of the machine falls on all of them.
const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(cases)) times.get(name)!.push(await timeOf(args(round)));
}
rmSync(folder, { recursive: true });

const [floor] = [...times.values()].map(median);
printTable(
  [`median of ${ROUNDS}`, 'ms', 'least', 'ratio'],
  [...times].map(([name, all]) => {
    const middle = median(all);
    return [name, middle.toFixed(0), Math.min(...all).toFixed(0), (middle / floor!).toFixed(2)];
  }),
);
