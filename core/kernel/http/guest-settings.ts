import { parse } from 'node:querystring';
import type { Request, ResponseToolkit, RouteExtObject, RouteOptions, Server } from '@hapi/hapi';

/** Settings with which plugins that act on every route of a host skip one, as their pages document. */
const SKIPPED_BY_PLUGINS = { yar: { skip: true }, crumb: false, blankie: false };

/** No response has this status. */
const NO_STATUS = 599;

/**
 * The settings of a route that must not come from the `routes` defaults of the host, which hapi merges into every route: they must not
 * refuse, cache or change what the platform responds. Time limits and the form of responses stay those of the host: `timeout`, `json`,
 * `compression`, `cors` and `security`, except that the pages of the platform state themselves who may frame them.
 * @param method `GET` has no body
 */
export function guestSettings({ settings: { routes } }: Server, method: string) {
  return {
    plugins: SKIPPED_BY_PLUGINS,
    // Plugins of the host read `request.state`. A cookie that is invalid must not refuse the request.
    state: { parse: true, failAction: 'ignore' },
    validate: { headers: true, query: true, state: true, ...(method !== 'GET' && { payload: true }) },
    // `expiresIn` of the host would apply to responses with these statuses.
    cache: { statuses: [NO_STATUS], otherwise: 'no-cache' },
    // A sample of 0 validates no response.
    response: { sample: 0, modify: false, emptyStatusCode: 204 },
    // The type of hapi lacks the `false` that it accepts.
    ...(routes?.security && { security: { xframe: false as unknown as true } }),
  } satisfies RouteOptions;
}

/** Adds an extension of a route to those of the host's defaults, which hapi would otherwise drop. */
export const withHostExtensions = (
  { settings: { routes } }: Server,
  point: 'onPreAuth' | 'onPostAuth',
  method: RouteExtObject['method'],
): RouteExtObject[] => [...((routes?.ext?.[point] as RouteExtObject[] | undefined) ?? []), { method, options: {} }];

/**
 * Prepares requests to routes of the platform, in the realm `realmServer`, for what the host has set for all requests. Decides at start,
 * when all plugins are registered: most hosts need nothing.
 */
export function isolateRequests(realmServer: Server): void {
  realmServer.ext('onPreStart', () => {
    const { settings, states } = realmServer;
    const cookies = Object.entries(states.cookies as Record<string, { readonly autoValue?: unknown }>).flatMap(([name, { autoValue }]) =>
      autoValue === undefined ? [] : [name],
    );
    const hasParser = settings.query?.parser !== undefined;
    const hasCrumb = '@hapi/crumb' in realmServer.registrations;
    if (cookies.length === 0 && !hasParser && !hasCrumb) return;
    const isolate = (request: Request, h: ResponseToolkit) => {
      // hapi sets these cookies on responses unless the request has them.
      for (const name of cookies) request.state[name] ??= undefined;
      // Without a value, crumb sets a new cookie with each response, and the forms of the host that have the previous one fail.
      if (hasCrumb) Object.assign(request.plugins, { crumb: 'unused' });
      if (hasParser) Object.assign(request, { query: Object.assign(Object.create(null), parse(request.url.search.slice(1))) });
      return h.continue;
    };
    realmServer.ext('onPreAuth', isolate, { sandbox: 'plugin' });
  });
}
