/** Errors that handlers and services throw. The kernel converts them to responses in the error shape of the area. */

/** An expected failure of a request: the client gets `status`. */
export class PlatformError extends Error {
  override readonly name: string = 'PlatformError';
  readonly status: number;
  /** The cause, which the header `X-Posthorn-Cause` names. A plugin declares its own in `causes`. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** 401: the bearer token is missing, unknown, expired or revoked. The response is the same for unknown, expired and revoked tokens. */
export class Unauthorized extends PlatformError {
  constructor(message: string) {
    super(401, 'unauthorized', message);
  }
}

/** 403 `not_supported`: the kind of the token's number does not support the endpoint (Authentication, rule 4). */
export class NotSupported extends PlatformError {
  constructor(kind: string, endpoint: string, supported: readonly string[]) {
    const instead = `use the token of a number of kind ${supported.map((one) => `'${one}'`).join(' or ')}`;
    super(403, 'not_supported', `${endpoint} is not supported for numbers of kind '${kind}': ${instead}`);
  }
}

/** 403: the caller is authenticated but may not do this, or a signed link is invalid. */
export class Forbidden extends PlatformError {
  constructor(message: string) {
    super(403, 'forbidden', message);
  }
}

/** 403 `permission_missing`: none of the operator's roles has the permission that the call needs; `owner` is a role. */
export class PermissionMissing extends PlatformError {
  constructor(permission: string, roles: readonly string[]) {
    const needed = permission.includes('.') ? `the permission ${permission}` : `the role ${permission}`;
    const own = roles.length === 0 ? 'the operator has no role' : `the operator has the roles ${printable(roles.join(', '))}`;
    super(403, 'permission_missing', `This call needs ${needed}; ${own}`);
  }
}

/** 404: a record that the request names does not exist, or belongs to another caller. */
export class NotFound extends PlatformError {
  constructor(noun: string, id: string, code = `${noun.replaceAll(' ', '_').toLowerCase()}_not_found`) {
    super(404, code, `There is no ${noun} ${printable(id)}`);
  }
}

/** 404: no route has this path. */
export class RouteNotFound extends PlatformError {
  /** The method of the request, in upper case. */
  readonly method: string;
  readonly path: string;

  constructor(method: string, path: string) {
    super(404, 'route_not_found', `There is no ${method.toUpperCase()} ${printable(path)}`);
    this.method = method.toUpperCase();
    this.path = path;
  }
}

/** 405 with `Allow`: the path exists, but not with this method. */
export class MethodNotAllowed extends PlatformError {
  /** The method of the request, in upper case. */
  readonly method: string;
  readonly path: string;
  /** The methods of the path, in upper case. */
  readonly allowed: readonly string[];

  constructor(method: string, path: string, allowed: readonly string[]) {
    super(
      405,
      'method_not_allowed',
      `${method.toUpperCase()} is not allowed on ${printable(path)}; allowed methods: ${allowed.join(', ')}`,
    );
    this.method = method.toUpperCase();
    this.path = path;
    this.allowed = allowed;
  }
}

/** One problem of a request. A field that is null counts as missing. */
export interface Problem {
  readonly path: readonly (string | number)[];
  /** joi's name of the broken rule: `any.required`, `string.empty`, `string.pattern.<name>`; `any.null` for a missing body. */
  readonly rule: string;
  readonly message: string;
}

/** Formats a path as joi does: `media[0].link`. */
export const placeOf = (path: Problem['path']): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step)).join('');

/** 400: the request does not fit its schema, or is not JSON. */
export class InvalidRequest extends PlatformError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], message = problems.map((problem) => problem.message).join('; ')) {
    super(400, 'invalid_request', message);
    this.problems = problems;
  }
}

/** 409: the current state does not allow the call. `code` names the reason. */
export class Conflict extends PlatformError {
  constructor(code: string, message: string) {
    super(409, code, message);
  }
}

/** 409: the call acts on one process, and several run. */
export class SeveralProcesses extends Conflict {
  constructor(call: string) {
    super('several_processes', `${call} is not available where several processes serve the platform; use it with a single process`);
  }
}

/** 408: the body did not arrive within the time limit. The platform then closes the connection. */
export class BodyTooSlow extends PlatformError {
  constructor(limitMs: number) {
    super(408, 'body_too_slow', `The body did not arrive within ${limitMs / 1000} seconds`);
  }
}

/** 413: the body is larger than the endpoint accepts. */
export class BodyTooLarge extends PlatformError {
  constructor(maxBytes: number) {
    super(413, 'body_too_large', `The body is larger than ${maxBytes} bytes`);
  }
}

/** 415: the endpoint does not accept this content type or encoding. */
export class UnsupportedMediaType extends PlatformError {
  constructor(message: string) {
    super(415, 'unsupported_media_type', message);
  }
}

/** 416: the header `Range` selects no bytes of the file. */
export class RangeNotSatisfiable extends PlatformError {
  readonly size: number;

  constructor(size: number) {
    super(416, 'range_not_satisfiable', `Range selects no bytes of the file, which has ${size} bytes`);
    this.size = size;
  }
}

/** 429: the number has no calls left in this minute. */
export class RateLimited extends PlatformError {
  readonly retryAfterSeconds: number;

  constructor(bucket: string, limit: number, retryAfterSeconds: number, minutes = 1) {
    const window = minutes === 1 ? 'a minute' : `in ${minutes} minutes`;
    super(429, 'rate_limited', `More than ${limit} calls ${window} in bucket '${bucket}'; try again in ${retryAfterSeconds} s`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 503 with `Retry-After`: the platform cannot do this now, and a retry may succeed. */
export class Unavailable extends PlatformError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 5, code = 'unavailable') {
    super(503, code, message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** 503 of `GET /ready`, and of calls to a process that does not own the data. This is an expected state, so the kernel does not log it as a failure. */
export class NotReady extends Unavailable {
  constructor(reason: string, code = 'not_running', retryAfterSeconds?: number) {
    super(`Not ready: ${reason}`, retryAfterSeconds, code);
  }
}

/** 500: an unexpected failure. The message reveals no internals; the log has the cause under the request id. */
export class InternalError extends PlatformError {
  constructor(requestId: string) {
    super(500, 'internal_error', `Internal error; search the log for request ${requestId}`);
  }
}

/** The phase in which a plugin failed. */
export type PluginPhase = 'load' | 'options' | 'register' | 'start' | 'stop';

/** A plugin could not be loaded, registered, started or stopped. */
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

const throwers = new WeakMap<object, string>();

/** Calls a function of a plugin in the work of another one, and remembers the plugin for the log if it throws. */
export async function inPlugin<T>(plugin: string, run: () => T): Promise<Awaited<T>> {
  try {
    return await run();
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    throwers.set(error, plugin);
    throw error;
  }
}

/** The plugin whose function threw this error in `inPlugin`, as a field of the log; empty for other errors. */
export function throwerOf(error: unknown): { readonly plugin?: string } {
  const plugin = throwers.get(error as object);
  return plugin === undefined ? {} : { plugin };
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Quotes text from outside for a message: on one line, cut to 100 characters. */
export const printable = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
