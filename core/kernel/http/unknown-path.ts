import type { Request, RouteOptionsPayload, Server, ServerRoute } from '@hapi/hapi';
import type { ErrorShape } from '../../contract/plugin.js';
import { MethodNotAllowed, RouteNotFound } from '../../errors.js';
import { errorResponse } from './answers.js';
import { guestSettings } from './guest-settings.js';
import { isPlatformRoute } from './mounted-route.js';

/** The settings of the body of a route that passes it on or ignores it. */
export const UNREAD: RouteOptionsPayload = {
  parse: false,
  output: 'stream',
  override: 'application/octet-stream',
  allow: ['application/octet-stream'],
  maxBytes: Number.MAX_SAFE_INTEGER,
  failAction: 'ignore',
  timeout: false,
};

/** The fallback below a root: responds with 404 or 405 to a method, by default any, without reading the body. */
export function unknownPathRoute(server: Server, root: string, shape: ErrorShape | undefined, method: Method = '*'): ServerRoute {
  return {
    method,
    path: `${root}/{path*}`,
    options: { ...guestSettings(server, method), auth: false, ...(method !== 'GET' && { payload: UNREAD }) },
    handler(request, h) {
      const { method, path } = request;
      const allowed = methodsOf(request);
      return errorResponse(h, allowed.length > 0 ? new MethodNotAllowed(method, path, allowed) : new RouteNotFound(method, path), shape);
    },
  };
}

/**
 * Adds the fallbacks below roots, for all methods. hapi prefers a route for one method and every path, such as `GET /{file*}` of the host.
 * When the server starts, and has such routes, the fallbacks are added for their methods too.
 */
export function addFallbacks(server: Server, roots: readonly string[], fallback: (root: string, method: Method) => ServerRoute): void {
  server.route(roots.map((root) => fallback(root, '*')));
  const { prefix = '', vhost } = server.realm.modifiers.route;
  server.ext('onPreStart', () => {
    for (const root of roots) {
      const below = `${prefix}${root}/`;
      for (const method of METHODS) {
        const found = server.match(method.toLowerCase() as 'get', `${below}${OF_NO_ROUTE}`, [vhost].flat()[0]);
        if (found && String(found.method) !== '*' && !found.path.startsWith(below)) server.route(fallback(root, method));
      }
    }
  });
}

function methodsOf({ server, path, info }: Request): string[] {
  const known = METHODS.filter((method) => isPlatformRoute(server.match(method, path, info.hostname)));
  // hapi serves HEAD with the route for GET.
  return known.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The method of a fallback; `*` is any. */
export type Method = '*' | (typeof METHODS)[number];

/** Only routes for every path match it. */
const OF_NO_ROUTE = 'no/route/has/a/path/of/so/many/segments';
