import { TaskFailed } from '../../ports/workers.js';

/** The default export of a task's module. */
export type Run = (input: unknown) => unknown;

const loading = new Map<string, Promise<Run>>();

/** Imports a task's module, once per thread. */
export function taskOf(module: string): Promise<Run> {
  const known = loading.get(module);
  if (known) return known;
  const load = importTask(module);
  loading.set(module, load);
  return load;
}

async function importTask(module: string): Promise<Run> {
  const { default: run } = (await import(module)) as { default?: unknown };
  if (typeof run !== 'function') throw new Error(`${module} has no default export that is a function`);
  return run as Run;
}

/** The message of a thrown value. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return 'a value that cannot be converted to text';
  }
}

export const stackOf = (thrown: unknown): string | undefined => (thrown instanceof Error ? thrown.stack : undefined);

export const stopped = (type: { readonly name: string }): TaskFailed =>
  new TaskFailed(type.name, 'pool stopped', 'the pool accepts no more tasks');
