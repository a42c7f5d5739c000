import { type Route, route } from '../contract/route.js';
import { Unavailable } from '../errors.js';
import { event } from '../ports/events.js';
import type { Store, StoreHealth } from '../ports/store.js';
import { object, oneOf, string } from '../shape.js';

/** Announced when the store stops accepting writes; the payload has the reason. */
export const storeFailed = event<StoreHealth>('store.failed', 'The store accepts no more writes because of a fault; reads still work.');
/** Announced when the store accepts writes again. */
export const storeReopened = event<StoreHealth>('store.reopened', 'The store accepts writes again.');

const answer = object({ store: object({ state: oneOf('open', 'waiting', 'standby', 'failed', 'closed') }, { reason: string() }) });

/** Admin routes that show the health of the store and reopen it after a fault. */
export function storeRoutes(store: Store): Route[] {
  const health = (): StoreHealth => store.health?.() ?? { state: 'open' };
  return [
    route({
      method: 'GET',
      path: '/store',
      shards: 'process',
      summary: 'Shows whether the store accepts writes, and if not, why.',
      needsNoStore: true,
      responses: { 200: answer },
      handler: () => ({ store: health() }),
    }),
    route({
      method: 'POST',
      path: '/store/reopen',
      shards: 'process',
      summary: 'Makes the store accept writes again after its disk was repaired; 503 while the fault lasts.',
      keepsNothing: true,
      responses: { 200: answer },
      async handler() {
        await store.reopen?.().catch((error: Error) => {
          throw new Unavailable(`The store cannot accept writes yet: ${error.message}`);
        });
        return { store: health() };
      },
    }),
  ];
}
