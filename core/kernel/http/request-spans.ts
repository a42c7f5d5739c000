import type { Request, ResponseToolkit } from '@hapi/hapi';
import type { Span, Tracing } from '../../ports/tracing.js';
import { requestId } from './mounted-route.js';

/** The span of each request to the platform. It has the path of the route, because the path of the request may contain a token. */
export type RequestSpans = ReturnType<typeof createRequestSpans>;

export function createRequestSpans(tracing: Tracing) {
  const spans = new WeakMap<Request, Span>();

  return {
    /** Starts the span: within the current span of the host application, else with the `traceparent` of the client. */
    begin(request: Request, h: ResponseToolkit): symbol {
      const method = request.method.toUpperCase();
      const id = requestId(request);
      const isInside = tracing.current() !== undefined;
      const parent = request.headers.traceparent;
      const span = tracing.begin({
        name: `${method} ${request.route.path}`,
        kind: isInside ? 'internal' : 'server',
        ...(!isInside && typeof parent === 'string' && { parent }),
        attributes: {
          'http.request.method': method,
          'http.route': request.route.path,
          'url.scheme': request.server.info.protocol,
          'posthorn.request.id': id,
        },
        logged: { request_id: id },
      });
      spans.set(request, span);
      // A client that disconnects gets no response, so `end` would not be called.
      request.events.once('disconnect', () => span.end());
      return h.continue;
    },

    within<T>(request: Request, work: () => T): T {
      const span = spans.get(request);
      return span ? tracing.within(span, work) : work();
    },

    end(request: Request, status: number): void {
      const span = spans.get(request);
      span?.set({ 'http.response.status_code': status });
      if (status >= 500) {
        span?.set({ 'error.type': String(status) });
        span?.fail(String(status));
      }
      span?.end();
    },
  };
}
