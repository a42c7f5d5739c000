import type { LogFields } from './logger.js';

/** A place in a trace as it travels: the header `traceparent` of W3C Trace Context. */
export type TraceParent = string;

/** What a span is about; those that are undefined are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a span begins with. */
export interface SpanStart {
  /** One of a few: what it is about is said by attributes. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  /** In the words of OpenTelemetry's semantic conventions where they have one. */
  readonly attributes?: SpanAttributes;
  /** What caused it, wherever that was; the span that is going on here if not given, and none if null. What cannot be read is none. */
  readonly parent?: TraceParent | null | undefined;
  /** What every line says that is logged within it. */
  readonly logged?: LogFields;
}

/** Something under way that is traced. */
export interface Span {
  /** Undefined when nobody traces. */
  readonly traceparent: TraceParent | undefined;
  set(attributes: SpanAttributes): void;
  /** It did not do what it was for. */
  fail(reason: string): void;
  /** Once; what comes later changes nothing. */
  end(): void;
}

/** Follows what happens through all that it causes. There is none unless the host brings one. */
export interface Tracing {
  /** Before anything is traced; rejects when nothing can be. */
  start?(): Promise<void>;
  begin(start: SpanStart): Span;
  /** Runs work of which the span is the cause, also after whatever it waits for. */
  within<T>(span: Span, work: () => T): T;
  /** The span that is going on here, and what lines say that are logged here. */
  current(): { readonly traceparent: TraceParent; readonly logged: LogFields } | undefined;
}
