import { EventEmitter } from 'node:events';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { TaskFailed, type TaskFailure, type TaskType, type WorkerBatch, type WorkerPool } from '../../ports/workers.js';
import { SpareThreads } from '../spare-threads.js';
import { messageOf, stackOf, stopped } from './task-module.js';
import { type Batch, type BatchResult, since, type WorkerSettings } from './worker-entry.js';

export interface PiscinaPoolOptions {
  /** Maximum threads; the number of cores, but 2 to 4, if not given. */
  readonly maxThreads?: number;
  /** Milliseconds after which an idle thread ends, except the first; 5000 if not given. */
  readonly idleMs?: number;
  /** Heap of a thread in MiB; Node's default if not given. A task that needs more kills its worker. */
  readonly heapMiB?: number;
  /** Called when a worker dies while idle, because of work that a task started and did not finish. The worker is replaced. */
  readonly onError?: (error: Error) => void;
  /** Called when a batch has returned. */
  readonly onBatch?: (batch: WorkerBatch) => void;
  /** Whether the threads serve the next pool of this process with the same settings, if it is created soon after this one has stopped. */
  readonly leavesThreads?: boolean;
}

type AnyTask = TaskType<unknown, unknown>;

interface Call {
  readonly input: unknown;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: TaskFailed) => void;
}

/** Calls that are sent, or will be sent, as one batch. */
interface PendingBatch {
  readonly type: AnyTask;
  readonly calls: Call[];
  weight: number;
  /** When its first call was made, for tasks with `gatherMs`. */
  readonly since: number;
  /** Only loads the module. */
  readonly isCheck?: boolean;
  /** Retries a single call from a batch whose worker died, possibly because of another call. */
  readonly isSecond?: boolean;
}

/**
 * A slot for one batch in progress. Piscina accepts the emitter as an abort signal; it is cheaper than a new AbortController
 * per batch.
 */
interface Slot {
  readonly index: number;
  readonly ending: EventEmitter;
}

const spare = new SpareThreads<{ readonly piscina: Piscina; readonly settings: WorkerSettings }>();

const UNBUNDLED = 'bundlers leave the files of workers out: do not bundle posthorn, keep it external';
const MAX_CALLS = 64;
const MAX_WEIGHT = 256 * 1024;
/** A heavier input is sent in a batch of its own. */
const ALONE_WEIGHT = 64 * 1024;
/** A view that is this much smaller than its buffer is copied first, because cloning it would clone the whole buffer. */
const SLACK_BYTES = 16 * 1024;
/** Number of fields of an input that are checked for such views. */
const MAX_FIELDS = 16;

/**
 * Runs tasks in worker threads. Calls made in one turn of the event loop, or while all threads are busy, are sent as one batch
 * per task; calls of a quick task also while a worker runs another batch of that task. Bytes are cloned, not transferred: the caller keeps
 * its buffer, so a transfer would need a copy first and cost the main thread no less.
 */
export class PiscinaPool implements WorkerPool {
  readonly #options: PiscinaPoolOptions;
  readonly #maxThreads: number;
  #settings: WorkerSettings;
  readonly #allSlots: readonly Slot[];
  readonly #slots: Slot[];
  readonly #waiting: PendingBatch[] = [];
  /** Per task, the queued batch that has room left. */
  readonly #open = new Map<AnyTask, PendingBatch>();
  readonly #away = new Set<PendingBatch>();
  /** Set once any worker has started a batch. */
  #hasRunBatch = false;
  /** Why no worker can start. */
  #unloadable: Error | undefined;
  #piscina: Piscina | undefined;
  #scheduled = false;
  /** Set while a batch is delayed by the `gatherMs` of its task. */
  #gathering: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  constructor(options: PiscinaPoolOptions = {}) {
    this.#options = options;
    this.#maxThreads = options.maxThreads ?? Math.max(2, Math.min(4, availableParallelism()));
    this.#settings = {
      startedAt: new Int32Array(new SharedArrayBuffer(this.#maxThreads * Int32Array.BYTES_PER_ELEMENT)),
    };
    this.#allSlots = Array.from({ length: this.#maxThreads }, (_, index) => ({ index, ending: new EventEmitter() }));
    this.#slots = [...this.#allSlots];
  }

