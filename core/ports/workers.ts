/**
 * A task is a module with a default export `(input) => output` that runs in a worker thread. Inputs and outputs are plain data.
 * Calls made in the same turn of the event loop are sent as one batch, because a hop costs the main thread more than a small
 * task.
 */
export interface TaskType<In, Out> {
  readonly name: string;
  readonly module: URL;
  /** Approximate size of an input in bytes, which bounds a batch. Called once per input, so it must be fast. */
  readonly weigh: (input: In) => number;
  /** Milliseconds that a batch may run before its worker is replaced. */
  readonly limitMs: number;
  /** Set it for tasks that take microseconds: new calls then wait until the current batch returns, so that batches get larger. */
  readonly quick: boolean;
  /**
   * Milliseconds that new calls wait at most for the return of the current batch, also when another thread is free, so that batches get
   * larger. For tasks that mostly take less than a hop to another thread costs, but can take long.
   */
  readonly gatherMs: number;
  readonly _output?: Out;
}

export interface TaskOptions<In> {
  /** Approximate size of an input in bytes, which bounds a batch; 1,024 if not given. Called once per input, so it must be fast. */
  readonly weigh?: (input: In) => number;
  /** Milliseconds that a batch may run before its worker is replaced; 10,000 if not given. */
  readonly limitMs?: number;
  /** For tasks that take microseconds: new calls wait until the current batch returns, so that batches get larger. `false` if not given. */
  readonly quick?: boolean;
  /** Milliseconds that new calls wait at most for the return of the current batch, also when another thread is free; 0 if not given. */
  readonly gatherMs?: number;
}

const SMALL_INPUT_BYTES = 1024;
const TASK_LIMIT_MS = 10_000;

/** Declares a task: `task<SignInput, string>('delivery.sign', new URL('./sign.task.js', import.meta.url))`. */
export const task = <In, Out>(name: string, module: URL, options: TaskOptions<In> = {}): TaskType<In, Out> => ({
  name,
  module,
  weigh: options.weigh ?? (() => SMALL_INPUT_BYTES),
  limitMs: options.limitMs ?? TASK_LIMIT_MS,
  quick: options.quick ?? false,
  gatherMs: options.gatherMs ?? 0,
});

/** Runs tasks off the main thread. */
export interface WorkerPool {
  /**
   * Runs a task on a copy of `input`. The input is copied when its batch is sent, so leave it unchanged until the promise
   * settles. Tasks must have no side effects: when a call kills its worker, the rest of its batch runs again.
   * @throws TaskFailed when the task threw, ran over its limit or killed its worker; other tasks are not affected
   */
  run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out>;
  /** Loads the module of a task before its first call; rejects when it cannot be loaded. */
  check(type: TaskType<never, unknown>): Promise<void>;
  /** Accepts no new tasks, waits for those already accepted, then ends the workers. */
  stop(): Promise<void>;
}

/** A batch of calls to a worker, and its duration. */
export interface WorkerBatch {
  readonly task: string;
  readonly calls: number;
  readonly ms: number;
}

export type TaskFailure = 'threw' | 'worker died' | 'timed out' | 'cannot be loaded' | 'pool stopped';

/** A task ended without a value. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  readonly task: string;
  readonly reason: TaskFailure;

  /** @param stack where the task threw, in its own thread */
  constructor(task: string, reason: TaskFailure, message: string, stack?: string) {
    super(`task '${task}' ${reason}: ${message}`, stack === undefined ? undefined : { cause: stack });
    this.task = task;
    this.reason = reason;
  }
}
