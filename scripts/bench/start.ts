// Bench: time from the start of the process to its ready line, as a ratio to a hapi server with two child processes
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, printTable } from './measuring/table.js';

const ROUNDS = 7;
const compiled = (file: string): string => join(import.meta.dirname, '..', '..', file);
const main = compiled('sandbox/main.js');
const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));

/** The measured commands, as arguments of Node; they can depend on the round. */
const cases: Readonly<Record<string, (round: number) => string[]>> = {
  'floor: hapi and two children': () => [compiled('scripts/bench/start-floor.js')],
  'posthorn --version': () => [main, '--version'],
  'sandbox, empty': () => [main, '--port', '0', '--json', '--seed', 'empty'],
  'sandbox, demo in memory': () => [main, '--port', '0', '--json'],
  'sandbox, demo in a new folder': (round) => [main, '--port', '0', '--json', '--data', join(folder, String(round))],
  'sandbox, demo in a used folder': () => [main, '--port', '0', '--json', '--data', join(folder, '0')],
};

/** Milliseconds until the process prints something. Then kills it. */
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

// The cases alternate in every round, so that machine load affects all of them alike.
const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, args] of Object.entries(cases)) times.get(name)!.push(await timeOf(args(round)));
}
rmSync(folder, { recursive: true });

const [floor] = [...times.values()].map(median);
printTable(
  [`median of ${ROUNDS}`, 'ms', 'min', 'ratio'],
  [...times].map(([name, all]) => {
    const middle = median(all);
    return [name, middle.toFixed(0), Math.min(...all).toFixed(0), (middle / floor!).toFixed(2)];
  }),
);
