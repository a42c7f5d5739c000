import { type Route, route } from '../contract/route.js';
import type { Deliveries } from '../delivery/deliveries.js';
import { attemptSchema, deliverySchema } from '../delivery/delivery.js';
import type { Database } from '../ports/transaction.js';
import { anyText, fields, list, moment, text, whole } from '../shape.js';

const params = fields({ uuid: text() });
const oneDelivery = fields({ delivery: deliverySchema });

/** What was sent to webhooks, and what came of it. */
export function deliveryRoutes({ store, deliveries }: { store: Database; deliveries: Deliveries }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/deliveries',
      summary:
        'Lists deliveries, newest first; of one webhook, number or message if asked. `before` takes a moment, `after` the uuid of the last one listed.',
      request: {
        query: fields(
          {},
          { webhook: text(), number: text(), message: text(), before: moment(), after: text(), limit: whole().min(1).max(500) },
        ),
      },
      responses: { 200: fields({ deliveries: list(deliverySchema) }) },
      async handler({ query: { limit = 100, before, ...by } }) {
        const wanted = Object.fromEntries(Object.entries(by).filter(([, value]) => value !== undefined));
        const until = before === undefined ? {} : { before: new Date(before).toISOString() };
        return { deliveries: await deliveries.list({ limit, ...wanted, ...until }) };
      },
    }),
    route({
      method: 'GET',
      path: '/deliveries/{uuid}',
      summary: 'Shows a delivery, its body and every attempt.',
      request: { params },
      responses: { 200: fields({ delivery: deliverySchema, body: anyText(), attempts: list(attemptSchema) }) },
      handler: ({ params: { uuid } }) => deliveries.show(uuid),
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/redeliver',
      summary: 'Starts a delivery again from its first attempt.',
      request: { params },
      responses: { 200: oneDelivery },
      handler: async ({ params: { uuid } }) => ({ delivery: await store.transaction((tx) => deliveries.redeliver(tx, uuid)) }),
    }),
    route({
      method: 'POST',
      path: '/deliveries/{uuid}/cancel',
      summary: 'Gives up a delivery that is not settled yet.',
      request: { params },
      responses: { 200: oneDelivery },
      handler: async ({ params: { uuid } }) => ({ delivery: await store.transaction((tx) => deliveries.cancel(tx, uuid)) }),
    }),
  ];
}
