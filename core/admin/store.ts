import { type Route, route } from '../contract/route.js';
import { Unavailable } from '../errors.js';
import { event } from '../ports/events.js';
import type { Store, StoreHealth } from '../ports/store.js';
import { object, oneOf, string } from '../shape.js';

/** Announced when the store stops taking writes; the payload says why. */
export const storeFailed = event<StoreHealth>('store.failed', 'The store takes no more writes because of a fault; reads go on.');
/** Announced when the store takes writes again. */
export const storeReopened = event<StoreHealth>('store.reopened', 'The store takes writes again.');

const answer = object({ store: object({ state: oneOf('open', 'failed', 'closed') }, { reason: string() }) });

/** Whether the store takes writes, and how it is made to take them again. */
export function storeRoutes(store: Store): Route[] {
  const health = (): StoreHealth => store.health?.() ?? { state: 'open' };
  return [
    route({
      method: 'GET',
      path: '/store',
      summary: 'Shows whether the store takes writes, and if not, why.',
      responses: { 200: answer },
      handler: () => ({ store: health() }),
    }),
    route({
      method: 'POST',
      path: '/store/reopen',
      summary: 'Lets the store take writes again, once what was wrong with its disk is mended. 503 while it is not.',
      keepsNothing: true,
      responses: { 200: answer },
      async handler() {
        await store.reopen?.().catch((error: Error) => {
          throw new Unavailable(`The store cannot take writes yet: ${error.message}`);
        });
        return { store: health() };
      },
    }),
  ];
}
