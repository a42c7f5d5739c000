import { Unavailable } from '../errors.js';
import type { Logger } from '../ports/logger.js';
import type { DeliveryOutbox } from './delivery.js';
import type { DeliverySettings } from './delivery-options.js';

const RETRY_AFTER_S = 5;

/**
 * Applies backpressure: while too many deliveries are unsettled, requests that would create more are refused before anything is
 * recorded. Deliveries that the platform itself creates are still accepted, and the limit never drops an accepted delivery.
 */
export function createBacklog({
  outbox,
  log,
  settings: { maxWaiting, maxWaitingBytes },
}: {
  outbox: { readonly newest: Pick<DeliveryOutbox['newest'], 'unsettled'> };
  log: Pick<Logger, 'warn' | 'info'>;
  settings: Pick<DeliverySettings, 'maxWaiting' | 'maxWaitingBytes'>;
}) {
  let wasFull = false;

  return {
    /** The 503 for a request that would create deliveries while the backlog is full; undefined otherwise. */
    refusal(): Unavailable | undefined {
      const { count, bytes, held } = outbox.newest.unsettled();
      const isFull = count >= maxWaiting || bytes >= maxWaitingBytes;
      if (isFull !== wasFull) {
        wasFull = isFull;
        const fields = { waiting: count, bytes, maxWaiting, maxWaitingBytes };
        // How many belong to paused webhooks distinguishes a long pause from slow endpoints.
        if (isFull)
          log.warn('too many deliveries are pending: requests that would create more are refused', { ...fields, heldByPauses: held });
        else log.info('the delivery backlog is below its limit again', fields);
      }
      return isFull
        ? new Unavailable(
            'Too many deliveries to webhooks are pending; nothing was recorded, try again later',
            RETRY_AFTER_S,
            'backlog_full',
          )
        : undefined;
    },
  };
}
