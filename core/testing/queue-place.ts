import { type ConsumerOptions, consume, type Job, type Queue, queue } from '../ports/queue.js';
import { collection, type Store } from '../ports/store.js';
import type { Tap } from './tap.js';

/** A queue over a store, neither of them started yet. */
export interface QueueUnderTest {
  readonly store: Store;
  readonly queue: Queue;
  /** Lets so many milliseconds of the platform's time go by, and all that is due then come to its end. */
  pass(ms: number): Promise<void>;
  now(): Date;
}

/** Where queues keep their jobs. */
export interface QueuePlace {
  /** A queue that finds the jobs that the one before it at this place has left. */
  create(): QueueUnderTest;
  /** Whether there are any. */
  readonly keeps: boolean;
}

/** Gives a fresh place; what it takes up is given back with `t.teardown`. */
export type OpenQueue = (t: Tap) => QueuePlace;

/** The jobs of the contract: each says its name when it runs. */
export interface Work {
  readonly name: string;
}

export const tasks = queue<Work>('contract.tasks');
export const otherTasks = queue<Work>('contract.other-tasks');

export interface Effect {
  readonly name: string;
}

/** What jobs write, to show that it happens with their completion or not at all. */
export const effects = collection<Effect>({ key: 'name' });

export interface Started extends QueueUnderTest {
  /** Pushes jobs one by one, each in its own transaction. */
  push(...pushes: readonly [name: string, placement?: Parameters<Queue['push']>[3]][]): Promise<void>;
}

/** A started queue whose jobs are handled by `handle`, one at a time if nothing else is said. */
export async function startQueue(
  t: Tap,
  place: QueuePlace,
  handle: (job: Job<Work>, started: Started) => Promise<void> | void,
  options: number | ConsumerOptions<Work> = 1,
): Promise<Started> {
  const { store, queue: jobs, pass, now } = place.create();
  store.define('contract.effects', effects);
  await store.start();
  const started: Started = {
    store,
    queue: jobs,
    pass,
    now,
    push: async (...pushes) => {
      for (const [name, placement] of pushes) await store.transaction((tx) => jobs.push(tx, tasks, { name }, placement));
    },
  };
  const chosen = typeof options === 'number' ? { concurrency: options } : options;
  jobs.attach(
    'contract',
    consume(tasks, async (job) => handle(job, started), chosen),
  );
  t.teardown(async () => {
    await jobs.stop(1000);
    await store.stop();
  });
  await jobs.start();
  return started;
}

/** Something that a test opens when it wants a job to go on. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
