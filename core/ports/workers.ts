/**
 * A task is a module with a default export `(input) => output`, run in a worker thread. Inputs and outputs are plain data.
 * Calls made in one turn of the event loop travel together, because a hop costs the main thread more than a small task.
 */
export interface TaskType<In, Out> {
  readonly name: string;
  readonly module: URL;
  /** Bytes an input weighs, to decide what travels together. */
  readonly weigh: (input: In) => number;
  /** How long one batch may run before its worker is replaced. */
  readonly limitMs: number;
  readonly _output?: Out;
}

export interface TaskOptions<In> {
  readonly weigh?: (input: In) => number;
  readonly limitMs?: number;
}

const SMALL_INPUT_BYTES = 1024;
const TASK_LIMIT_MS = 10_000;

/** Declares a task: `task<SignInput, string>('delivery.sign', new URL('./sign.task.js', import.meta.url))`. */
export const task = <In, Out>(name: string, module: URL, options: TaskOptions<In> = {}): TaskType<In, Out> => ({
  name,
  module,
  weigh: options.weigh ?? (() => SMALL_INPUT_BYTES),
  limitMs: options.limitMs ?? TASK_LIMIT_MS,
});

export interface WorkerPool {
  /**
   * @throws TaskFailed when the task threw, ran over its limit or killed its worker; other tasks are not harmed
   */
  run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out>;
  /** Rejects before the first call when a task's module cannot be loaded. */
  check(type: TaskType<never, unknown>): Promise<void>;
  stop(): Promise<void>;
}

export type TaskFailure = 'threw' | 'worker died' | 'timed out' | 'pool stopped';

/** A task did not return a value. */
export class TaskFailed extends Error {
  override readonly name = 'TaskFailed';
  readonly task: string;
  readonly reason: TaskFailure;

  constructor(task: string, reason: TaskFailure, message: string) {
    super(`task '${task}' ${reason}: ${message}`);
    this.task = task;
    this.reason = reason;
  }
}
