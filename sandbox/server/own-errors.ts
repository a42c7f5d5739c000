import type { Server } from '@hapi/hapi';
import { defaultErrors, InvalidRequest, RouteNotFound } from '#core';

/** Renders hapi's own errors, such as for unknown routes, in our error shape. Only on a server without other applications. */
export function useOurErrors(server: Server): void {
  server.ext('onPreResponse', ({ method, path, route, response }, h) => {
    if (String(route.method) !== '_special' || !(response instanceof Error)) return h.continue;
    const isUnknown = response.output.statusCode === 404;
    const error = isUnknown ? new RouteNotFound(method, path) : new InvalidRequest([], 'The request URL is malformed');
    return h.response(defaultErrors.render(error)?.body).code(error.status);
  });
}