  run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out> {
    if (this.#stopped) return Promise.reject(stopped(type));
    return new Promise<Out>((resolve, reject) => {
      const call = { input: withoutSlack(input), resolve: resolve as Call['resolve'], reject };
      this.#add(type as AnyTask, call, type.weigh(input));
    });
  }

  async check(type: TaskType<never, unknown>): Promise<void> {
    if (type.module.protocol === 'file:') {
      const file = fileURLToPath(type.module);
      await access(file).catch(() => {
        throw new TaskFailed(type.name, 'cannot be loaded', `the file ${file} does not exist; ${UNBUNDLED}`);
      });
    }
    if (this.#stopped) throw stopped(type);
    await new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ type: type as AnyTask, calls: [{ input: undefined, resolve, reject }], weight: 0, since: 0, isCheck: true });
      this.#schedule();
    });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    if (this.#away.size > 0 || this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    if (this.#piscina && this.#options.leavesThreads && !this.#unloadable) {
      this.#piscina.removeAllListeners('error');
      spare.keep(this.#threadSettings, { piscina: this.#piscina, settings: this.#settings });
    } else await this.#piscina?.destroy();
  }

  get #threadSettings(): string {
    const { idleMs, heapMiB } = this.#options;
    return JSON.stringify([this.#maxThreads, idleMs, heapMiB]);
  }

  #add(type: AnyTask, call: Call, weight: number): void {
    let pending = weight > ALONE_WEIGHT ? undefined : this.#open.get(type);
    if (!pending || pending.weight + weight > MAX_WEIGHT) {
      pending = { type, calls: [], weight: 0, since: type.gatherMs === 0 ? 0 : performance.now() };
      this.#waiting.push(pending);
      if (weight <= ALONE_WEIGHT) this.#open.set(type, pending);
    }
    pending.calls.push(call);
    pending.weight += weight;
    if (pending.calls.length === MAX_CALLS) this.#open.delete(type);
    this.#schedule();
  }

  /** Sends the batches at the end of this turn of the event loop, when they are complete. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    clearTimeout(this.#gathering);
    while (this.#away.size < this.#maxThreads) {
      const next = this.#waiting.findIndex((pending) => this.#delayOf(pending) === 0);
      if (next < 0) break;
      const [pending] = this.#waiting.splice(next, 1) as [PendingBatch];
      if (this.#open.get(pending.type) === pending) this.#open.delete(pending.type);
      this.#away.add(pending);
      void this.#dispatch(pending).finally(() => {
        this.#away.delete(pending);
        if (this.#waiting.length > 0) this.#schedule();
        else if (this.#away.size === 0) this.#onIdle?.();
      });
    }
    if (this.#away.size === this.#maxThreads) return;
    const delayMs = Math.min(...this.#waiting.map((pending) => this.#delayOf(pending)));
    if (Number.isFinite(delayMs)) this.#gathering = setTimeout(() => this.#flush(), Math.ceil(delayMs));
  }

  /**
   * Milliseconds to delay a batch so that it gets larger: it has room, and a worker will soon return another batch of the same task. A
   * running batch of a single heavy call does not count. Infinite for quick tasks, which wait for that batch however long it takes.
   */
  #delayOf(pending: PendingBatch): number {
    const { type, since } = pending;
    if (!(type.quick || type.gatherMs > 0) || this.#open.get(type) !== pending) return 0;
    for (const other of this.#away) {
      if (other.type !== type || other.weight > MAX_WEIGHT) continue;
      return type.quick ? Number.POSITIVE_INFINITY : Math.max(0, since + type.gatherMs - performance.now());
    }
    return 0;
  }

  async #dispatch(pending: PendingBatch): Promise<void> {
    const { type, calls, isCheck = false, isSecond = false } = pending;
    const slot = this.#slots.pop() as Slot;
    const piscina = this.#threads();
    const limit = this.#limit(slot, type.limitMs);
    const startedAt = performance.now();
    const { length } = calls;
    try {
      if (this.#unloadable) throw this.#unloadable;
      const inputs = isCheck ? [] : calls.map(({ input }) => input);
      const batch: Batch = { module: type.module.href, slot: slot.index, inputs, isCareful: isSecond };
      settle(pending, (await piscina.run(batch, { signal: slot.ending })) as BatchResult);
    } catch (error) {
      if (this.#unloadable) {
        const message = `no worker starts: ${messageOf(this.#unloadable)}; ${UNBUNDLED}`;
        for (const { reject } of calls) reject(new TaskFailed(type.name, 'cannot be loaded', message));
        return;
      }
      // One of these calls killed the worker, or unfinished work of an earlier task did. Retry the calls one by one, so that a
      // crashing call fails alone.
      if (calls.length > 1 || (!isSecond && !limit.isOver())) {
        this.#waiting.unshift(...calls.map((call) => ({ ...pending, calls: [call], isSecond: true })));
      } else {
        calls[0]?.reject(failure(type, error, limit.isOver()));
      }
    } finally {
      this.#hasRunBatch ||= this.#hasStarted(slot);
      limit.stop();
      this.#slots.push(slot);
      if (!isCheck) this.#options.onBatch?.({ task: type.name, calls: length, ms: performance.now() - startedAt });
    }
  }

  #hasStarted({ index }: Slot): boolean {
    return Atomics.load(this.#settings.startedAt, index) !== 0;
  }

  /**
   * Handles a worker that died while idle. If no worker has ever started a batch, none will: Piscina would retry forever
   * without reporting it.
   */
  #died(error: Error): void {
    this.#options.onError?.(error);
    if (this.#hasRunBatch || this.#allSlots.some((slot) => this.#hasStarted(slot))) return;
    this.#unloadable = error;
    for (const { ending } of this.#allSlots) ending.emit('abort');
  }

  /** Ends the worker when its batch exceeds the limit, counted from when the thread started the batch. */
  #limit({ index, ending }: Slot, limitMs: number): { isOver: () => boolean; stop: () => void } {
    const { startedAt } = this.#settings;
    let isOver = false;
    Atomics.store(startedAt, index, 0);
    const check = () => {
      const began = Atomics.load(startedAt, index);
      const remainingMs = began === 0 ? limitMs : limitMs - since(began);
      isOver = remainingMs <= 0;
      if (isOver) ending.emit('abort');
      else timer = setTimeout(check, remainingMs);
    };
    // Not unref'd: while a worker is being replaced, only this timer keeps the process alive for the waiting calls.
    let timer = setTimeout(check, limitMs);
    return { isOver: () => isOver, stop: () => clearTimeout(timer) };
  }

  #threads(): Piscina {
    if (this.#piscina) return this.#piscina;
    const left = this.#options.leavesThreads ? spare.take(this.#threadSettings) : undefined;
    if (left) this.#settings = left.settings;
    this.#piscina = left?.piscina ?? this.#newThreads();
    this.#piscina.on('error', (error: Error) => this.#died(error));
    return this.#piscina;
  }

  #newThreads(): Piscina {
    const { idleMs = 5000, heapMiB } = this.#options;
    // Loaded with the first thread, which takes longer to start than this import.
    const { Piscina }: typeof import('piscina') = createRequire(import.meta.url)('piscina');
    return new Piscina({
      // A path, because Piscina would convert a URL for every task.
      filename: fileURLToPath(new URL('./worker-entry.js', import.meta.url)),
      minThreads: 1,
      maxThreads: this.#maxThreads,
      idleTimeout: idleMs,
      recordTiming: false,
      workerData: this.#settings,
      ...(heapMiB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMiB } }),
    });
  }
}

