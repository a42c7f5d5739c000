/**
 * What can go wrong, thrown where it is known. How it looks is decided at the edge: each area renders its own shape.
 */

/** An expected failure of a request. `status` is the HTTP status it leads to. */
export class PlatformError extends Error {
  override readonly name: string = 'PlatformError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The bearer token is missing, unknown, expired or revoked; the answer does not say which. */
export class Unauthorized extends PlatformError {
  /** hapi lets a request with optional authentication through only when the credentials are missing. */
  readonly isMissing: boolean;

  constructor(message: string, isMissing = false) {
    super(401, 'unauthorized', message);
    this.isMissing = isMissing;
  }
}

/** The number's kind does not support the endpoint (Authentication, rule 4). */
export class NotSupported extends PlatformError {
  constructor(kind: string, endpoint: string, supported: readonly string[]) {
    const instead = `it takes the token of a number of kind ${supported.map((one) => `'${one}'`).join(' or ')}`;
    super(403, 'not_supported', `${endpoint} is not supported for numbers of kind '${kind}': ${instead}`);
  }
}

/** The caller is known and may not do this; or a signed link does not hold. */
export class Forbidden extends PlatformError {
  constructor(message: string) {
    super(403, 'forbidden', message);
  }
}

/** Something named in the request does not exist, or not for this caller. */
export class NotFound extends PlatformError {
  constructor(noun: string, id: string) {
    super(404, `${noun.replaceAll(' ', '_')}_not_found`, `There is no ${noun} ${printable(id)}`);
  }
}

/** There is no such endpoint. */
export class RouteNotFound extends PlatformError {
  /** In upper case. */
  readonly method: string;
  readonly path: string;

  constructor(method: string, path: string) {
    super(404, 'route_not_found', `There is no ${method.toUpperCase()} ${printable(path)}`);
    this.method = method.toUpperCase();
    this.path = path;
  }
}

/** The path exists, but not with this method: 405 with `Allow`. */
export class MethodNotAllowed extends PlatformError {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** The methods of the path, in upper case. */
  readonly allowed: readonly string[];

  constructor(method: string, path: string, allowed: readonly string[]) {
    super(405, 'method_not_allowed', `There is no ${method.toUpperCase()} ${printable(path)}: it takes ${allowed.join(', ')}`);
    this.method = method.toUpperCase();
    this.path = path;
    this.allowed = allowed;
  }
}

/** One problem of a request, with joi's name of the broken rule (`any.null` for a missing body, `string.pattern.<name>`). A null counts as a missing field. */
export interface Problem {
  readonly path: readonly (string | number)[];
  /** `any.required`, `string.empty`, `any.only`, ... */
  readonly rule: string;
  readonly message: string;
}

/** A place in a body as joi writes it: `media[0].link`. */
export const placeOf = (path: Problem['path']): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step)).join('');

/** The request does not fit its schema, or is not JSON at all. */
export class InvalidRequest extends PlatformError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], message = problems.map((problem) => problem.message).join('; ')) {
    super(400, 'invalid_request', message);
    this.problems = problems;
  }
}

/** A rule of the domain forbids it in the present state. */
export class Conflict extends PlatformError {
  constructor(code: string, message: string) {
    super(409, code, message);
  }
}

/** The body has more bytes than its endpoint takes. */
export class BodyTooLarge extends PlatformError {
  constructor(maxBytes: number) {
    super(413, 'body_too_large', `The body is larger than ${maxBytes} bytes`);
  }
}

/** The body is of a type that the endpoint does not take. */
export class UnsupportedMediaType extends PlatformError {
  constructor(message: string) {
    super(415, 'unsupported_media_type', message);
  }
}

/** Of a file a part was asked for that it does not have. */
export class RangeNotSatisfiable extends PlatformError {
  readonly size: number;

  constructor(size: number) {
    super(416, 'range_not_satisfiable', `The file has ${size} bytes, and none of those that Range names`);
    this.size = size;
  }
}

/** The number has used up its calls of this minute. */
export class RateLimited extends PlatformError {
  readonly retryAfterSeconds: number;

  constructor(bucket: string, limit: number, retryAfterSeconds: number) {
    super(429, 'rate_limited', `More than ${limit} calls a minute in bucket '${bucket}'; try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** We cannot do it now; trying again later may help. */
export class Unavailable extends PlatformError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 5) {
    super(503, 'unavailable', message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** What whoever watches the platform asked for is so: no failure, and not logged as one. */
export class NotReady extends Unavailable {
  constructor(reason: string) {
    super(`Not ready: ${reason}`);
  }
}

/** Our own fault. The message says nothing of the inside; the log has it under the request's id. */
export class InternalError extends PlatformError {
  constructor(requestId: string) {
    super(500, 'internal_error', `Something went wrong on our side; the log has it under request ${requestId}`);
  }
}

/** How far a plugin had come. */
export type PluginPhase = 'load' | 'options' | 'register' | 'start' | 'stop';

/** A plugin could not be loaded, started or stopped. */
export class PluginFailed extends Error {
  override readonly name = 'PluginFailed';
  readonly plugin: string;
  readonly phase: PluginPhase;

  constructor(plugin: string, phase: PluginPhase, reason: string, cause?: unknown) {
    super(`plugin '${plugin}' failed at ${phase}: ${reason}`, cause === undefined ? undefined : { cause });
    this.plugin = plugin;
    this.phase = phase;
  }
}

/** What was thrown, in its own words, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Text from outside, short and in one line, for a message. */
export const printable = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
