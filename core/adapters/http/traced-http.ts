import type { HttpClient, HttpOutcome, HttpRequest } from '../../ports/http-client.js';
import type { Span, Tracing } from '../../ports/tracing.js';

/** From here on an answer is a failure for whoever asked. */
const FIRST_FAILURE = 400;

/**
 * A client whose requests are spans, and tell the other side which. A span has no path and no query, which may carry secrets:
 * it says in other ways what it is for.
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

  async send(request: HttpRequest): Promise<HttpOutcome> {
    const { method, url, span: { name = method, parent, attributes } = {} } = request;
    const target = URL.canParse(url) ? new URL(url) : undefined;
    const span = this.#tracing.begin({
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
      const outcome = await this.#tracing.within(span, () => this.#http.send(withCause(request, span)));
      report(span, outcome);
      return outcome;
    } finally {
      span.end();
    }
  }
}

/** What somebody wrote there by himself stays. */
function withCause(request: HttpRequest, { traceparent }: Span): HttpRequest {
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
