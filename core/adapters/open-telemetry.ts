import type { Context, Span as OtelSpan, SpanContext } from '@opentelemetry/api';
import type { LogFields } from '../ports/logger.js';
import type { Span, SpanAttributes, SpanStart, TraceParent, Tracing } from '../ports/tracing.js';

/** Options of `openTelemetry`. */
export interface OpenTelemetryOptions {
  /** Name of the instrumentation, for filtering spans; `posthorn` if not given. */
  readonly name?: string;
}

/**
 * Traces through the OpenTelemetry API. The host application provides the SDK, exporter and context manager. Needs the package
 * `@opentelemetry/api`, which is loaded when the platform starts.
 */
export const openTelemetry = (options: OpenTelemetryOptions = {}): Tracing => new OpenTelemetry(options);

type Api = typeof import('@opentelemetry/api');

/** The package is optional, so it does not appear in exported types. */
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
      throw new Error('tracing needs a package that is not installed: npm install @opentelemetry/api', { cause: error });
    }
    this.#logged ??= this.#api.createContextKey('posthorn: fields of lines of the log');
  }

  begin({ name, kind, attributes = {}, parent, logged }: SpanStart): Span {
    const api = this.#api;
    if (!api) return NO_SPAN;
    const { trace, context, ROOT_CONTEXT, SpanKind } = api;
    const parentContext = parent === undefined ? context.active() : parent === null ? ROOT_CONTEXT : contextOf(api, parent);
    const options = { kind: SpanKind[kinds[kind]], attributes: attributes as Record<string, string> };
    const span = trace.getTracer(this.#name).startSpan(name, options, parentContext);
    const fields: LogFields = { ...this.#fieldsOf(parentContext), ...logged };
    return new StartedSpan(api, span, trace.setSpan(parentContext, span).setValue(this.#logged!, fields));
  }

  within<T>(span: Span, work: () => T): T {
    return span instanceof StartedSpan ? span.within(work) : work();
  }

  current(): { readonly traceparent: TraceParent; readonly logged: LogFields } | undefined {
    if (!this.#api) return undefined;
    const active = this.#api.context.active();
    const span = this.#api.trace.getSpanContext(active);
    const traceparent = span && traceparentOf(this.#api, span);
    if (traceparent === undefined) return undefined;
    const { traceId: trace_id, spanId: span_id } = span!;
    return { traceparent, logged: { ...this.#fieldsOf(active), trace_id, span_id } };
  }

  #fieldsOf(context: Context): LogFields | undefined {
    return context.getValue(this.#logged!) as LogFields | undefined;
  }
}

class StartedSpan implements Span {
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
    return traceparentOf(this.#api, this.#span.spanContext());
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

/** Used for operations before the platform has started. */
const NO_SPAN: Span = { traceparent: undefined, set: () => {}, fail: () => {}, end: () => {} };

const kinds = { server: 'SERVER', client: 'CLIENT', consumer: 'CONSUMER', internal: 'INTERNAL' } as const;

// Always W3C Trace Context, whatever propagator the host application uses: a later process has to read what a delivery stores.
const FORMAT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

function traceparentOf({ isSpanContextValid }: Api, span: SpanContext): TraceParent | undefined {
  if (!isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`;
}

function contextOf({ trace, ROOT_CONTEXT, isSpanContextValid }: Api, parent: TraceParent): Context {
  const [, traceId = '', spanId = '', flags = ''] = FORMAT.exec(parent) ?? [];
  const span: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT;
}
