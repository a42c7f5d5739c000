import type { Announcement } from '../ports/events.js';
import type { Logger } from '../ports/logger.js';
import { type AttemptRecord, type DeliveryRecord, deliveryAttempted, deliverySettled } from './delivery.js';
import type { NoResponse } from './no-response.js';

/** Logs deliveries: failed attempts at level `debug`; deliveries that were dropped, or cancelled because of the response, at level `warn`. */
export function createDeliveryLog(log: Logger) {
  return {
    received({ name, payload }: Announcement): void {
      if (name === deliveryAttempted.name) attempted(payload as Attempted);
      else if (name === deliverySettled.name) settled(payload as { delivery: DeliveryRecord });
    },
  };

  function attempted({ delivery, attempt: { result, error_code: code, duration_ms: ms, run, n, ...attempt } }: Attempted): void {
    const { status, no_response: noResponse } = attempt;
    if (result !== 'delivered')
      log.debug('a delivery attempt failed', {
        ...about(delivery),
        run,
        n,
        result,
        ...outcome(status, noResponse),
        code,
        ms,
        due_at: delivery.due_at,
      });
  }

  function settled({ delivery }: { delivery: DeliveryRecord }): void {
    const { state, reason, attempts, last_status: status, last_no_response: noResponse } = delivery;
    if (state !== 'dropped' && !(state === 'cancelled' && (reason === 'http_4xx' || reason === 'http_502'))) return;
    log.warn(`a delivery was ${state}`, { ...about(delivery), reason, attempts, ...outcome(status, noResponse) });
  }
}

interface Attempted {
  readonly delivery: DeliveryRecord;
  readonly attempt: AttemptRecord;
}

/** The status that the endpoint sent, or why it sent none. */
const outcome = (status: number | undefined, noResponse: NoResponse | null | undefined) =>
  noResponse ? { no_response: noResponse } : { status };

const about = ({ uuid, webhook, event, number }: DeliveryRecord) => ({
  delivery_id: uuid,
  webhook_id: webhook,
  event_id: event,
  number_id: number,
});
