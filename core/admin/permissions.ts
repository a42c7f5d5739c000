import { type Route, route } from '../contract/route.js';
import type { RateLimits } from '../kernel/http/rate-limit.js';
import { numberKinds } from '../messaging/number.js';
import { array, integer, nullable, object, oneOf, string } from '../shape.js';

/** The admin route that shows which kinds of number may make each call of the API, and how often. */
export function permissionRoutes({ routes, limits }: { readonly routes: () => readonly Route[]; readonly limits: RateLimits }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/permissions',
      permission: 'platform.read',
      accounts: 'none',
      summary:
        'Lists the calls that need a token, with the kinds of number whose tokens may make them and the rate-limit bucket in which they count. Tokens of other kinds get 403. `limits` has the calls per minute and number of each bucket; null without limits.',
      responses: {
        200: object({
          calls: array(
            object(
              { method: string(), path: string(), summary: string(), numbers: array(oneOf(...numberKinds)) },
              // Absent if the body decides the bucket.
              { bucket: oneOf('general', 'text', 'media', 'none') },
            ),
          ),
          limits: nullable(object({ general: integer(), text: integer(), media: integer() })),
        }),
      },
      handler: () => ({
        calls: routes()
          .filter(({ auth = 'bearer' }) => auth === 'bearer')
          .map(({ method, path, summary, numbers = numberKinds, bucket = 'general', bucketOf }) => {
            const call = { method, path, summary, numbers: [...numbers] };
            return bucketOf ? call : { ...call, bucket };
          }),
        limits: limits === false ? null : { ...limits },
      }),
    }),
  ];
}
