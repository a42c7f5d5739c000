/**
 * Work in steps, each of which may have to wait. The work is a generator that yields the promises that it waits for, so that it runs to its end
 * in one go if there are none: most transactions find all that they read in memory, and a promise for each step took a fifth of their time.
 */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** Whether a value has to be waited for. */
export const isPending = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Waits for a value if it is a promise, as `await` does: `const contact = yield* wait(find(id))`. A plain value is returned immediately. */
export function* wait<T>(value: PromiseLike<T> | T): Steps<T> {
  return isPending(value) ? ((yield value) as T) : value;
}

/** Runs steps. @returns a promise only if one of them had to wait */
export function runSteps<T>(steps: Steps<T>): Promise<T> | T {
  const { done, value } = steps.next();
  return done ? value : restOf(steps, value);
}

async function restOf<T>(steps: Steps<T>, first: PromiseLike<unknown>): Promise<T> {
  for (let waiting = first; ; ) {
    let resume: () => IteratorResult<PromiseLike<unknown>, T>;
    try {
      const value = await waiting;
      resume = () => steps.next(value);
    } catch (error) {
      resume = () => steps.throw(error);
    }
    const next = resume();
    if (next.done) return next.value;
    waiting = next.value;
  }
}

/** Runs steps. The promise settles with their result or error. */
export function promiseOf<T>(steps: Steps<T>): Promise<T> {
  try {
    const result = runSteps(steps);
    return result instanceof Promise ? result : Promise.resolve(result);
  } catch (error) {
    return Promise.reject(error);
  }
}
