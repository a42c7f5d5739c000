import type { DeclaredCause } from '../contract/cause.js';
import { type Route, route } from '../contract/route.js';
import { array, boolean, object, oneOf, string } from '../shape.js';

const shown = object({
  cause: string(),
  /** The plugin that declares it, or `core`. */
  plugin: string(),
  meaning: string(),
  who: oneOf('caller', 'operator'),
  action: string(),
  retry: boolean(),
});

/** The admin route that explains the causes of refusals, for the command line and the console. */
export const causeRoutes = (causes: () => readonly DeclaredCause[]): Route[] => [
  route({
    method: 'GET',
    path: '/causes',
    permission: 'platform.read',
    accounts: 'none',
    summary:
      'Lists the causes that the header `X-Posthorn-Cause` of a refused call names, each with its meaning, who acts, and whether a retry may succeed.',
    shards: 'process',
    responses: { 200: object({ causes: array(shown) }) },
    handler: () => ({ causes: [...causes()] }),
  }),
];
