import { beforeCommit, contactMerged, type Subscription } from '#core';

/**
 * Runs the turns of a contact one after the other. The queue does the same by the contact of each job, so nothing waits here, except after a
 * merge: then the turns of the contact that remains also wait for those of the other one.
 */
export function createTurnOrder() {
  const running = new Map<string, Promise<unknown>>();

  return {
    async inOrder(contact: string, turn: () => Promise<void>): Promise<void> {
      const before = running.get(contact);
      const done = before === undefined ? turn() : before.then(turn);
      const ended = done.catch(() => undefined);
      running.set(contact, ended);
      try {
        await done;
      } finally {
        if (running.get(contact) === ended) running.delete(contact);
      }
    },

    merging: beforeCommit(contactMerged, ({ contact: { uuid }, merged }, tx) =>
      tx.onCommit(() => {
        const others = running.get(merged.uuid);
        if (others) running.set(uuid, Promise.all([running.get(uuid), others]));
      }),
    ) as Subscription,
  };
}

/** Runs the turns of a contact one after the other. */
export type TurnOrder = ReturnType<typeof createTurnOrder>;
