import { type ConsumerOptions, consume, type Job, type Queue, queue } from '../ports/queue.js';
import { collection, type Store } from '../ports/store.js';
import type { Tap } from './tap.js';

/** A queue over a store, neither of them started. */
export interface QueueUnderTest {
  readonly store: Store;
  readonly queue: Queue;
  /** Advances the platform's clock by `ms`, and waits until all work due by then has finished. */
  pass(ms: number): Promise<void>;
  now(): Date;
}

/** A location where queues keep their jobs. */
export interface QueuePlace {
  /** A new queue that finds the jobs that the previous one left at this location. */
  create(): QueueUnderTest;
  /** Whether jobs outlive the queue. */
  readonly isPersistent: boolean;
}

/** Opens a new, empty location; registers its cleanup with `t.teardown`. */
export type OpenQueue = (t: Tap) => QueuePlace;

/** The payload of the contract's jobs. */
export interface Work {
  readonly name: string;
}

export const tasks = queue<Work>('contract.tasks');
export const otherTasks = queue<Work>('contract.other-tasks');

export interface Effect {
  readonly name: string;
}

/** Documents that jobs write, to show that effects and completion commit together. */
export const effects = collection<Effect>({ key: 'name' });

export interface Started extends QueueUnderTest {
  /** Pushes jobs one by one, each in its own transaction. */
  push(...pushes: readonly [name: string, placement?: Parameters<Queue['push']>[3]][]): Promise<void>;
}

/** Starts a queue that passes its jobs to `handle`, one at a time by default. */
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

/** Lets a test hold a job and release it: the job awaits `opened`, the test calls `open`. */
export function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
