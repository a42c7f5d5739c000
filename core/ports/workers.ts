/**
 * A task is a module with a default export `(input) => output`, run in a worker thread. Inputs and outputs are plain data.
 * Calls made in one turn of the event loop travel together, because a hop costs the main thread more than a small task.
 */
export interface TaskType<In, Out> {
  readonly name: string;
  readonly module: URL;
  /** About how many bytes an input weighs, to decide what travels together. Called once per input, so it must be quick. */
  readonly weigh: (input: In) => number;
  /** How many milliseconds what travels together may run before its worker is replaced. */
  readonly limitMs: number;
  /** One call takes microseconds: those that come while some are away wait for them to be back, so that more travel together. */
  readonly quick: boolean;
  readonly _output?: Out;
}

export interface TaskOptions<In> {
  readonly weigh?: (input: In) => number;
  readonly limitMs?: number;
  readonly quick?: boolean;
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
});

/** Runs tasks off the main thread. */
export interface WorkerPool {
  /**
   * The input is read when the call travels, so leave it unchanged until the task has ended; the task works on a copy. Tasks
   * have no effect but their output, because those that travelled with one that killed its worker run again.
   * @throws TaskFailed when the task threw, ran over its limit or killed its worker; other tasks are not harmed
   */
  run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out>;
  /** Rejects before the first call when a task's module cannot be loaded. */
  check(type: TaskType<never, unknown>): Promise<void>;
  /** Takes no new task, waits for those it has taken, and ends the workers. */
  stop(): Promise<void>;
}

/** Calls that travelled to a worker together, and how long they were away. */
export interface WorkerBatch {
  readonly task: string;
  readonly calls: number;
  readonly ms: number;
}

export type TaskFailure = 'threw' | 'worker died' | 'timed out' | 'cannot be loaded' | 'pool stopped';

/** A task did not return a value. */
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
