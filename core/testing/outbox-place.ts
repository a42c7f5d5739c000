import type {
  DueEntry,
  Outbox,
  OutboxAttempt,
  OutboxConsumer,
  OutboxEntry,
  OutboxReader,
  OutboxRecord,
  OutboxTransaction,
} from '../ports/outbox.js';
import { collection, type Store, type StoreTransaction } from '../ports/store.js';
import type { Tap } from './tap.js';

/** An outbox over a store, neither of them started. */
export interface OutboxUnderTest {
  readonly store: Store;
  readonly outbox: Outbox<OutboxEntry>;
  /** Advances the platform's clock by `ms`, and waits until all work due by then has finished. */
  pass(ms: number): Promise<void>;
  /** Sets the wall clock forward or back. */
  jump(ms: number): void;
  now(): Date;
}

/** A location where outboxes keep their deliveries. */
export interface OutboxPlace {
  /** A new outbox that finds the deliveries that the previous one left at this location. */
  create(): OutboxUnderTest;
  /** Whether deliveries outlive the outbox. */
  readonly isPersistent: boolean;
  /** The next outbox finds what is durable now, as after a power cut. */
  crash?(): void;
  /** Compacts the stored data of the current outbox. */
  compact?(): Promise<void>;
  /** Makes the current store refuse its writes. @returns a function that ends the fault */
  fail?(): () => Promise<void>;
}

/** Opens a new, empty location; registers its cleanup with `t.teardown`. */
export type OpenOutbox = (t: Tap) => OutboxPlace;

export interface Cause {
  readonly name: string;
}

/** Documents that are written together with deliveries. */
export const causes = collection<Cause>({ key: 'name' });

interface Retry {
  readonly retryInMs: number;
}

/** Hooks and limits of the consumer of a test. */
export interface Behaviour {
  /** Called before a delivery is started; the delivery is not sent if it returns false. */
  readonly begin?: (tx: StoreTransaction, due: DueEntry<OutboxEntry>, started: StartedOutbox) => unknown;
  /** Resolves with `{ retryInMs }` to schedule a retry; otherwise the delivery is delivered. */
  readonly send?: (entry: OutboxEntry, started: StartedOutbox) => unknown;
  /** Called before an outcome is recorded. */
  readonly settle?: (tx: StoreTransaction, uuid: string, started: StartedOutbox) => unknown;
  /** One if not given. */
  readonly concurrency?: number;
  readonly shares?: OutboxConsumer<OutboxEntry, unknown, unknown>['shares'];
  readonly laneOf?: OutboxConsumer<OutboxEntry, unknown, unknown>['laneOf'];
  readonly gapOf?: OutboxConsumer<OutboxEntry, unknown, unknown>['gapOf'];
}

export type Fields = Partial<OutboxRecord>;
type Addition = readonly [name: string, fields?: Fields];

export interface StartedOutbox extends OutboxUnderTest {
  /** The deliveries that were sent, by their uuids, and how many seconds after the start. */
  readonly sent: string[];
  readonly times: number[];
  /** Adds deliveries one by one, each in its own transaction. */
  add(...additions: readonly Addition[]): Promise<void>;
  /** Adds deliveries in one transaction. */
  addTogether(...additions: readonly Addition[]): Promise<void>;
  /** Changes the record of a delivery in a transaction of its own. */
  change(uuid: string, fields: Fields): Promise<void>;
  delete(uuid: string): Promise<void>;
  /** Uuids of entries. */
  names(list: (entries: OutboxReader<OutboxEntry>) => Iterable<OutboxEntry>): Promise<string[]>;
  get(uuid: string): Promise<OutboxEntry | undefined>;
}

