// Rounds in which several sides do the same work.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mainThreadMs, noCpuFigures, quiet, treeMs } from './cpu.js';
import { median } from './table.js';

/** One of the compared programs. It stays up for all rounds, so that each round meets code that V8 has already optimized. */
export interface Side<Round> {
  readonly name: string;
  round(): Promise<Round>;
  stop(): Promise<void>;
}

/**
 * Runs a warm-up round and then `rounds` rounds of every side. Each round begins with another side, so that no side always follows
 * the same one. Stops the sides at the end, also after an error.
 * @returns the rounds of each side, in order; the warm-up is left out
 */
export async function alternate<Round>(sides: readonly Side<Round>[], rounds: number): Promise<Map<string, Round[]>> {
  const measured = new Map(sides.map(({ name }) => [name, [] as Round[]]));
  try {
    for (let round = -1; round < rounds; round++) {
      for (let n = 0; n < sides.length; n++) {
        const side = sides[(n + round + 1) % sides.length]!;
        const result = await side.round();
        if (round >= 0) measured.get(side.name)!.push(result);
      }
    }
  } finally {
    for (const side of sides) await side.stop();
  }
  return measured;
}

/** The cost of a piece of work. CPU times are NaN if the system does not report them (`noCpuFigures`). */
export interface Cost {
  readonly ms: number;
  /** Of the first process's main thread, until all processes are idle again. */
  readonly mainMs: number;
  /** Of all processes with their threads and children, until they are idle again. */
  readonly cpuMs: number;
}

/** Measures `work`, which resolves when everything it started is delivered, in a stack of processes; the first is the Node server. */
export async function costOf(pids: readonly number[], work: () => Promise<void>): Promise<Cost> {
  await quiet(pids);
  const has = noCpuFigures === undefined;
  const [main, cpu] = has ? [mainThreadMs(pids[0]!), treeMs(pids)] : [Number.NaN, Number.NaN];
  const began = performance.now();
  await work();
  const ms = performance.now() - began;
  await quiet(pids);
  return { ms, mainMs: has ? mainThreadMs(pids[0]!) - main : Number.NaN, cpuMs: has ? treeMs(pids) - cpu : Number.NaN };
}

/** A median of several rounds, with the extremes. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The ratio of two sides, from the values of the same rounds. */
export function ratioOf<Round>(ours: readonly Round[], theirs: readonly Round[], read: (round: Round) => number): Spread {
  return spreadOf(ours.map((round, n) => read(round) / read(theirs[n]!)));
}

/** Resolves with the next message of a child process. @throws when the child ends instead */
export async function messageOf<T>(child: ChildProcess, what: string): Promise<T> {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = once(child, 'exit', { signal }).then(([code]) => Promise.reject(new Error(`${what} ended with exit code ${code}`)));
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [T];
    return message;
  } finally {
    stop.abort();
    ended.catch(() => undefined);
  }
}

/** Ends a child process that stops when its IPC channel closes. */
export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  await ended;
}

/** Calls `work` with the numbers from 0 to `count - 1`, at most `atOnce` at the same time. */
export async function inParallel(count: number, atOnce: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let n = next++; n < count; n = next++) await work(n);
    }),
  );
}
