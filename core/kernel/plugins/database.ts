import type { Announcement, EventType } from '../../ports/events.js';
import type { Placement, Queue, QueueType } from '../../ports/queue.js';
import { isPending, runSteps, type Steps, wait } from '../../ports/steps.js';
import type { Collection, CollectionType, LiveType, LiveWrites, Store, StoreTransaction } from '../../ports/store.js';
import type { BeforeCommit } from '../../ports/subscription.js';
import type { Database, Transaction } from '../../ports/transaction.js';

const MAX_EVENTS = 1_000;

interface DatabasePorts {
  readonly store: Pick<Store, 'open' | 'transaction'>;
  readonly queue: Queue;
  readonly handlersBeforeCommit: (event: string) => readonly BeforeCommit[];
  readonly announce: (announcements: readonly Announcement[]) => void;
  /** Runs a transaction, with the record of the admin call that it is part of. */
  readonly audited: <T>(store: Pick<Store, 'transaction'>, work: (raw: StoreTransaction) => Promise<T> | T) => Promise<T>;
}

/** Runs `work` with a `Transaction` on top of a store transaction, then the `beforeCommit` handlers of the events that it emitted. */
export type WithTransaction = <T>(raw: StoreTransaction, work: (tx: Transaction) => Promise<T> | T, check?: CheckEvent) => Promise<T> | T;

/** Throws for an event that the code of a transaction must not emit. */
export type CheckEvent = (type: EventType<never>) => void;

/** The database of a platform, and the transactions of its store. */
export interface CreatedDatabase {
  readonly store: Database;
  readonly withTransaction: WithTransaction;
  /** The database for code whose events are checked. */
  storeWith(check: CheckEvent): Database;
}

/** Joins store, queue and events: the writes, jobs and events of a transaction take effect together or not at all. */
export function createDatabase(ports: DatabasePorts): CreatedDatabase {
  const { store } = ports;
  const withTransaction: WithTransaction = (raw, work, check) => runSteps(within(new PlatformTransaction(raw, ports, check), work));
  const storeWith = (check?: CheckEvent): Database => ({
    open: (type) => store.open(type),
    transaction: (work) => ports.audited(store, (raw) => withTransaction(raw, work, check)),
  });
  return { store: storeWith(), withTransaction, storeWith };
}

function* within<T>(tx: PlatformTransaction, work: (tx: Transaction) => Promise<T> | T): Steps<T> {
  const result = yield* wait(work(tx));
  if (tx.hasPendingEvents) yield* tx.runHandlers();
  return result;
}

class PlatformTransaction implements Transaction {
  readonly #raw: StoreTransaction;
  readonly #ports: DatabasePorts;
  readonly #check: CheckEvent | undefined;
  readonly #events: { readonly type: EventType<never>; readonly payload: unknown }[] = [];
  #handled = 0;

  constructor(raw: StoreTransaction, ports: DatabasePorts, check: CheckEvent | undefined) {
    this.#raw = raw;
    this.#ports = ports;
    this.#check = check;
  }

  in<T extends object>(type: CollectionType<T>): Collection<T> {
    return this.#raw.in(type);
  }

  live<T extends object>(type: LiveType<T>): LiveWrites<T> {
    return this.#raw.live!(type);
  }

  afterCommit(run: () => void): void {
    this.#raw.afterCommit(run);
  }

  acrossTenants(): void {
    this.#raw.acrossTenants?.();
  }

  onCommit(run: () => void): void {
    if (this.#raw.onCommit) this.#raw.onCommit(run);
    else this.#raw.afterCommit(run);
  }

  beforeCommit(run: () => Promise<void> | void): void {
    this.#raw.beforeCommit(() => runSteps(within(this, run)));
  }

  push<T>(type: QueueType<T>, job: T, placement?: Placement): void {
    this.#ports.queue.push(this.#raw, type, job, placement);
  }

  cancel(type: QueueType<unknown>, id: string): void {
    this.#ports.queue.cancel(this.#raw, type, id);
  }

  emit<T>(type: EventType<T>, payload: T): void {
    this.#check?.(type as EventType<never>);
    this.#events.push({ type: type as EventType<never>, payload });
  }

  get hasPendingEvents(): boolean {
    return this.#handled < this.#events.length;
  }

  /** Runs handlers until no events are left; they may emit more. `beforeCommit` callbacks that emit cause another call. */
  *runHandlers(): Steps<void> {
    const { handlersBeforeCommit, announce } = this.#ports;
    const events = this.#events;
    const isFirst = this.#handled === 0;
    for (; this.#handled < events.length; this.#handled++) {
      const { type, payload } = events[this.#handled]!;
      if (this.#handled === MAX_EVENTS)
        throw new Error(`a transaction emits more than ${MAX_EVENTS} events; handlers of ${type.name} may trigger each other`);
      for (const subscription of handlersBeforeCommit(type.name)) {
        const handled = subscription.handle(payload, this);
        if (isPending(handled)) yield handled;
      }
    }
    if (isFirst) this.#raw.afterCommit(() => announce(events.map(({ type, payload }) => announcementOf(type, payload))));
  }
}

export const announcementOf = (type: EventType<never>, payload: unknown): Announcement => ({
  name: type.name,
  payload,
  shown: type.shows ? (type.shows as (payload: unknown) => unknown)(payload) : payload,
  immutableBytes: (type.immutableBytes as ((payload: unknown) => number) | undefined)?.(payload),
  outcome: (type.outcome as ((payload: unknown) => Announcement['outcome']) | undefined)?.(payload),
  mark: (type.mark as ((payload: unknown) => Announcement['mark']) | undefined)?.(payload),
});
