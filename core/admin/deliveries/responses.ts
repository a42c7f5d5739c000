import { owned } from '../../contract/accounts.js';
import { type Route, route } from '../../contract/route.js';
import { HIGH_UP_TO_MS, LOW_FROM_MS, SAMPLES } from '../../delivery/lanes.js';
import { noResponses } from '../../delivery/no-response.js';
import { WEBHOOK_SENDER } from '../../delivery/sender.js';
import { array, integer, nullable, number, object, oneOf, string } from '../../shape.js';
import type { DeliveryParts, DeliveryServices } from './parts.js';

/** `counted_ms` is what counts for the lane: without a response, the whole deadline. */
const responseSchema = object({
  delivery: string(),
  at: string(),
  status: integer(),
  no_response: nullable(oneOf(...noResponses)),
  error_code: nullable(string()),
  duration_ms: nullable(number()),
  counted_ms: number(),
});

/** Lists the newest responses of a webhook. */
export function responsesRoute({ deliveries, webhooks, senders }: DeliveryParts, { lanes }: Pick<DeliveryServices, 'lanes'>): Route {
  return route({
    method: 'GET',
    path: '/webhooks/{uuid}/responses',
    permission: 'deliveries.read',
    accounts: { uuid: owned.webhook },
    summary:
      'Lists the newest twenty responses of a webhook, oldest first, with the time that each counts for the lane, and the response times since the lane was last decided.',
    request: { params: object({ uuid: string() }) },
    responses: {
      200: object({
        responses: array(responseSchema),
        /** The next decision: how many of the needed response times there are, and their mean. */
        next: object({ count: integer(), of: integer(), mean_ms: nullable(number()) }),
        /** A mean up to `high_up_to_ms` gives the lane high, from `low_from_ms` on low, otherwise default. */
        thresholds: object({ high_up_to_ms: integer(), low_from_ms: integer() }),
      }),
    },
    async handler({ params: { uuid } }) {
      await webhooks.require(uuid);
      const { count, sumMs } = lanes.since(uuid);
      const deadlineMs = senders.get(WEBHOOK_SENDER)!.policy.deadlineMs;
      const attempts = await deliveries.sentTo(uuid, SAMPLES);
      return {
        responses: attempts.map(({ delivery, started_at: at, status, no_response, error_code, duration_ms, response }) => ({
          delivery,
          at,
          status,
          no_response,
          error_code,
          duration_ms,
          counted_ms: response === null ? deadlineMs : (duration_ms ?? deadlineMs),
        })),
        next: { count, of: SAMPLES, mean_ms: count === 0 ? null : sumMs / count },
        thresholds: { high_up_to_ms: HIGH_UP_TO_MS, low_from_ms: LOW_FROM_MS },
      };
    },
  });
}
