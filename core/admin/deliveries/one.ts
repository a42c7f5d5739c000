import { owned } from '../../contract/accounts.js';
import { type Route, route } from '../../contract/route.js';
import { type DeliveryRecord, deliverySchema, withCurrentState } from '../../delivery/delivery.js';
import { signatureOf } from '../../delivery/signature-steps.js';
import { Conflict } from '../../errors.js';
import { operatorOf } from '../../kernel/http/operators.js';
import { array, boolean, httpUrl, integer, nullable, object, string } from '../../shape.js';
import type { DeliveryParts } from './parts.js';

const MAX_REPLAYS = 100;
/** The largest body of an edited delivery, with its JSON around it. */
const MAX_EDIT_BYTES = 4 * 1024 * 1024;

const params = object({ uuid: string() });
const oneDelivery = object({ delivery: deliverySchema });

/** Redelivers a delivery, or sends changed copies of it. */
export function redeliverRoute(parts: DeliveryParts): Route {
  const { store, deliveries, webhooks } = parts;
  return route({
    method: 'POST',
    path: '/deliveries/{uuid}/redeliver',
    permission: 'deliveries.redeliver',
    morePermissions: ['deliveries.edit'],
    recorded: ['url', 'times'],
    accounts: { uuid: owned.delivery },
    summary:
      'Redelivers a delivery, starting with its first attempt. With `?no_retry=true` a failed attempt is not retried. With `body`, `url`, `keep_signature` or `times`, copies are sent, which only their records mark, in `replay_of`.',
    maxBytes: MAX_EDIT_BYTES,
    request: {
      params,
      query: object({}, { no_retry: boolean() }),
      // Without changes the call needs no body.
      payload: nullable(
        object(
          {},
          {
            /** The body to send, byte by byte. */
            body: string(),
            url: httpUrl(),
            /** Sends the signature of the original body. */
            keep_signature: boolean(),
            times: integer().min(1).max(MAX_REPLAYS),
          },
        ),
      ),
    },
    responses: { 200: object({ delivery: deliverySchema }, { replays: array(string()) }) },
    async handler({ params: { uuid }, query: { no_retry: noRetry = false }, payload, request }) {
      const { body, url, keep_signature: keeps = false, times } = payload ?? {};
      if (body === undefined && url === undefined && !keeps && times === undefined)
        return { delivery: await store.transaction((tx) => deliveries.redeliver(tx, uuid, { noRetry })) };
      if (body !== undefined || url !== undefined || keeps) operatorOf(request).need('deliveries.edit');
      if (url !== undefined) webhooks.assertCallable(url);
      const signature = keeps ? await signatureBefore(parts, uuid) : undefined;
      const copies = await store.transaction(async (tx) => {
        const queued: DeliveryRecord[] = [];
        for (let n = 0; n < (times ?? 1); n++) queued.push(await deliveries.replay(tx, uuid, { body, url, signature, noRetry }));
        return queued;
      });
      return { delivery: copies[0]!, replays: copies.map((copy) => copy.uuid) };
    },
  });
}

/** Makes a scheduled retry due now. */
export function retryRoute({ store, deliveries, clock }: DeliveryParts): Route {
  return route({
    method: 'POST',
    path: '/deliveries/{uuid}/retry',
    permission: 'deliveries.redeliver',
    accounts: { uuid: owned.delivery },
    summary: 'Makes the scheduled retry of a delivery due now; the next one follows after its usual gap.',
    keepsNothing: true,
    request: { params },
    responses: { 200: oneDelivery },
    async handler({ params: { uuid } }) {
      const delivery = await store.transaction((tx) => deliveries.retryNow(tx, uuid));
      return { delivery: withCurrentState(delivery, clock.now()) };
    },
  });
}

/** Cancels a delivery. */
export function cancelRoute({ store, deliveries }: DeliveryParts): Route {
  return route({
    method: 'POST',
    path: '/deliveries/{uuid}/cancel',
    permission: 'deliveries.redeliver',
    accounts: { uuid: owned.delivery },
    summary: 'Cancels an unsettled delivery.',
    keepsNothing: true,
    request: { params },
    responses: { 200: oneDelivery },
    handler: async ({ params: { uuid } }) => ({ delivery: await store.transaction((tx) => deliveries.cancel(tx, uuid)) }),
  });
}

/** The signature of the stored body with the current secret; links to media files, which change with each attempt, are not in it. */
async function signatureBefore({ deliveries, webhooks }: Pick<DeliveryParts, 'deliveries' | 'webhooks'>, uuid: string): Promise<string> {
  const { delivery } = await deliveries.show(uuid);
  const body = await deliveries.sentBody(uuid);
  const secret = await webhooks.signingKey(delivery.webhook).read();
  if (secret === undefined) throw new Conflict('webhook_removed', 'The webhook of this delivery was deleted, and its secret with it');
  return signatureOf(secret, body);
}
