import { TaskFailed, type TaskType, type WorkerPool } from '../../ports/workers.js';
import { messageOf, type Run, stackOf, stopped, taskOf } from './task-module.js';

/**
 * Runs tasks on this thread, for tests and small applications. Inputs and outputs are cloned as for a worker, so uncloneable
 * values fail here too. Cannot stop a task that blocks the thread or ends the process.
 */
export class InlinePool implements WorkerPool {
  readonly #running = new Set<Promise<unknown>>();
  #isStopped = false;

  async run<In, Out>(type: TaskType<In, Out>, input: In): Promise<Out> {
    if (this.#isStopped) throw stopped(type);
    return (await this.#track(perform(type, clone(type, input)))) as Out;
  }

  async check(type: TaskType<never, unknown>): Promise<void> {
    if (this.#isStopped) throw stopped(type);
    await this.#track(load(type));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(this.#running);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    try {
      return await work;
    } finally {
      this.#running.delete(work);
    }
  }
}

async function perform(type: TaskType<never, unknown>, input: unknown): Promise<unknown> {
  const run = await load(type);
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new TaskFailed(type.name, 'timed out', `it ran for more than ${type.limitMs} ms`)), type.limitMs);
  });
  try {
    return clone(type, await Promise.race([run(input), late]));
  } catch (error) {
    throw error instanceof TaskFailed ? error : new TaskFailed(type.name, 'threw', messageOf(error), stackOf(error));
  } finally {
    clearTimeout(limit);
  }
}

async function load(type: TaskType<never, unknown>): Promise<Run> {
  try {
    return await taskOf(type.module.href);
  } catch (error) {
    throw new TaskFailed(type.name, 'cannot be loaded', messageOf(error), stackOf(error));
  }
}

function clone<T>(type: TaskType<never, unknown>, value: T): T {
  try {
    return structuredClone(value);
  } catch (error) {
    throw new TaskFailed(type.name, 'threw', messageOf(error), stackOf(error));
  }
}
