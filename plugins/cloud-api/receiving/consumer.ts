import { type Consumer, consume, type PluginContext } from '#core';
import { MessageIdTaken } from '#core/areas';
import { GraphError, GraphUnreachable } from '../graph/errors.js';
import { contactAliases } from '../records.js';
import { type Acceptance, idKey } from '../sending/acceptance.js';
import type { EventHandler } from './account-events.js';
import type { createInbound } from './messages.js';
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
    acceptance,
    handlers,
  }: {
    inbound: ReturnType<typeof createInbound>;
    statuses: Statuses;
    acceptance: Acceptance;
    handlers: readonly EventHandler[];
  },
): Consumer {
  const { store, numbers, messages, log } = context;
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
          const isLast = job.attempt >= FILE_ATTEMPTS && (error instanceof GraphError || error instanceof GraphUnreachable);
          if (!isLast) throw error;
          return inbound.of(number, value, contact, error.message);
        });
        await store
          .transaction(async (tx) => {
            await messages.received(tx, number, message);
            const { wa_id, user_id } = contact ?? {};
            for (const id of [wa_id, user_id, value.from_user_id]) {
              const isNew = typeof id === 'string' && !(await tx.in(contactAliases).get(idKey(uuid, id)));
              if (isNew) acceptance.alias(tx, uuid, id as string, message.contact.id);
            }
            job.done(tx);
          })
          .catch((error: unknown) => {
            if (!(error instanceof MessageIdTaken)) throw error;
            log.warn('the network reused the id of a message of another contact', { number_id: uuid, error });
          });
      }
    },
    { concurrency: 32, maxAttempts: MAX_ATTEMPTS },
  );
}
