import type { Announcement } from '../ports/events.js';
import type { Logger } from '../ports/logger.js';
import { type AttemptRecord, type DeliveryRecord, deliveryAttempted, deliverySettled } from './delivery.js';

/** Logs deliveries: failed attempts at level `debug`, dropped deliveries at level `warn`. */
export function createDeliveryLog(log: Logger) {
  return {
    received({ name, payload }: Announcement): void {
      if (name === deliveryAttempted.name) attempted(payload as Attempted);
      else if (name === deliverySettled.name) settled(payload as { delivery: DeliveryRecord });
    },
  };

  function attempted({ delivery, attempt: { result, status, error_code: code, duration_ms: ms, run, n } }: Attempted): void {
    if (result !== 'delivered')
      log.debug('a delivery attempt failed', { ...about(delivery), run, n, result, status, code, ms, due_at: delivery.due_at });
  }

  function settled({ delivery }: { delivery: DeliveryRecord }): void {
    if (delivery.state !== 'dropped') return;
    const { reason, attempts, last_status: status } = delivery;
    log.warn('a delivery was dropped', { ...about(delivery), reason, attempts, status });
  }
}

interface Attempted {
  readonly delivery: DeliveryRecord;
  readonly attempt: AttemptRecord;
}

const about = ({ uuid, webhook, event, number }: DeliveryRecord) => ({
  delivery_id: uuid,
  webhook_id: webhook,
  event_id: event,
  number_id: number,
});
