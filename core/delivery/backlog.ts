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
 * Bounds what waits. Above the bound, requests that would make more of it are refused before anything of them is recorded;
 * what the platform itself makes is still taken, and nothing that was taken is ever dropped for its number.
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
    /** Counts what was left when the platform stopped. */
    async load(): Promise<void> {
      for await (const page of pagesOf(store, deliveryRecords)) {
        for (const delivery of page) if (!isSettled(delivery.state)) add(delivery);
      }
    },

    hears: (): Subscription[] => [
      on(deliveryQueued, async ({ delivery }) => add(delivery)),
      on(deliverySettled, async ({ delivery }) => remove(delivery)),
    ],

    /** Why a request that makes deliveries cannot be taken now, if it cannot. */
    refusal(): Unavailable | undefined {
      const isFull = waiting.size >= maxWaiting || bytes >= maxWaitingBytes;
      if (isFull !== wasFull) {
        wasFull = isFull;
        const fields = { waiting: waiting.size, bytes, maxWaiting, maxWaitingBytes };
        if (isFull) void warn(fields);
        else log.info('deliveries have room again', fields);
      }
      return isFull
        ? new Unavailable('Too many deliveries to webhooks wait; nothing was recorded, try again later', RETRY_AFTER_S)
        : undefined;
    },
  };

  /** With how many of them a paused webhook holds: then it is not the endpoints that are slow. */
  async function warn(fields: object): Promise<void> {
    const held = await store.open(pausedDeliveries).count();
    log.warn('too many deliveries wait: requests that make more of them are refused', { ...fields, heldByPauses: held });
  }
}
