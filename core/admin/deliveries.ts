import { type Route, route } from '../contract/route.js';
import { type DeliveryFilter, inBulk } from '../delivery/bulk.js';
import type { Deliveries } from '../delivery/deliveries.js';
import { atMoment, attemptSchema, type DeliveryRecord, deliverySchema } from '../delivery/delivery.js';
import { webhooks } from '../delivery/webhook.js';
import { NotFound } from '../errors.js';
import { numbers } from '../messaging/number.js';
import type { Clock } from '../ports/clock.js';
import type { Database } from '../ports/transaction.js';
import { anyString, array, boolean, dateTime, integer, object, oneOf, string, withoutUndefined } from '../shape.js';

/** How many deliveries one call may be about, and how many when it does not say. */
const MAX = 1_000;
const MANY = 100;

const params = object({ uuid: string() });
const filter = {
  webhook: string(),
  number: string(),
  reason: string(),
  from: dateTime(),
  to: dateTime(),
  limit: integer().min(1).max(MAX),
};
const oneDelivery = object({ delivery: deliverySchema });

/** What was sent to webhooks, and what came of it. */
export function deliveryRoutes({ store, deliveries, clock }: { store: Database; deliveries: Deliveries; clock: Clock }): Route[] {
  const now = (delivery: DeliveryRecord): DeliveryRecord => atMoment(delivery, clock.now());

  return [
    route({
      method: 'GET',
      path: '/deliveries',
      summary:
        'Lists deliveries, newest first; of one webhook, number or message if asked. `before` takes a moment, `after` the uuid of the last one listed.',
      request: {
        query: object(
          {},
          { webhook: string(), number: string(), message: string(), before: dateTime(), after: string(), limit: integer().min(1).max(500) },
        ),
      },
      responses: { 200: object({ deliveries: array(deliverySchema) }) },
      async handler({ query: { limit = 100, before, ...by } }) {
        const until = before === undefined ? {} : { before: new Date(before).toISOString() };
        return { deliveries: (await deliveries.list({ limit, ...withoutUndefined(by), ...until })).map(now) };
      },
    }),
    route({
      method: 'GET',
      path: '/deliveries/{uuid}',
      summary: 'Shows a delivery, its body and every attempt.',
      request: { params },
      responses: { 200: object({ delivery: deliverySchema, body: anyString(), attempts: array(attemptSchema) }) },
      async handler({ params: { uuid } }) {
        const { delivery, ...shown } = await deliveries.show(uuid);
        return { delivery: now(delivery), ...shown };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/redeliver',
      summary: 'Starts many deliveries again, the oldest first: those that failed, unless other states are asked for.',
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
      async handler({ payload: { states = ['cancelled', 'dropped'], limit = MANY, ...about } }) {
        await assertKnown(about);
        const asked = { filter: filterOf(about, states), limit };
        const { deliveries: done, more } = await inBulk({ store, clock }, asked, (tx, uuid) => deliveries.redeliver(tx, uuid));
        return { redelivered: done.length, deliveries: done, more };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/cancel',
      summary: 'Gives up many deliveries that are not settled yet, the oldest first.',
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
      async handler({ payload: { states = ['queued', 'retry_wait'], limit = MANY, ...about } }) {
        await assertKnown(about);
        const asked = { filter: filterOf(about, states), limit };
        const { deliveries: done, more } = await inBulk({ store, clock }, asked, (tx, uuid) => deliveries.cancel(tx, uuid));
        return { cancelled: done.length, deliveries: done, more };
      },
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/redeliver',
      summary: 'Starts a delivery again from its first attempt, which with `?no_retry=true` is the only one.',
      request: { params, query: object({}, { no_retry: boolean() }) },
      responses: { 200: oneDelivery },
      handler: async ({ params: { uuid }, query: { no_retry: noRetry = false } }) => ({
        delivery: await store.transaction((tx) => deliveries.redeliver(tx, uuid, { noRetry })),
      }),
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/cancel',
      summary: 'Gives up a delivery that is not settled yet.',
      keepsNothing: true,
      request: { params },
      responses: { 200: oneDelivery },
      handler: async ({ params: { uuid } }) => ({ delivery: await store.transaction((tx) => deliveries.cancel(tx, uuid)) }),
    }),
  ];

  /** Whoever mistypes a webhook or a number is told so, and not that there is nothing to do. @throws NotFound */
  async function assertKnown({ webhook, number }: Pick<Asked, 'webhook' | 'number'>): Promise<void> {
    if (webhook !== undefined && !(await store.open(webhooks).get(webhook))) await assertLeft('webhook', webhook);
    if (number !== undefined && !(await store.open(numbers).get(number))) await assertLeft('number', number);
  }

  /** What was removed can have left deliveries behind. */
  async function assertLeft(noun: 'webhook' | 'number', uuid: string): Promise<void> {
    if ((await deliveries.list({ [noun]: uuid, limit: 1 })).length === 0) throw new NotFound(noun, uuid);
  }
}

interface Asked {
  readonly webhook?: string | undefined;
  readonly number?: string | undefined;
  readonly reason?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Moments as records have them. */
function filterOf({ from, to, ...about }: Asked, states: readonly string[]): DeliveryFilter {
  return {
    ...withoutUndefined(about),
    states: states as DeliveryFilter['states'],
    ...(from !== undefined && { from: new Date(from).toISOString() }),
    ...(to !== undefined && { to: new Date(to).toISOString() }),
  };
}
