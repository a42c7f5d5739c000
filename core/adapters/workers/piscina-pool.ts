import { EventEmitter } from 'node:events';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import { TaskFailed, type TaskFailure, type TaskType, type WorkerBatch, type WorkerPool } from '../../ports/workers.js';
import { messageOf, stackOf, stopped } from './task-module.js';
import { type Batch, type BatchResult, since, type WorkerSettings } from './worker-entry.js';

export interface PiscinaPoolOptions {
  /** The most threads; the number of cores, but no more than 4, if not given. */
  readonly maxThreads?: number;
  /** How long a thread beyond the first may have nothing to do before it ends; 5000 if not given. */
  readonly idleMs?: number;
  /** The heap of one thread, in MiB; what Node gives a thread if not given. A task that needs more kills its worker. */
  readonly heapMiB?: number;
  /** Hears of a worker that died while it had nothing to do, by something a task had left behind. It is replaced. */
  readonly onError?: (error: Error) => void;
  /** Hears of every batch that has come back. */
  readonly onBatch?: (batch: WorkerBatch) => void;
}

type AnyTask = TaskType<unknown, unknown>;

interface Call {
  readonly input: unknown;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: TaskFailed) => void;
}

/** Calls that will travel, or travel, together. */
interface PendingBatch {
  readonly type: AnyTask;
  readonly calls: Call[];
  weight: number;
  /** It only loads the module. */
  readonly isCheck?: boolean;
  /** The one call has died before, perhaps by no fault of its own. */
  readonly isSecond?: boolean;
}

/** A place for a pending under way. Piscina takes the emitter for a signal; it costs less than a new AbortController each time. */
interface Slot {
  readonly index: number;
  readonly ending: EventEmitter;
}

const UNBUNDLED = 'bundlers leave the files of workers out: do not bundle posthorn, keep it external';
const MAX_CALLS = 64;
const MAX_WEIGHT = 256 * 1024;
/** A heavier input travels alone. */
const ALONE_WEIGHT = 64 * 1024;
/** A view that is this much smaller than its buffer is copied first, because the clone would take the whole buffer along. */
const SLACK_BYTES = 16 * 1024;
/** How many fields of an input are looked at for such views. */
const MAX_FIELDS = 16;

/**
 * Tasks in worker threads. Calls made in one turn of the event loop, or while all threads are busy, travel together, per
 * task; those of a quick task also while others of it are away. Bytes are cloned and not transferred: that costs the main thread no more than the copy it would have to make
 * first, as the caller keeps its buffer.
 */
export class PiscinaPool implements WorkerPool {
  readonly #options: PiscinaPoolOptions;
  readonly #maxThreads: number;
  readonly #settings: WorkerSettings;
  readonly #allSlots: readonly Slot[];
  readonly #slots: Slot[];
  readonly #waiting: PendingBatch[] = [];
  /** The waiting pending of each task that has room left. */
  readonly #open = new Map<AnyTask, PendingBatch>();
  readonly #away = new Set<PendingBatch>();
  /** Some worker has got so far that it took up a batch. */
  #hasWorked = false;
  /** Why no worker ever does. */
  #unloadable: Error | undefined;
  #piscina: Piscina | undefined;
  #scheduled = false;
  #stopped: Promise<void> | undefined;
  #onQuiet: (() => void) | undefined;

