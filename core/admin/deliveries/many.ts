import { owned } from '../../contract/accounts.js';
import { type Route, route } from '../../contract/route.js';
import { type DeliveryFilter, inBulk } from '../../delivery/bulk.js';
import type { Deliveries } from '../../delivery/deliveries.js';
import { webhooks } from '../../delivery/webhook.js';
import { NotFound } from '../../errors.js';
import { numbers } from '../../messaging/number.js';
import { array, boolean, dateTime, integer, object, oneOf, string, withoutUndefined } from '../../shape.js';
import type { DeliveryParts } from './parts.js';

/** Limits of a bulk call, in deliveries. */
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

const filter = {
  webhook: string(),
  number: string(),
  reason: string(),
  from: dateTime(),
  to: dateTime(),
  limit: integer().min(1).max(MAX_LIMIT),
};

/** Redelivers many deliveries. */
export function redeliverManyRoute(parts: DeliveryParts): Route {
  const { deliveries, settledDeliveries: settled } = parts;
  return route({
    method: 'POST',
    path: '/deliveries/redeliver',
    permission: 'deliveries.redeliver',
    accounts: { number: owned.number, webhook: owned.webhook },
    shards: 'each',
    summary: 'Redelivers many deliveries, oldest first: by default all that were cancelled or dropped, otherwise those in `states`.',
    request: {
      payload: object(
        {},
        {
          ...filter,
          states: array(oneOf('retry_wait', 'delivered', 'cancelled', 'dropped'))
            .min(1)
            .unique(),
        },
      ),
    },
    responses: { 200: object({ redelivered: integer(), deliveries: array(string()), more: boolean() }) },
    async handler({ payload: { states = ['cancelled', 'dropped'], limit = DEFAULT_LIMIT, ...about } }) {
      await assertKnown(parts, about);
      const bulk = { filter: filterOf(about, states), limit };
      const { deliveries: done, more } = await inBulk({ ...parts, settled }, bulk, (tx, uuid) => deliveries.redeliver(tx, uuid));
      return { redelivered: done.length, deliveries: done, more };
    },
  });
}

/** Cancels many deliveries. */
export function cancelManyRoute(parts: DeliveryParts): Route {
  const { deliveries, settledDeliveries: settled } = parts;
  return route({
    method: 'POST',
    path: '/deliveries/cancel',
    permission: 'deliveries.redeliver',
    accounts: { number: owned.number, webhook: owned.webhook },
    shards: 'each',
    summary: 'Cancels many unsettled deliveries, oldest first.',
    keepsNothing: true,
    request: {
      payload: object(
        {},
        {
          ...filter,
          states: array(oneOf('queued', 'sending', 'retry_wait'))
            .min(1)
            .unique(),
        },
      ),
    },
    responses: { 200: object({ cancelled: integer(), deliveries: array(string()), more: boolean() }) },
    async handler({ payload: { states = ['queued', 'retry_wait'], limit = DEFAULT_LIMIT, ...about } }) {
      await assertKnown(parts, about);
      const bulk = { filter: filterOf(about, states), limit };
      const { deliveries: done, more } = await inBulk({ ...parts, settled }, bulk, (tx, uuid) => deliveries.cancel(tx, uuid));
      return { cancelled: done.length, deliveries: done, more };
    },
  });
}

/** Refuses unknown uuids: a typing error gets 404 instead of a success without deliveries. @throws NotFound */
async function assertKnown(
  { store, deliveries }: Pick<DeliveryParts, 'store' | 'deliveries'>,
  { webhook, number }: BulkFilter,
): Promise<void> {
  if (webhook !== undefined && !(await store.open(webhooks).get(webhook))) await assertHasDeliveries(deliveries, 'webhook', webhook);
  if (number !== undefined && !(await store.open(numbers).get(number))) await assertHasDeliveries(deliveries, 'number', number);
}

/** Deliveries can outlive their webhook or number. */
async function assertHasDeliveries(deliveries: Deliveries, noun: 'webhook' | 'number', uuid: string): Promise<void> {
  if ((await deliveries.list({ [noun]: uuid, limit: 1 })).length === 0) throw new NotFound(noun, uuid);
}

interface BulkFilter {
  readonly webhook?: string | undefined;
  readonly number?: string | undefined;
  readonly reason?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function filterOf({ from, to, ...about }: BulkFilter, states: readonly string[]): DeliveryFilter {
  return {
    ...withoutUndefined(about),
    states: states as DeliveryFilter['states'],
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(to !== undefined && { to: new Date(to).toISOString() }),
  };
}
