import type { Announcement, EventType } from '../ports/events.js';
import type { Queue } from '../ports/queue.js';
import type { Store } from '../ports/store.js';
import type { Subscription } from '../ports/subscription.js';
import type { Database, Transaction } from '../ports/transaction.js';

const MAX_EVENTS = 1_000;

/** The store, the queue and the events as one: what a transaction writes, pushes and emits holds together or not at all. */
export function createDatabase({
  store,
  queue,
  handlersBeforeCommit,
  announce,
}: {
  store: Pick<Store, 'open' | 'transaction'>;
  queue: Queue;
  handlersBeforeCommit: (event: string) => readonly Subscription[];
  announce: (announcements: readonly Announcement[]) => void;
}): Database {
  return {
    open: (type) => store.open(type),

    transaction(work) {
      return store.transaction(async (raw) => {
        const events: { type: EventType<never>; payload: unknown }[] = [];
        let handled = 0;
        /** Handlers may emit too, and so may whoever asked to run at the end. */
        const handle = async (): Promise<void> => {
          const isFirst = handled === 0 && events.length > 0;
          for (; handled < events.length; handled++) {
            const { type, payload } = events[handled]!;
            if (handled === MAX_EVENTS)
              throw new Error(`a transaction emits more than ${MAX_EVENTS} events; handlers of ${type.name} may feed each other`);
            for (const subscription of handlersBeforeCommit(type.name)) await subscription.handle(payload, tx);
          }
          if (isFirst) raw.afterCommit(() => announce(events.map(({ type, payload }) => announcementOf(type, payload))));
        };
        const tx: Transaction = {
          in: (type) => raw.in(type),
          afterCommit: (run) => raw.afterCommit(run),
          beforeCommit: (run) =>
            raw.beforeCommit(async () => {
              await run();
              await handle();
            }),
          push: (type, job, placement) => queue.push(raw, type, job, placement),
          cancel: (type, id) => queue.cancel(raw, type, id),
          emit: (type, payload) => void events.push({ type: type as EventType<never>, payload }),
        };
        const result = await work(tx);
        await handle();
        return result;
      });
    },
  };
}

export const announcementOf = (type: EventType<never>, payload: unknown): Announcement => ({
  name: type.name,
  payload,
  shown: type.shows ? (type.shows as (payload: unknown) => unknown)(payload) : payload,
});