  constructor(options: PiscinaPoolOptions = {}) {
    this.#options = options;
    this.#maxThreads = options.maxThreads ?? Math.max(1, Math.min(4, availableParallelism()));
    this.#settings = {
      begun: new Int32Array(new SharedArrayBuffer(this.#maxThreads * Int32Array.BYTES_PER_ELEMENT)),
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
        throw new TaskFailed(type.name, 'cannot be loaded', `there is no file ${file}; ${UNBUNDLED}`);
      });
    }
    if (this.#stopped) throw stopped(type);
    await new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ type: type as AnyTask, calls: [{ input: undefined, resolve, reject }], weight: 0, isCheck: true });
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
        this.#onQuiet = resolve;
      });
    }
    await this.#piscina?.destroy();
  }

  #add(type: AnyTask, call: Call, weight: number): void {
    let pending = weight > ALONE_WEIGHT ? undefined : this.#open.get(type);
    if (!pending || pending.weight + weight > MAX_WEIGHT) {
      pending = { type, calls: [], weight: 0 };
      this.#waiting.push(pending);
      if (weight <= ALONE_WEIGHT) this.#open.set(type, pending);
    }
    pending.calls.push(call);
    pending.weight += weight;
    if (pending.calls.length === MAX_CALLS) this.#open.delete(type);
    this.#schedule();
  }

  /** Batches leave at the end of this turn of the event loop, when all who want to come along have come. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#away.size < this.#maxThreads) {
      const next = this.#waiting.findIndex((pending) => !this.#waitsForMore(pending));
      if (next < 0) break;
      const [pending] = this.#waiting.splice(next, 1) as [PendingBatch];
      if (this.#open.get(pending.type) === pending) this.#open.delete(pending.type);
      this.#away.add(pending);
      void this.#dispatch(pending).finally(() => {
        this.#away.delete(pending);
        if (this.#waiting.length > 0) this.#schedule();
        else if (this.#away.size === 0) this.#onQuiet?.();
      });
    }
  }

  /** It has room left, and what is away of its task will be back at once; unless that is one so heavy that it travels alone. */
  #waitsForMore(pending: PendingBatch): boolean {
    if (!pending.type.quick || this.#open.get(pending.type) !== pending) return false;
    for (const { type, weight } of this.#away) if (type === pending.type && weight <= MAX_WEIGHT) return true;
    return false;
  }

  async #dispatch(pending: PendingBatch): Promise<void> {
    const { type, calls, isCheck = false, isSecond = false } = pending;
    const slot = this.#slots.pop() as Slot;
    const limit = this.#limit(slot, type.limitMs);
    const left = performance.now();
    try {
      if (this.#unloadable) throw this.#unloadable;
      const inputs = isCheck ? [] : calls.map(({ input }) => input);
      const batch: Batch = { module: type.module.href, slot: slot.index, inputs, isCareful: isSecond };
      settle(pending, (await this.#threads().run(batch, { signal: slot.ending })) as BatchResult);
    } catch (error) {
      if (this.#unloadable) {
        const why = `no worker starts: ${messageOf(this.#unloadable)}; ${UNBUNDLED}`;
        for (const { reject } of calls) reject(new TaskFailed(type.name, 'cannot be loaded', why));
        return;
      }
      // One of them is guilty, or something that an earlier task left behind. Alone, the guilty one takes nobody along.
      if (calls.length > 1 || (!isSecond && !limit.isOver())) {
        this.#waiting.unshift(...calls.map((call) => ({ ...pending, calls: [call], isSecond: true })));
      } else {
        calls[0]?.reject(failure(type, error, limit.isOver()));
      }
    } finally {
      this.#hasWorked ||= this.#hasStarted(slot);
      limit.stop();
      this.#slots.push(slot);
      if (!isCheck) this.#options.onBatch?.({ task: type.name, calls: calls.length, ms: performance.now() - left });
    }
  }

  #hasStarted({ index }: Slot): boolean {
    return Atomics.load(this.#settings.begun, index) !== 0;
  }

  /** A worker died with nothing to do. Where none has ever had anything, none will: Piscina would try for ever, and nobody hear of it. */
  #died(error: Error): void {
    this.#options.onError?.(error);
    if (this.#hasWorked || this.#allSlots.some((slot) => this.#hasStarted(slot))) return;
    this.#unloadable = error;
    for (const { ending } of this.#allSlots) ending.emit('abort');
  }

  /** Ends the worker when its batch has run for too long, counted from when its thread took it up. */
  #limit({ index, ending }: Slot, limitMs: number): { isOver: () => boolean; stop: () => void } {
    const { begun } = this.#settings;
    let isOver = false;
    Atomics.store(begun, index, 0);
    const look = () => {
      const began = Atomics.load(begun, index);
      const left = began === 0 ? limitMs : limitMs - since(began);
      isOver = left <= 0;
      if (isOver) ending.emit('abort');
      else timer = setTimeout(look, left);
    };
    // Not unref'd: while a worker is being replaced, nothing else would keep the process alive for the calls that wait.
    let timer = setTimeout(look, limitMs);
    return { isOver: () => isOver, stop: () => clearTimeout(timer) };
  }

  #threads(): Piscina {
    if (this.#piscina) return this.#piscina;
    const { idleMs = 5000, heapMiB } = this.#options;
    // Loaded with the first thread, which takes longer to start than this.
    const { Piscina }: typeof import('piscina') = createRequire(import.meta.url)('piscina');
    this.#piscina = new Piscina({
      // A path: Piscina would work it out from a URL for every task.
      filename: fileURLToPath(new URL('./worker-entry.js', import.meta.url)),
      minThreads: 1,
      maxThreads: this.#maxThreads,
      idleTimeout: idleMs,
      recordTiming: false,
      workerData: this.#settings,
      ...(heapMiB === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMiB } }),
    });
    this.#piscina.on('error', (error: Error) => this.#died(error));
    return this.#piscina;
  }
}

function settle({ type, calls }: PendingBatch, { outputs, failures, unloadable }: BatchResult): void {
  if (unloadable) {
    for (const { reject } of calls) reject(new TaskFailed(type.name, 'cannot be loaded', unloadable.message, unloadable.stack));
    return;
  }
  for (const { index, message, stack } of failures) calls[index]?.reject(new TaskFailed(type.name, 'threw', message, stack));
  // What has been rejected does not mind being resolved.
  for (let index = 0; index < calls.length; index++) calls[index]?.resolve(outputs[index]);
}

function failure(type: AnyTask, error: unknown, timedOut: boolean): TaskFailed {
  if (timedOut) return new TaskFailed(type.name, 'timed out', `it ran for more than ${type.limitMs} ms`);
  const reason: TaskFailure = error instanceof Error && error.name === 'DataCloneError' ? 'threw' : 'worker died';
  return new TaskFailed(type.name, reason, messageOf(error), stackOf(error));
}

/** The input, with small views of large buffers, at the top or in one of its first fields, replaced by copies of what they show. */
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