/** Settles the calls of a batch and empties the batch. */
function settle({ type, calls }: PendingBatch, { outputs, failures, unloadable }: BatchResult): void {
  if (unloadable) {
    for (const { reject } of calls) reject(new TaskFailed(type.name, 'cannot be loaded', unloadable.message, unloadable.stack));
    return;
  }
  for (const { index, message, stack } of failures) calls[index]?.reject(new TaskFailed(type.name, 'threw', message, stack));
  // Resolving a rejected promise does nothing.
  for (let index = 0; index < calls.length; index++) calls[index]?.resolve(outputs[index]);
  // V8 keeps old tables of the set and the map of running batches until the next full collection. An empty batch keeps no outputs alive.
  calls.length = 0;
  outputs.length = 0;
}

function failure(type: AnyTask, error: unknown, timedOut: boolean): TaskFailed {
  if (timedOut) return new TaskFailed(type.name, 'timed out', `it ran for more than ${type.limitMs} ms`);
  const reason: TaskFailure = error instanceof Error && error.name === 'DataCloneError' ? 'threw' : 'worker died';
  return new TaskFailed(type.name, reason, messageOf(error), stackOf(error));
}

/** Returns the input with small views of large buffers, at the top level or in its first fields, replaced by copies. */
function withoutSlack<In>(input: In): In {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  if (hasSlack(input)) return new Uint8Array(input) as In;
  let trimmed: In | undefined;
  let fields = 0;
  for (const field in input) {
    if (fields++ === MAX_FIELDS) break;
    const value: unknown = input[field];
    if (!hasSlack(value)) continue;
    trimmed ??= { ...input };
    trimmed[field] = new Uint8Array(value) as In[typeof field];
  }
  return trimmed ?? input;
}

function hasSlack(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.buffer.byteLength - value.byteLength > SLACK_BYTES;
}
