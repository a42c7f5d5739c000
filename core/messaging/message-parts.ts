import type { Clock } from '../ports/clock.js';
import type { Transaction } from '../ports/transaction.js';
import type { Connections } from './connections.js';
import type { MessageHappened } from './events.js';
import type { MessageRecord, NotificationError } from './message.js';
import { type Messages, unixSeconds } from './messages.js';
import type { NumberRecord } from './number.js';
import type { Numbers } from './numbers.js';

/** More parts than a message can have. */
const MAX_PARTS = 100;
/** The reason of parts that were not sent because one before them failed. */
const EARLIER = 'earlier_part_failed';

/** A delivery, as far as it says which part of which message it is. */
interface PartDelivery {
  readonly uuid: string;
  readonly sender?: string | undefined;
  readonly number: string;
  readonly message?: string | undefined;
  readonly event: string;
  readonly state: string;
  readonly run: number;
  readonly reason?: string | undefined;
}

/** The service of deliveries in the context of a plugin. */
interface PartDeliveries {
  post(
    tx: Transaction,
    request: {
      readonly sender: string;
      readonly webhook: NonNullable<Awaited<ReturnType<Connections['destination']>>>;
      readonly event: string;
      readonly isNew: true;
      readonly kind: 'network';
      readonly body: object;
      readonly message: string;
      readonly conversation: string;
      readonly recipient: string;
    },
  ): Promise<unknown>;
  list(by: { message: string; limit: number }): Promise<readonly PartDelivery[]>;
  withdraw(tx: Transaction, uuid: string, reason: string): Promise<void>;
  redeliver(tx: Transaction, uuid: string): Promise<unknown>;
}

interface PartPorts {
  readonly numbers: Pick<Numbers, 'require'>;
  readonly messages: Pick<Messages, 'current' | 'accepted' | 'addRemoteId' | 'status' | 'undeliverable' | 'refused' | 'markPending'>;
  readonly deliveries: PartDeliveries;
  readonly clock: Pick<Clock, 'now'>;
}

/** A settled part with its number, and its message unless that was deleted. */
type Settled<S, M> = S & { readonly number: NumberRecord; readonly part: number; readonly message: M };

/** How the parts of a channel end. */
interface PartOutcomes<S> {
  /** The service has accepted a part. @returns the id that it gave the part, if any */
  accepted(tx: Transaction, settled: Settled<S, MessageRecord | undefined>): Promise<string | undefined> | string | undefined;
  /** A part has failed, and with it the message. @returns the error of the message */
  failed(tx: Transaction, settled: Settled<S, MessageRecord>): Promise<NotificationError> | NotificationError;
  /** Whether an accepted message is `sent`, on a service that reports no statuses. */
  readonly isSent?: boolean;
  /** Whether messages have their ids before they are sent (`identify`). */
  readonly isIdentified?: boolean;
}

/** The number of a part, from 1, and how many its message has. */
export function partOf({ event }: Pick<PartDelivery, 'event'>): { part: number; parts: number } {
  const [, part = 1, parts = 1] = event.split('/').map(Number);
  return { part, parts };
}

/** Sends messages in parts, and settles them. */
export type MessageParts = ReturnType<typeof createMessageParts>;

/**
 * Sends each message of a channel as one or more deliveries of a sender, one after the other. The message is accepted with its last part; when a
 * part fails, the message fails, and later parts are not sent.
 */
export function createMessageParts({ numbers, messages, deliveries, clock }: PartPorts, sender: string) {
  /** Sends the part after one that was redelivered, if it was cancelled because of it. */
  async function next(tx: Transaction, { message, event, run }: PartDelivery): Promise<void> {
    if (run === 1) return;
    const { part, parts } = partOf({ event });
    const name = `${message}/${part + 1}/${parts}`;
    const after = (await deliveries.list({ message: message!, limit: MAX_PARTS })).find((one) => one.event === name);
    if (after?.reason === EARLIER) await deliveries.redeliver(tx, after.uuid);
  }

  return {
    /** Queues the bodies of a message, for `deliver` of a driver. */
    async post(
      tx: Transaction,
      webhook: Parameters<PartDeliveries['post']>[1]['webhook'],
      { message, conversation }: Pick<MessageHappened, 'message' | 'conversation'>,
      bodies: readonly object[],
    ): Promise<void> {
      const about = { sender, webhook, isNew: true as const, kind: 'network' as const, recipient: message.to };
      for (const [i, body] of bodies.entries()) {
        const event = `${message.uuid}/${i + 1}/${bodies.length}`;
        await deliveries.post(tx, { ...about, event, body, message: message.uuid, conversation: conversation.uuid });
      }
    },

    /** A listener of `deliverySettled`, which settles the message of a part. */
    settled:
      <S extends { readonly delivery: PartDelivery }>({ accepted, failed, isSent = false, isIdentified = false }: PartOutcomes<S>) =>
      async (settled: S, tx: Transaction): Promise<void> => {
        const { sender: of, message: uuid, number: numberId, state } = settled.delivery;
        if (of !== sender || uuid === undefined) return;
        const number = await numbers.require(numberId);
        const message = await messages.current(tx, uuid);
        const { part, parts } = partOf(settled.delivery);
        if (state === 'delivered') {
          const id = await accepted(tx, { ...settled, number, part, message });
          if (part !== parts) {
            if (id !== undefined) await messages.addRemoteId(tx, number, uuid, id);
            return next(tx, settled.delivery);
          }
          const sent = await messages.accepted(tx, number, uuid, id);
          if (!isSent || sent?.external_id === undefined) return;
          const about = { id: sent.external_id, recipient: sent.to, timestamp: unixSeconds(clock.now()) };
          await messages.status(tx, number, { ...about, status: 'sent' });
          return;
        }
        if (!message?.pending_for) return;
        const error = await failed(tx, { ...settled, number, part, message });
        await messages[isIdentified ? 'refused' : 'undeliverable'](tx, number, uuid, error);
        for (const other of await deliveries.list({ message: uuid, limit: MAX_PARTS }))
          if (other.uuid !== settled.delivery.uuid) await deliveries.withdraw(tx, other.uuid, EARLIER);
      },

    /** A listener of `deliveryQueued`: a message that an operator sends again is pending again. */
    async queued({ delivery: { sender: of, run, message } }: { readonly delivery: PartDelivery }, tx: Transaction): Promise<void> {
      if (of === sender && run > 1 && message !== undefined) await messages.markPending(tx, message);
    },
  };
}
