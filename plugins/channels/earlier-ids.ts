import { type Consumer, consume, type LateAnswer, type PluginContext, queue, type Transaction } from '#core';
import { messageIdIn } from './answer.js';
import { type EarlierIdRecord, earlierIds } from './records.js';

/** Connectors report statuses of a message for a few days at most. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1_000;

const expiries = queue<{ key: string }>('channels.earlier-id-expiries');

const keyOf = (number: string, id: string): string => `${number} ${id}`;

/**
 * The ids that a connector has returned for a message before or beside its current one: the connector got the message again, or responded
 * after the deadline. Statuses may have any of them.
 */
export function createEarlierIds({ messages, numbers, clock, store }: PluginContext) {
  return {
    /** Records the id in the response to a delivery of a message as its id. Statuses with the previous one are still accepted. */
    async accepted(tx: Transaction, number: string, message: string, id: string | undefined): Promise<void> {
      const { external_id: previous } = (await messages.current(tx, message)) ?? {};
      if (id !== undefined && previous !== id) {
        if (previous !== undefined) put(tx, { number, message, id: previous });
        // An id of two messages belongs to the newer one.
        if (await tx.in(earlierIds).get(keyOf(number, id))) tx.in(earlierIds).delete(keyOf(number, id));
      }
      await messages.accepted(tx, await numbers.require(number), message, id);
    },

    /** Records the id in a response that arrived after the deadline of its attempt. */
    async answeredLate({ delivery: { number, message }, response }: LateAnswer, tx: Transaction): Promise<void> {
      const id = response.status >= 200 && response.status < 300 ? messageIdIn(response.body) : undefined;
      const known = message === undefined ? undefined : await messages.current(tx, message);
      if (!known || id === undefined || known.external_id === id) return;
      if (known.external_id === undefined) await messages.accepted(tx, await numbers.require(number), known.uuid, id);
      else put(tx, { number, message: known.uuid, id });
    },

    /** Deletes the ids of messages that have expired. */
    async forget({ messages: expired }: { readonly messages: readonly string[] }, tx: Transaction): Promise<void> {
      for (const { key, message } of await tx.in(earlierIds).list()) if (expired.includes(message)) tx.in(earlierIds).delete(key);
    },

    /** The current id of the message that had this id; undefined if there is none. */
    async current(tx: Transaction, number: string, id: string): Promise<string | undefined> {
      const earlier = await tx.in(earlierIds).get(keyOf(number, id));
      return earlier && (await messages.current(tx, earlier.message))?.external_id;
    },

    expiries: (): Consumer => consume(expiries, ({ payload: { key } }) => store.transaction((tx) => tx.in(earlierIds).delete(key))),
  };

  function put(tx: Transaction, { number, message, id }: Pick<EarlierIdRecord, 'number' | 'message'> & { readonly id: string }): void {
    const key = keyOf(number, id);
    tx.in(earlierIds).put({ key, number, message });
    tx.push(expiries, { key }, { id: key, notBefore: new Date(clock.now().getTime() + KEPT_MS) });
  }
}

export type EarlierIds = ReturnType<typeof createEarlierIds>;
