import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';
import type Joi from 'joi';
import type { PlatformError } from '../errors.js';
import type { NumberKind } from '../messaging/number.js';
import type { Caller } from '../messaging/token.js';
import type { Logger } from '../ports/logger.js';
import type { TypeOf } from '../shape.js';

/** `bearer`: requires a token. `optional`: accepts calls without a token, refuses an invalid one. `none`: ignores tokens. */
export type RouteAuth = 'bearer' | 'optional' | 'none';

/** The rate-limit bucket that a call counts in; `none` is not limited. */
export type RateBucket = 'general' | 'text' | 'media' | 'none';

/** The joi schemas of a request. */
export interface RequestSchemas {
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  readonly payload?: Joi.Schema;
}

/** A response that is not JSON. */
export interface OtherContent {
  readonly contentType: string;
}

/** An error as an HTML page. */
export interface ErrorPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The argument of `route`. The schemas `S` give the types of the request, `auth` (`A`) that of the caller. */
export interface RouteDefinition<S extends RequestSchemas, A extends RouteAuth> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** One sentence, for the table of routes and the OpenAPI document. */
  readonly summary: string;
  /** `bearer` if not given. */
  readonly auth?: A;
  /** The kinds of numbers that may call it; a token of another kind gets 403 `not_supported`. All if not given. */
  readonly numbers?: readonly NumberKind[];
  /** `general` if not given. */
  readonly bucket?: RateBucket;
  /** Chooses the bucket from the body, instead of `bucket`; the call then counts after its body is read. */
  readonly bucketOf?: (payload: unknown) => RateBucket;
  /** The call creates deliveries: it gets 503, before its body is read, while too many deliveries are pending. */
  readonly makesDeliveries?: boolean;
  /**
   * The call stores nothing new, so it is served while memory is full. Other calls except GET and DELETE then get 503 before their bodies
   * are read; those of the admin API only when memory is critical.
   */
  readonly keepsNothing?: boolean;
  /** Maximum size of the body in bytes, after decompression; 1 MiB if not given. */
  readonly maxBytes?: number;
  /** How the body is read: as JSON that is parsed and checked, or as bytes of any type. JSON without a `payload` schema is ignored. */
  readonly body?: 'json' | 'bytes';
  readonly request?: S;
  /** The body of each status that the handler returns. Statuses of the platform (401, 404, 413, 429, ...) are added. */
  readonly responses: Readonly<Record<number, Joi.Schema | OtherContent>>;
  /** More error statuses that the handler throws, in the error shape of the area. */
  readonly errors?: readonly number[];
  /** For URLs that people open in a browser: renders an error for clients that accept HTML. Other clients get JSON. */
  readonly errorPage?: (error: PlatformError) => ErrorPage;
  readonly handler: (call: Call<S, A>, h: ResponseToolkit) => Promise<Lifecycle.ReturnValue> | Lifecycle.ReturnValue;
}

/** A request that has passed all checks. */
export interface Call<S extends RequestSchemas = RequestSchemas, A extends RouteAuth = RouteAuth> {
  readonly params: S['params'] extends Joi.ObjectSchema ? TypeOf<S['params']> : Record<string, never>;
  readonly query: S['query'] extends Joi.ObjectSchema ? TypeOf<S['query']> : Record<string, never>;
  readonly payload: S['payload'] extends Joi.Schema ? TypeOf<S['payload']> : unknown;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The number and the token of the call. */
  readonly caller: A extends 'bearer' ? Caller : A extends 'optional' ? Caller | undefined : undefined;
  /** A logger whose lines name the plugin and the request. */
  readonly log: Logger;
  readonly request: Request;
}

/** A route without its type parameters, as the kernel mounts it. */
export type Route = RouteDefinition<RequestSchemas, RouteAuth>;

/** Declares a route whose handler is typed by its schemas. */
export function route<const S extends RequestSchemas = Record<never, never>, const A extends RouteAuth = 'bearer'>(
  definition: RouteDefinition<S, A>,
): Route {
  return definition as unknown as Route;
}
