import { type Consumer, consume, type NumberRecord, type PluginContext, type Transaction } from '#core';
import { logUnrecorded, networkId, ServiceUnreachable } from '#core/messaging';
import { GraphError } from '../graph/errors.js';
import { contactAliases } from '../records.js';
import type { EventHandler } from './account-events.js';
import { changedIdsIn, type createInbound } from './messages.js';
import { received } from './queues.js';
import type { Statuses } from './statuses.js';

/** Attempts to fetch a file; about half an hour, while the network keeps it for days. */
const FILE_ATTEMPTS = 8;
const MAX_ATTEMPTS = 12;

/** Processes what the network has sent. Each part is a job of its own, so that one that fails does not hold up the others. */
export function receivedConsumer(
  context: PluginContext,
  {
    inbound,
    statuses,
    handlers,
  }: {
    inbound: ReturnType<typeof createInbound>;
    statuses: Statuses;
    handlers: readonly EventHandler[];
  },
): Consumer {
  const { store, numbers, contacts, messages, log } = context;
  return consume(
    received,
    async (job) => {
      const { number: uuid, kind, field, value, contact } = job.payload;
      const number = await numbers.get(uuid);
      if (!number) return;
      if (kind === 'status') {
        await store.transaction(async (tx) => {
          await statuses.record(tx, number, value);
          job.done(tx);
        });
      } else if (kind === 'event') {
        await store.transaction(async (tx) => {
          for (const handle of handlers) if (await handle(tx, number, field, value)) break;
          job.done(tx);
        });
      } else {
        const isKnown = (await messages.known(uuid, 'inbound', String(value.id))) !== undefined;
        // A duplicate fetches no file again.
        if (isKnown) return;
        const message = await inbound.of(number, value, contact).catch((error: unknown) => {
          const isLast = job.attempt >= FILE_ATTEMPTS && (error instanceof GraphError || error instanceof ServiceUnreachable);
          if (!isLast) throw error;
          return inbound.of(number, value, contact, error.message);
        });
        await store
          .transaction(async (tx) => {
            const { id, aliases = [] } = message.contact;
            const earlier = await earlierIds(tx, number, [id, ...aliases]);
            const [changed, ...further] = changedIdsIn(value);
            const all = [id, ...aliases, ...earlier];
            const who = changed === undefined ? { id, aliases: all.slice(1) } : { id: await formerOf(tx, number, all) };
            await messages.received(tx, number, { ...message, contact: { ...message.contact, aliases: [], ...who } });
            // After it, because the message is from the former number.
            if (changed !== undefined) await contacts.renumber(tx, number, all, changed, further);
            job.done(tx);
          })
          // The network would repeat a message for days that is refused each time.
          .catch(logUnrecorded(log, { number_id: uuid, message_id: String(value.id) }));
      }
    },
    { concurrency: 32, maxAttempts: MAX_ATTEMPTS },
  );

  /** The id by which a contact with a new phone number was known: the former number can be that of another person already. */
  async function formerOf(tx: Transaction, number: NumberRecord, ids: readonly string[]): Promise<string> {
    for (const id of ids) if (networkId(id) === undefined && (await contacts.current(tx, number, id))) return id;
    return ids[0]!;
  }

  /** The ids of contacts for which an earlier release stored one of these ids, and the core has none yet. */
  async function earlierIds(tx: Transaction, number: NumberRecord, ids: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const id of ids) {
      if (await contacts.current(tx, number, id)) continue;
      const earlier = await tx.in(contactAliases).get(`${number.uuid}/${id}`);
      if (earlier && !ids.includes(earlier.contact)) found.push(earlier.contact);
    }
    return found;
  }
}
