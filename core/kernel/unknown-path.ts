import type { Request, ServerRoute } from '@hapi/hapi';
import type { ErrorShape } from '../contract/plugin.js';
import { MethodNotAllowed, RouteNotFound } from '../errors.js';
import { errorResponse } from './answers.js';
import { isPlatformRoute } from './mounted-route.js';

/** The fallback below a root: responds with 404 or 405 to any method, without reading the body. */
export function unknownPathRoute(root: string, shape: ErrorShape | undefined): ServerRoute {
  return {
    method: '*',
    path: `${root}/{path*}`,
    options: {
      auth: false,
      state: { parse: false },
      payload: { parse: false, output: 'stream', override: 'application/octet-stream', failAction: 'ignore' },
    },
    handler(request, h) {
      const { method, path } = request;
      const allowed = methodsOf(request);
      return errorResponse(h, allowed.length > 0 ? new MethodNotAllowed(method, path, allowed) : new RouteNotFound(method, path), shape);
    },
  };
}

function methodsOf({ server, path, info }: Request): string[] {
  const known = METHODS.filter((method) => isPlatformRoute(server.match(method, path, info.hostname)));
  // hapi serves HEAD with the route for GET.
  return known.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
