import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';
import type Joi from 'joi';
import type { PlatformError } from '../errors.js';
import type { NumberKind } from '../messaging/number.js';
import type { Caller } from '../messaging/token.js';
import type { Logger } from '../ports/logger.js';
import type { TypeOf } from '../shape.js';

/** `bearer`: a token is needed. `optional`: without one the call goes on, a bad one is refused. `none`: no token is looked at. */
export type RouteAuth = 'bearer' | 'optional' | 'none';

/** Which count a call goes to; `none` is not limited. */
export type RateBucket = 'general' | 'text' | 'media' | 'none';

/** What a request is checked against. */
export interface RequestSchemas {
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  readonly payload?: Joi.Schema;
}

/** An answer that is not JSON. */
export interface OtherContent {
  readonly contentType: string;
}

/** An error as a person reads it. */
export interface ErrorPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What `route` is given. Types of the request follow from its schemas `S`, and of the caller from its `auth`, `A`. */
export interface RouteDefinition<S extends RequestSchemas, A extends RouteAuth> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** One sentence, for the table of routes and the API description. */
  readonly summary: string;
  /** `bearer` if not given. */
  readonly auth?: A;
  /** The kinds of numbers that support it; a token of another kind gets 403 `not_supported`. All if not given. */
  readonly numbers?: readonly NumberKind[];
  /** `general` if not given. */
  readonly bucket?: RateBucket;
  /** Where the count depends on what is sent, instead of `bucket`: it is made when the body is read. */
  readonly bucketOf?: (payload: unknown) => RateBucket;
  /** It makes deliveries to webhooks: answered 503, before its body is read, while too many of them wait. */
  readonly makesDeliveries?: boolean;
  /**
   * It keeps nothing that was not there before, so it is answered also while memory is full. Otherwise calls that change something get 503
   * then, before their bodies are read; admin calls only when it is critical. What reads or deletes is always answered.
   */
  readonly keepsNothing?: boolean;
  /** Bytes of the largest body; 1 MiB if not given. */
  readonly maxBytes?: number;
  /** How the body is read: parsed as JSON and checked, or as bytes of any type. Without a schema it is not looked at. */
  readonly body?: 'json' | 'bytes';
  readonly request?: S;
  /** The body of every status it answers with by itself. What the platform answers for it (401, 404, 413, 429, ...) is added. */
  readonly responses: Readonly<Record<number, Joi.Schema | OtherContent>>;
  /** Statuses of errors that it answers with besides the usual ones, in the shape of its area. */
  readonly errors?: readonly number[];
  /** For addresses that people open in a browser: what is shown of an error to who asks for HTML. Everybody else gets JSON. */
  readonly errorPage?: (error: PlatformError) => ErrorPage;
  readonly handler: (call: Call<S, A>, h: ResponseToolkit) => Promise<Lifecycle.ReturnValue> | Lifecycle.ReturnValue;
}

/** A request that has passed its checks. */
export interface Call<S extends RequestSchemas = RequestSchemas, A extends RouteAuth = RouteAuth> {
  readonly params: S['params'] extends Joi.ObjectSchema ? TypeOf<S['params']> : Record<string, never>;
  readonly query: S['query'] extends Joi.ObjectSchema ? TypeOf<S['query']> : Record<string, never>;
  readonly payload: S['payload'] extends Joi.Schema ? TypeOf<S['payload']> : unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Whose token it is. */
  readonly caller: A extends 'bearer' ? Caller : A extends 'optional' ? Caller | undefined : undefined;
  /** Says which plugin speaks, and of which request. */
  readonly log: Logger;
  readonly request: Request;
}

/** A route with its types forgotten, as the kernel mounts it. */
export type Route = RouteDefinition<RequestSchemas, RouteAuth>;

/** Declares a route whose handler is typed by its schemas. */
export function route<const S extends RequestSchemas = Record<never, never>, const A extends RouteAuth = 'bearer'>(
  definition: RouteDefinition<S, A>,
): Route {
  return definition as unknown as Route;
}