/** Starts an outbox whose consumer records what it sends. */
export async function startOutbox(t: Tap, place: OutboxPlace, behaviour: Behaviour = {}): Promise<StartedOutbox> {
  const under = place.create();
  const { store, outbox, now } = under;
  store.define('contract.causes', causes);
  const began = now().getTime();
  const started: StartedOutbox = {
    ...under,
    sent: [],
    times: [],
    add: async (...additions) => {
      for (const addition of additions) await started.addTogether(addition);
    },
    addTogether: (...additions) =>
      store.transaction((tx) => {
        for (const [name, fields] of additions) outbox.in(tx).add(recordOf(name, now(), fields), { body: JSON.stringify({ text: name }) });
      }),
    change: (uuid, fields) => store.transaction((tx) => void changeIn(outbox.in(tx), uuid, fields)),
    delete: (uuid) => store.transaction((tx) => outbox.in(tx).delete(outbox.in(tx).get(uuid)!)),
    names: (list) => outbox.read((entries) => Array.from(list(entries), ({ record }) => record.uuid)),
    get: (uuid) => outbox.read((entries) => entries.get(uuid)),
  };
  outbox.consume(consumerOf(started, behaviour, began));
  t.teardown(async () => {
    await outbox.stop(1_000);
    await store.stop();
  });
  await store.start();
  await outbox.start();
  return started;
}

/** A new delivery; its uuid and its event are its name. */
export const recordOf = (name: string, now: Date, fields: Fields = {}): OutboxRecord => ({
  uuid: name,
  number: '+2711',
  webhook: 'hook',
  event: name,
  state: 'queued',
  run: 1,
  attempts: 0,
  lane: 'default',
  created_at: now.toISOString(),
  body_bytes: 10,
  kept_bytes: 10,
  ...fields,
});

export function changeIn(entries: OutboxTransaction<OutboxEntry>, uuid: string, fields: Fields): OutboxEntry {
  const entry = entries.get(uuid)!;
  return entries.change(entry, { record: { ...entry.record, ...fields } });
}

interface Ended {
  readonly entry: OutboxEntry;
  readonly retry: Retry | undefined;
  readonly attempt: OutboxAttempt;
}

function consumerOf(started: StartedOutbox, behaviour: Behaviour, began: number): OutboxConsumer<OutboxEntry, OutboxEntry, Ended> {
  const { outbox, now } = started;
  const { concurrency = 1, shares, laneOf, gapOf } = behaviour;
  return {
    concurrency,
    ...(shares && { shares }),
    ...(laneOf && { laneOf }),
    ...(gapOf && { gapOf }),
    async begin(tx, due) {
      const sending: (OutboxEntry | undefined)[] = [];
      for (const one of due) {
        const isWanted = (await behaviour.begin?.(tx, one, started)) !== false;
        const entry = outbox.in(tx).get(one.entry.record.uuid);
        const isPending = entry?.record.settled_at === undefined && entry?.record.held_at === undefined;
        sending.push(entry && isWanted && isPending ? changeIn(outbox.in(tx), entry.record.uuid, { state: 'sending' }) : undefined);
      }
      return sending;
    },
    async send(entry) {
      started.sent.push(entry.record.uuid);
      started.times.push((now().getTime() - began) / 1_000);
      const startedAt = now();
      const retry = (await behaviour.send?.(entry, started)) as Retry | undefined;
      const attempt = { started_at: startedAt.toISOString(), duration_ms: now().getTime() - startedAt.getTime() };
      return { entry, retry, attempt };
    },
    async settle(tx, { entry: { record }, retry, attempt }) {
      const entry = outbox.in(tx).get(record.uuid);
      await behaviour.settle?.(tx, record.uuid, started);
      if (!entry || entry.record.run !== record.run || entry.record.state !== 'sending') return;
      const { run, attempts } = entry.record;
      const next: Fields = retry
        ? { state: 'retry_wait', due_at: new Date(now().getTime() + retry.retryInMs).toISOString() }
        : { state: 'delivered', settled_at: now().toISOString(), due_at: undefined };
      const changed = { ...entry.record, ...next, attempts: attempts + 1 };
      outbox.in(tx).change(entry, { record: changed, attempt: { run, n: attempts, ended: attempt } });
    },
  };
}

/** Changes that start a new run of a delivery. */
export const redelivered = ({ record }: OutboxEntry, now: Date): Fields => ({
  state: 'queued',
  run: record.run + 1,
  attempts: 0,
  redelivered_at: now.toISOString(),
  due_at: undefined,
  settled_at: undefined,
});
