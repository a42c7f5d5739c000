import { Unavailable } from '../errors.js';
import type { Logger } from '../ports/logger.js';
import { pagesOf } from '../ports/store.js';
import { on, type Subscription } from '../ports/subscription.js';
import type { Database } from '../ports/transaction.js';
import { type DeliveryRecord, deliveryQueued, deliveryRecords, deliverySettled, isSettled } from './delivery.js';
import type { DeliverySettings } from './delivery-options.js';
import { pausedDeliveries } from './webhook.js';

const RETRY_AFTER_S = 5;

/**
 * Applies backpressure: while too many deliveries are unsettled, requests that would create more are refused before anything is
 * recorded. Deliveries that the platform itself creates are still accepted, and the limit never drops an accepted delivery.
 */
export function createBacklog({
  store,
  log,
  settings: { maxWaiting, maxWaitingBytes },
}: {
  store: Database;
  log: Pick<Logger, 'warn' | 'info'>;
  settings: Pick<DeliverySettings, 'maxWaiting' | 'maxWaitingBytes'>;
}) {
  const waiting = new Map<string, number>();
  let bytes = 0;
  let wasFull = false;

  const add = ({ uuid, body_bytes, kept_bytes: size = body_bytes ?? 0 }: DeliveryRecord): void => {
    if (waiting.has(uuid)) return;
    waiting.set(uuid, size);
    bytes += size;
  };
  const remove = ({ uuid }: DeliveryRecord): void => {
    bytes -= waiting.get(uuid) ?? 0;
    waiting.delete(uuid);
  };

  return {
    /** Counts the unsettled deliveries in the store. Call it before requests are accepted. */
    async load(): Promise<void> {
      for await (const page of pagesOf(store, deliveryRecords)) {
        for (const delivery of page) if (!isSettled(delivery.state)) add(delivery);
      }
    },

    subscriptions: (): Subscription[] => [
      on(deliveryQueued, async ({ delivery }) => add(delivery)),
      on(deliverySettled, async ({ delivery }) => remove(delivery)),
    ],

    /** The 503 for a request that would create deliveries while the backlog is full; undefined otherwise. */
    refusal(): Unavailable | undefined {
      const isFull = waiting.size >= maxWaiting || bytes >= maxWaitingBytes;
      if (isFull !== wasFull) {
        wasFull = isFull;
        const fields = { waiting: waiting.size, bytes, maxWaiting, maxWaitingBytes };
        if (isFull) void warn(fields);
        else log.info('the delivery backlog is below its limit again', fields);
      }
      return isFull
        ? new Unavailable('Too many deliveries to webhooks are pending; nothing was recorded, try again later', RETRY_AFTER_S)
        : undefined;
    },
  };

  /** Logs how many unsettled deliveries belong to paused webhooks, to distinguish a long pause from slow endpoints. */
  async function warn(fields: object): Promise<void> {
    const paused = await store.open(pausedDeliveries).count();
    log.warn('too many deliveries are pending: requests that would create more are refused', { ...fields, heldByPauses: paused });
  }
}
