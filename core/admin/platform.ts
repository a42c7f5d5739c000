import { type Route, route } from '../contract/route.js';
import type { Dialect } from '../dialect.js';
import type { RateLimits } from '../kernel/http/rate-limit.js';
import { CORE, type LoadedPlugin } from '../kernel/plugins/load.js';
import { nameOf } from '../kernel/plugins/order.js';
import { array, integer, nullable, object, string } from '../shape.js';

const answer = object({
  version: string(),
  node: string(),
  /** `<platform> <architecture>`, as Node names them. */
  system: string(),
  /** In load order: a plugin is after those that it needs. */
  plugins: array(
    object({
      name: string(),
      version: string(),
      needs: array(string()),
      optional: array(string()),
      /** The services that it offers to other plugins. */
      offers: array(string()),
      /** The names of its options, without their values. */
      options: array(string()),
      routes: integer(),
      admin_routes: integer(),
      events: integer(),
      collections: array(string()),
    }),
  ),
  /** The header of deliveries that has their signature. */
  signature_header: string(),
  /** Calls per minute for each number, by bucket; null without limits. */
  rate_limits: nullable(object({ general: integer(), text: integer(), media: integer() })),
});

interface PlatformParts {
  readonly dialect: Dialect;
  /** The version of the package. */
  readonly version: string;
  readonly plugins: () => readonly LoadedPlugin[];
  readonly limits: RateLimits;
}

/** The admin route that shows what runs: versions, plugins in load order, the name of the signature header, and rate limits. */
export const platformRoutes = ({ dialect, version, plugins, limits }: PlatformParts): Route[] => [
  route({
    method: 'GET',
    path: '/platform',
    permission: 'platform.read',
    accounts: 'none',
    summary: 'Shows versions, the plugins in load order with what they contribute, the name of the signature header, and the rate limits.',
    responses: { 200: object({ platform: answer }) },
    handler: () => ({
      platform: {
        version,
        node: process.version,
        system: `${process.platform} ${process.arch}`,
        plugins: plugins()
          .filter(({ manifest }) => manifest.name !== CORE)
          .map(
            ({
              manifest: { name, version, needs = [], optional = [], offers = [], options, emits = [], collections = {} },
              contributions,
            }) => ({
              name,
              version,
              needs: needs.map(nameOf),
              optional: [...optional],
              offers: offers.map((service) => service.name),
              options: Object.keys((options?.describe() as { keys?: object } | undefined)?.keys ?? {}),
              routes: contributions.routes?.length ?? 0,
              admin_routes: contributions.admin?.length ?? 0,
              events: emits.length,
              collections: Object.keys(collections),
            }),
          ),
        signature_header: dialect.headers.signature,
        rate_limits: limits === false ? null : { ...limits },
      },
    }),
  }),
];
