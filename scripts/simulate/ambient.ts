import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Entry } from './agenda.js';
import { realDate } from './real-timers.js';
import type { World } from './world.js';

/** The world that the replaced functions belong to. */
let world: World | undefined;

/**
 * Replaces what programs take from their surroundings, time, timers and randomness, by those of a world, until the function that it returns is
 * called. Code that runs in the world cannot tell. Timers of Node's own modules stay real; the ports of the simulated platforms use none of them.
 */
export function enter(entered: World): () => void {
  if (world) throw new Error('one simulation at a time runs in a process');
  world = entered;
  const restore = [
    ...Object.entries(globals).map(([name, value]) => replace(globalThis, name, value)),
    ...Object.entries(randomness).map(([name, value]) => replace(crypto, name, value)),
    ...Object.entries(promises).map(([name, value]) => replace(timersPromises, name, value)),
    replace(performance, 'now', () => world!.monotonic()),
    replace(Math, 'random', () => world!.current.random.unit()),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
    world = undefined;
  };
}

function replace(target: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: before?.enumerable ?? true });
  return () => {
    if (before) Object.defineProperty(target, name, before);
    else Reflect.deleteProperty(target, name);
  };
}

type Callback = (...args: unknown[]) => void;

/** A timer of `setTimeout`, `setInterval` or `setImmediate`. */
class SimulatedTimer {
  #entry: Entry | undefined;
  readonly #begin: () => Entry;

  constructor(begin: () => Entry) {
    this.#begin = begin;
    this.#entry = begin();
  }

  /** The entry runs and begins again, for `setInterval`. */
  again(): void {
    if (this.#entry && !this.#entry.isCancelled) this.#entry = this.#begin();
  }

  cancel(): void {
    if (this.#entry) this.#entry.isCancelled = true;
  }

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  refresh(): this {
    this.cancel();
    this.#entry = this.#begin();
    return this;
  }

  close(): this {
    this.cancel();
    return this;
  }

  [Symbol.toPrimitive](): number {
    return 1;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

/** Node counts whole milliseconds, at least one; a longer delay than it knows becomes one. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const delayOf = (ms: unknown): number => {
  const delay = Math.trunc(Number(ms));
  return delay >= 1 && delay <= MAX_TIMEOUT_MS ? delay : 1;
};

/** A delay of the process's clock in true milliseconds. */
const trueMs = (ms: number): number => ms / world!.current.clock.rate;

/** An error in a timer ends a process; here it ends the simulation, which reports it. */
const guarded = (callback: Callback, args: unknown[]) => () => {
  try {
    callback(...args);
  } catch (error) {
    world!.fail(error);
  }
};

function setTimeout(callback: Callback, ms?: number, ...args: unknown[]): SimulatedTimer {
  const { current } = world!;
  return new SimulatedTimer(() => world!.schedule(current, trueMs(delayOf(ms)), guarded(callback, args)));
}

function setInterval(callback: Callback, ms?: number, ...args: unknown[]): SimulatedTimer {
  const { current } = world!;
  const run = guarded(callback, args);
  const timer: SimulatedTimer = new SimulatedTimer(() =>
    world!.schedule(current, trueMs(delayOf(ms)), () => {
      run();
      timer.again();
    }),
  );
  return timer;
}

function setImmediate(callback: Callback, ...args: unknown[]): SimulatedTimer {
  const { current } = world!;
  return new SimulatedTimer(() => world!.schedule(current, 0, guarded(callback, args)));
}

const clear = (timer: SimulatedTimer | undefined): void => {
  if (timer instanceof SimulatedTimer) timer.cancel();
};

function SimulatedDate(...args: unknown[]): Date | string {
  if (!new.target) return new realDate(world!.wallClock()).toString();
  return args.length === 0 ? new realDate(world!.wallClock()) : new realDate(...(args as [number]));
}
SimulatedDate.prototype = realDate.prototype;
Object.assign(SimulatedDate, { now: () => world!.wallClock(), parse: realDate.parse, UTC: realDate.UTC });

const globals = {
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout: clear,
  clearInterval: clear,
  clearImmediate: clear,
  Date: SimulatedDate,
};

interface WaitOptions {
  readonly signal?: AbortSignal;
}

/** Resolves when `begin` calls back; rejects when the signal aborts. */
function wait<T>(begin: (done: () => void) => SimulatedTimer, value: T, { signal }: WaitOptions = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      timer.cancel();
      reject(signal!.reason);
    };
    if (signal?.aborted) return reject(signal.reason);
    const timer = begin(() => {
      signal?.removeEventListener('abort', aborted);
      resolve(value);
    });
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

const promises = {
  setTimeout: <T>(ms?: number, value?: T, options?: WaitOptions) => wait((done) => setTimeout(done, ms), value, options),
  setImmediate: <T>(value?: T, options?: WaitOptions) => wait((done) => setImmediate(done), value, options),
};

const HEX_OF_UUID = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/;

const randomness = {
  randomBytes: (size: number) => world!.current.random.fill(Buffer.alloc(size)),
  randomFillSync: <T extends NodeJS.ArrayBufferView>(view: T) => world!.current.random.fill(view),
  randomInt: (...range: [number] | [number, number]) => {
    const [min, max] = range.length === 1 ? [0, range[0]] : range;
    const { random } = world!.current;
    return min + Math.floor(((random.bits() * 2 ** 21 + (random.bits() >>> 11)) / 2 ** 53) * (max - min));
  },
  randomUUID: () => {
    const variant = '89ab'[world!.current.random.below(4)];
    return world!.current.random.fill(Buffer.alloc(16)).toString('hex').replace(HEX_OF_UUID, `$1-$2-4$3-${variant}$4-$5`);
  },
};
