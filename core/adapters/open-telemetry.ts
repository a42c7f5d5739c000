import type { Context, Span as OtelSpan, SpanContext } from '@opentelemetry/api';
import type { LogFields } from '../ports/logger.js';
import type { Span, SpanAttributes, SpanStart, TraceParent, Tracing } from '../ports/tracing.js';

/** What `openTelemetry` may be told. */
export interface OpenTelemetryOptions {
  /** The name of the instrumentation, by which spans can be filtered; `posthorn` if not given. */
  readonly name?: string;
}

/**
 * Spans through the API of OpenTelemetry: the SDK, its exporter and its context manager are the host's. Needs the package
 * `@opentelemetry/api`, which is loaded when the platform starts.
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Tracing => new OpenTelemetry(options);

type Api = typeof import('@opentelemetry/api');

/** Its package is optional, so it is in no type that others see. */
export class OpenTelemetry implements Tracing {
  readonly #name: string;
  readonly #load: () => Promise<unknown>;
  #api: Api | undefined;
  #logged: symbol | undefined;

  constructor({ name = 'posthorn' }: OpenTelemetryOptions = {}, load: () => Promise<unknown> = () => import('@opentelemetry/api')) {
    this.#name = name;
    this.#load = load;
  }

  async start(): Promise<void> {
    try {
      this.#api = (await this.#load()) as Api;
    } catch (error) {
      throw new Error('traces need a package that is not installed: npm install @opentelemetry/api', { cause: error });
    }
    this.#logged ??= this.#api.createContextKey('posthorn: fields of lines of the log');
  }

  begin({ name, kind, attributes = {}, parent, logged }: SpanStart): Span {
    const api = this.#api;
    if (!api) return NOTHING;
    const { trace, context, ROOT_CONTEXT, SpanKind } = api;
    const above = parent === undefined ? context.active() : parent === null ? ROOT_CONTEXT : remote(api, parent);
    const options = { kind: SpanKind[kinds[kind]], attributes: attributes as Record<string, string> };
    const span = trace.getTracer(this.#name).startSpan(name, options, above);
    const fields: LogFields = { ...this.#fieldsOf(above), ...logged };
    return new Started(api, span, trace.setSpan(above, span).setValue(this.#logged!, fields));
  }

  within<T>(span: Span, work: () => T): T {
    return span instanceof Started ? span.within(work) : work();
  }

  current(): { readonly traceparent: TraceParent; readonly logged: LogFields } | undefined {
    if (!this.#api) return undefined;
    const here = this.#api.context.active();
    const span = this.#api.trace.getSpanContext(here);
    const traceparent = span && written(this.#api, span);
    if (traceparent === undefined) return undefined;
    const { traceId: trace_id, spanId: span_id } = span!;
    return { traceparent, logged: { ...this.#fieldsOf(here), trace_id, span_id } };
  }

  #fieldsOf(context: Context): LogFields | undefined {
    return context.getValue(this.#logged!) as LogFields | undefined;
  }
}

class Started implements Span {
  readonly #context: Context;
  readonly #api: Api;
  readonly #span: OtelSpan;
  #ended = false;

  constructor(api: Api, span: OtelSpan, context: Context) {
    this.#api = api;
    this.#span = span;
    this.#context = context;
  }

  get traceparent(): TraceParent | undefined {
    return written(this.#api, this.#span.spanContext());
  }

  within<T>(work: () => T): T {
    return this.#api.context.with(this.#context, work);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes as Record<string, string>);
  }

  fail(reason: string): void {
    this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: reason });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#span.end();
  }
}

/** What begins before the platform has started. */
const NOTHING: Span = { traceparent: undefined, set: () => {}, fail: () => {}, end: () => {} };

const kinds = { server: 'SERVER', client: 'CLIENT', consumer: 'CONSUMER', internal: 'INTERNAL' } as const;

// W3C Trace Context, whatever propagator the host has: what a delivery remembers is to be read by the next process too.
const FORMAT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

function written({ isSpanContextValid }: Api, span: SpanContext): TraceParent | undefined {
  if (!isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`;
}

function remote({ trace, ROOT_CONTEXT, isSpanContextValid }: Api, parent: TraceParent): Context {
  const [, traceId = '', spanId = '', flags = ''] = FORMAT.exec(parent) ?? [];
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;
}
