import type { RouteOptions, Server, ServerRoute } from '@hapi/hapi';
import { errorResponse } from './answers.js';
import { createBrowserGuard } from './browser-guard.js';
import type { CallGate } from './call-gate.js';
import { checkOrigin } from './cors.js';
import { guestSettings } from './guest-settings.js';
import { type routeState, STATE_KEY } from './mounted-route.js';

/** How long browsers keep the answer: the most that they accept. */
const KEPT_SECONDS = 7_200;

interface Guarded {
  readonly trustedHosts: Parameters<typeof createBrowserGuard>[0] | undefined;
  readonly publicUrl: Parameters<typeof createBrowserGuard>[1];
  readonly gate?: CallGate | undefined;
}

const preflightHeaders = (methods: readonly string[]): Readonly<Record<string, string>> => ({
  'access-control-allow-methods': methods.join(', '),
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': String(KEPT_SECONDS),
});

/** Routes that answer the preflight requests of browsers, for the paths of routes that pages of other origins may call. */
export function preflightRoutes(
  server: Server,
  mounted: readonly ServerRoute[],
  { trustedHosts, publicUrl, gate }: Guarded,
): ServerRoute[] {
  const guard = trustedHosts && createBrowserGuard(trustedHosts, publicUrl);
  const found = mounted.flatMap(({ path, method, options }) => {
    const mountedRoute = ((options as RouteOptions).plugins as ReturnType<typeof routeState>)[STATE_KEY]?.();
    const origins = mountedRoute?.route.origins;
    return origins ? [{ path, method: String(method), origins, shape: mountedRoute.shape }] : [];
  });
  return [...new Map(found.map((one) => [one.path, one])).values()].map(({ path, origins, shape }) => ({
    method: 'OPTIONS',
    path,
    options: { ...guestSettings(server, 'GET'), auth: false, cors: false },
    async handler(request, h) {
      const refused = guard?.(request, { anyOrigin: true }) ?? (await checkOrigin(origins, request, gate?.refusal()));
      if (refused) return errorResponse(h, refused, shape);
      const methods = found.filter((one) => one.path === path).map(({ method }) => method);
      const response = h.response().code(204);
      for (const [name, value] of Object.entries(preflightHeaders(methods))) response.header(name, value);
      return response;
    },
  }));
}
