import { createHash, type Hash } from 'node:crypto';
import { Agenda, type Entry } from './agenda.js';
import { MachineClock, Process } from './process.js';
import { Random } from './random.js';
import { realSetImmediate } from './real-timers.js';

/** 2026-01-05T08:00:00Z: when each simulation begins. */
export const EPOCH_MS = Date.UTC(2026, 0, 5, 8);

/** More steps within this time mean a loop that never ends: usual are less than a thousand. */
const BUSY_MS = 1_000;
const BUSY_STEPS = 200_000;
/** Steps in a turn of the real event loop. */
const STEPS_OF_TURN = 100;
/** Characters of the trace that are hashed together. */
const HASHED_CHARS = 65_536;

/** The share of entries that run together with the previous one, if they have almost the same time, and the same process. */
const TOGETHER = 0.5;
const TOGETHER_MS = 0.05;

/**
 * Simulated time, and everything that will happen in it. One entry runs at a time; the promises that it resolves are done before the next one
 * begins. So the order of everything follows from the seed.
 */
export class World {
  readonly random: Random;
  /** Everything outside of the platforms: contacts, connectors, receivers, operators. */
  readonly outside: Process;
  /** The process whose code runs. */
  current: Process;
  /** Called for each line of the trace, for people. */
  onTrace: ((line: string) => void) | undefined;
  readonly #agenda = new Agenda();
  readonly #ties: Random;
  readonly #hash: Hash = createHash('sha256');
  /** The newest lines of the trace. */
  #unhashed = '';
  /** Milliseconds since the beginning. */
  #now = 0;
  #steps = 0;
  /** Steps since the last multiple of `BUSY_MS`. */
  #recentSteps = 0;
  #failure: { readonly error: unknown } | undefined;

  constructor(seed: string) {
    this.random = new Random(seed);
    this.#ties = this.random.stream('order');
    this.outside = this.process('outside', new MachineClock());
    this.current = this.outside;
  }

  /** True milliseconds since the beginning. */
  get now(): number {
    return this.#now;
  }

  /** How many entries have run. */
  get steps(): number {
    return this.#steps;
  }

  process(name: string, clock: MachineClock): Process {
    return new Process(name, this.random.stream(`process ${name}`), clock);
  }

  /** The wall clock of the process whose code runs, in milliseconds since 1970. */
  wallClock(): number {
    const { clock } = this.current;
    return Math.floor(EPOCH_MS + clock.offsetMs + clock.counted(this.#now));
  }

  /** The monotonic clock of the process whose code runs, in milliseconds. */
  monotonic(): number {
    return this.current.clock.counted(this.#now);
  }

  /** Runs a function in a process after true milliseconds. */
  schedule(process: Process, ms: number, run: () => void): Entry {
    const entry: Entry = { at: Math.max(this.#now + ms, process.pausedUntil), tie: this.#ties.bits(), process, run, isCancelled: false };
    this.#agenda.add(entry);
    return entry;
  }

  /** Resolves in the process whose code runs after true milliseconds. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(this.current, ms, resolve));
  }

  /** Ends a process: its code does not run any more. */
  end(process: Process): void {
    process.isAlive = false;
    this.#agenda.removeEnded();
  }

  /** Records what happened. Two runs of one seed have the same trace. */
  trace(what: string, detail = ''): void {
    const line = `${this.#now.toFixed(3)} ${this.current.name} ${what} ${detail}`;
    this.#unhashed += `${line}\n`;
    if (this.#unhashed.length > HASHED_CHARS) this.#hashLines();
    this.onTrace?.(line);
  }

  get traceHash(): string {
    this.#hashLines();
    return this.#hash.copy().digest('hex');
  }

  #hashLines(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = '';
  }

  /** Ends the simulation with an error. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** @throws Error when a process is busy all the time */
  #advance({ at, process }: Entry): void {
    this.#steps++;
    if (Math.floor(at / BUSY_MS) > Math.floor(this.#now / BUSY_MS)) this.#recentSteps = 0;
    this.#now = Math.max(this.#now, at);
    if (++this.#recentSteps > BUSY_STEPS)
      throw new Error(`${process.name} does not come to rest: more than ${BUSY_STEPS} steps in ${BUSY_MS} ms`);
  }

  /** Runs some entries of the same process and time before any promise of the first is resolved, so that their promises alternate. */
  #runTogether({ process, at }: Entry): void {
    for (;;) {
      const next = this.#agenda.peek();
      if (!next || next.process !== process || next.at > at + TOGETHER_MS || !this.#ties.chance(TOGETHER)) return;
      this.#agenda.next();
      if (next.isCancelled) continue;
      this.#advance(next);
      next.run();
    }
  }

  /**
   * Runs everything up to a time, or until `isDone`.
   * @throws what `fail` was called with
   */
  runUntil(ms: number, isDone: () => boolean = () => false): Promise<void> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const step = () => {
        if (isOver) return;
        try {
          this.current = this.outside;
          if (this.#failure) throw this.#failure.error;
          const entry = isDone() ? undefined : this.#nextUntil(ms);
          if (entry) return this.#run(entry);
          if (!isDone()) this.#now = Math.max(this.#now, ms);
          resolve();
        } catch (error) {
          reject(error);
        }
        isOver = true;
      };
      // Node does all promises that an immediate has resolved before it calls the next one. Several share a turn of its loop, which takes time.
      const turn = () => {
        if (isOver) return;
        for (let i = 0; i < STEPS_OF_TURN; i++) realSetImmediate(step);
        realSetImmediate(turn);
      };
      turn();
    });
  }

  /** Removes the next entry up to a time from the agenda. */
  #nextUntil(ms: number): Entry | undefined {
    for (;;) {
      const entry = this.#agenda.peek();
      if (!entry || entry.at > ms) return undefined;
      this.#agenda.next();
      const { process, isCancelled, at } = entry;
      if (isCancelled || !process.isAlive) continue;
      if (process.pausedUntil <= at) return entry;
      this.#agenda.add({ ...entry, at: process.pausedUntil, tie: this.#ties.bits() });
    }
  }

  #run(entry: Entry): void {
    this.#advance(entry);
    this.current = entry.process;
    entry.run();
    this.#runTogether(entry);
  }
}
