import type { HttpClient, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import type { Span, Tracing } from '../../ports/tracing.js';

/** Responses from this status on count as failures in a trace. */
const FIRST_FAILURE = 400;

/**
 * Traces requests of an HTTP client as spans and sends their trace context. Spans have no path or query, which may contain
 * secrets; the caller describes the request in the span's name and attributes.
 */
export class TracedHttp implements HttpClient {
  readonly #http: HttpClient;
  readonly #tracing: Tracing;

  constructor(http: HttpClient, tracing: Tracing) {
    this.#http = http;
    this.#tracing = tracing;
  }

  start(): void {
    this.#http.start?.();
  }

  refusal(url: string): string | undefined {
    return this.#http.refusal?.(url);
  }

  stop(): Promise<void> {
    return this.#http.stop();
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    return traced(this.#tracing, request, (withContext) => this.#http.send(withContext));
  }
}

/** Sends a request, with its trace context as a header, within a span that records the outcome. */
export async function traced<R extends HttpRequest>(
  tracing: Tracing,
  request: R,
  send: (withContext: R) => Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  const { method, url, span: { name = method, parent, attributes } = {} } = request;
  const target = URL.canParse(url) ? new URL(url) : undefined;
  const span = tracing.begin({
    name,
    kind: 'client',
    parent,
    attributes: {
      'http.request.method': method,
      'url.scheme': target?.protocol.slice(0, -1),
      'server.address': target?.hostname,
      'server.port': target && (Number(target.port) || (target.protocol === 'https:' ? 443 : 80)),
      ...attributes,
    },
  });
  try {
    const outcome = await tracing.within(span, () => send(withCause(request, span)));
    report(span, outcome);
    return outcome;
  } finally {
    span.end();
  }
}

/** A `traceparent` header that the caller set takes precedence. */
function withCause<R extends HttpRequest>(request: R, { traceparent }: Span): R {
  const { headers = {} } = request;
  if (traceparent === undefined || Object.keys(headers).some((name) => name.toLowerCase() === 'traceparent')) return request;
  return { ...request, headers: { ...headers, traceparent } };
}

function report(span: Span, outcome: HttpOutcome): void {
  if (outcome.kind === 'response') span.set({ 'http.response.status_code': outcome.status });
  const failure = outcome.kind === 'response' ? String(outcome.status) : outcome.kind === 'timeout' ? 'timeout' : outcome.code;
  if (outcome.kind === 'response' && outcome.status < FIRST_FAILURE) return;
  span.set({ 'error.type': failure });
  span.fail(failure);
}
