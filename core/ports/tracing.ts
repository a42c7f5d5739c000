import type { LogFields } from './logger.js';

/** A position in a trace: the `traceparent` header of W3C Trace Context. */
export type TraceParent = string;

/** Attributes of a span; undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The start of a span. */
export interface SpanStart {
  /** One of a few fixed names. Put values that vary into `attributes`. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  /** Named by OpenTelemetry's semantic conventions where they define a name. */
  readonly attributes?: SpanAttributes;
  /** The parent span, from this process or another. The current span if not given; none if null or unreadable. */
  readonly parent?: TraceParent | null | undefined;
  /** Fields added to every log line written within the span. */
  readonly logged?: LogFields;
}

/** A running, traced operation. */
export interface Span {
  /** Undefined when tracing is off. */
  readonly traceparent: TraceParent | undefined;
  set(attributes: SpanAttributes): void;
  /** Marks the operation as failed. */
  fail(reason: string): void;
  /** Ends the span. Later calls on the span do nothing. */
  end(): void;
}

/** Distributed tracing. Off unless the host application provides it. */
export interface Tracing {
  /** Called before the first span; rejects when tracing cannot start. */
  start?(): Promise<void>;
  begin(start: SpanStart): Span;
  /** Runs `work` with the span as current, including everything it awaits. */
  within<T>(span: Span, work: () => T): T;
  /** The current span, and the log fields that apply here. */
  current(): { readonly traceparent: TraceParent; readonly logged: LogFields } | undefined;
}
