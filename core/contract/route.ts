import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';
import type Joi from 'joi';
import type { PlatformError } from '../errors.js';
import type { NumberKind } from '../messaging/number.js';
import type { Caller } from '../messaging/token.js';
import type { Logger } from '../ports/logger.js';
import type { TypeOf } from '../shape.js';
import type { AccountScope } from './accounts.js';
import type { ArrivingCall } from './browser.js';

/** `bearer`: requires a token. `optional`: accepts calls without a token, refuses an invalid one. `none`: ignores tokens. */
export type RouteAuth = 'bearer' | 'optional' | 'none';

/** The rate-limit bucket in which a call counts; calls of `none` are not limited. */
export type RateBucket = 'general' | 'text' | 'media' | 'none';

/** The joi schemas of a request. */
export interface RequestSchemas {
  /** The parameters in the path. */
  readonly params?: Joi.ObjectSchema;
  /** The query string. */
  readonly query?: Joi.ObjectSchema;
  /** The body. */
  readonly payload?: Joi.Schema;
}

/** A response that is not JSON. */
export interface OtherContent {
  readonly contentType: string;
}

/** A content type other than JSON that a route accepts, and the field of the payload that receives its text. */
export interface TextBody {
  readonly contentType: string;
  readonly field: string;
}

/** An error as an HTML page. */
export interface ErrorPage {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How the lists of several shards become one: in the order of fields. */
export interface MergedList {
  /** The key of the list in the response. Other keys have the values of the first shard. */
  readonly list: string;
  /** The paths of the fields that order the list, such as `conversation.updated_at`. Entries that are equal keep the order of their shard. */
  readonly by: readonly string[];
  readonly order: 'ascending' | 'descending';
  /** The maximum of entries when the query has no `limit`; all if not given. */
  readonly limit?: number;
  /** Whether the response has `looked_back_to` and `next`, the place after which `before` continues: the first two of `by`, with a slash. */
  readonly pages?: boolean;
  /**
   * For a list of several kinds: the key of their pages. Entries and pages have a `kind`, and each kind has up to `limit` entries. Responses with
   * `is_id` are the only ones that count, if there are any.
   */
  readonly kinds?: string;
  /**
   * For lists whose query has `after`, the uuid of the last entry of the previous page, and `before`, a date-time: the path of the admin
   * call that shows an entry, its key in the response, and the field that `before` compares.
   */
  readonly after?: { readonly shownBy: string; readonly key: string; readonly at: string };
}

/**
 * How a cluster of several processes responds to a call without a token, such as those of the admin API. If not given, the shard of the
 * number or account that the call names responds, or the first shard that has the record in the path. `each`: every shard does its part,
 * and 404 means that it has none; numbers in the responses are added, and lists joined. `events`: the event streams of all shards are
 * merged. `process`: the process that receives the call responds. `refused`: the call would have to act on all processes simultaneously,
 * so a cluster refuses it.
 */
export type AcrossShards = MergedList | 'each' | 'events' | 'process' | 'refused';

/**
 * The argument of `route`. The schemas `S` determine the types of `params`, `query` and `payload`, and `auth` (`A`) the type of `caller`.
 */
export interface RouteDefinition<S extends RequestSchemas, A extends RouteAuth> {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with parameters in braces, such as `/v1/letters/{uuid}`. That of an admin route is below `/admin/v1`. */
  readonly path: `/${string}`;
  /** One sentence, for the table of routes and the OpenAPI document. */
  readonly summary: string;
  /** `bearer` if not given. */
  readonly auth?: A;
  /** The kinds of numbers whose tokens may call the route; all if not given. Tokens of other kinds get 403 `not_supported`. */
  readonly numbers?: readonly NumberKind[];
  /** `general` if not given. */
  readonly bucket?: RateBucket;
  /** Chooses the bucket by the body, instead of `bucket`. The platform then counts the call after it has read the body. */
  readonly bucketOf?: (payload: unknown) => RateBucket;
  /** Whether the call creates deliveries. While too many deliveries are pending, such a call gets 503 before its body is read. */
  readonly makesDeliveries?: boolean;
  /**
   * Whether the call stores nothing new. The platform serves such calls, GET and DELETE even while memory is full; other calls get 503
   * before their bodies are read. Admin calls get 503 only when memory is critical.
   */
  readonly keepsNothing?: boolean;
  /**
   * Whether the handler uses neither the store nor anything that a plugin starts. A process that is a standby serves such calls; others get
   * 503 there.
   */
  readonly needsNoStore?: boolean;
  /** Whether fault rules of the API leave the call alone, because it is not a call of a client that is under test. */
  readonly ignoresFaults?: boolean;
  /**
   * For admin routes: the permission that the call needs, such as `webhooks.pause`, or `any` if every operator may make it. The core or a plugin
   * declares it in `permissions`. Without one, only operators with the role `owner` may make the call.
   */
  readonly permission?: string;
  /** For admin routes: fields of the payload that the record of the call has, besides the ids in its path; no secrets, and no personal data. */
  readonly recorded?: readonly string[];
  /** For admin routes: whether the call replaces the whole store, so that its record has to be written before. */
  readonly replacesStore?: boolean;
  /** Permissions that only some calls need besides it; the handler asks `operatorOf(request).may` or `.need`. */
  readonly morePermissions?: readonly string[];
  /** For admin routes: what operators who are restricted to accounts see. Without it they get 403. */
  readonly accounts?: AccountScope;
  /**
   * For admin routes: whether the call requires the admin key itself, because its response contains the key or creates another credential.
   * Operators without a key get 403.
   */
  readonly needsAdminKey?: boolean;
  /** For admin routes, and routes with `auth: 'none'`: how a cluster of several processes responds. */
  readonly shards?: AcrossShards;
  /**
   * For routes with `auth: 'none'` that pages of other origins call: whether a page of this origin may. The platform answers preflight requests,
   * adds the CORS headers to all responses, errors too, and refuses other pages with 403. Cookies are never accepted.
   */
  readonly origins?: (origin: string, call: ArrivingCall) => boolean | Promise<boolean>;
  /** Runs before the body is read, such as to count the call in a limit. Throws a `PlatformError` to refuse the call. */
  readonly admit?: (call: ArrivingCall) => Promise<void> | void;
  /** How long the body may take to arrive, in milliseconds; 10 seconds if not given. */
  readonly arrivalMs?: number;
  /** Maximum size of the body in bytes, after decompression; 1 MiB if not given. */
  readonly maxBytes?: number;
  /** `json` (the default): the body is parsed, checked with the `payload` schema, and ignored without one. `bytes`: a body of any type. */
  readonly body?: 'json' | 'bytes';
  /** For `bytes` that are `multipart/form-data`: the names of the parts that are files, for the OpenAPI document. */
  readonly files?: readonly string[];
  /**
   * Whether integers in the body that a double would round keep their digits, as objects that `exactJson` writes as they were. For routes that
   * pass JSON on.
   */
  readonly exactIntegers?: boolean;
  /**
   * Also accepts a body of another content type: its text, which must be UTF-8, becomes a field of the payload, such as
   * `{ contentType: 'text/markdown', field: 'notebook' }`. A byte order mark and line ends are kept.
   */
  readonly text?: TextBody;
  /** The schemas of `params`, `query` and `payload`. A call that does not fit gets 400. */
  readonly request?: S;
  /** The response body for each status that the handler returns. The platform adds its own statuses (401, 404, 413, 429, ...). */
  readonly responses: Readonly<Record<number, Joi.Schema | OtherContent>>;
  /** Further statuses of errors that the handler throws. Their bodies have the error shape of the area. */
  readonly errors?: readonly number[];
  /** For URLs that people open in a browser: renders an error for clients that accept HTML. Other clients get JSON. */
  readonly errorPage?: (error: PlatformError, path: string) => ErrorPage;
  /** Returns the body of a 200, or a response that it makes with `h`. Throws a `PlatformError` to refuse the call. */
  readonly handler: (call: Call<S, A>, h: ResponseToolkit) => Promise<Lifecycle.ReturnValue> | Lifecycle.ReturnValue;
}

/** A request that has passed all checks. */
export interface Call<S extends RequestSchemas = RequestSchemas, A extends RouteAuth = RouteAuth> {
  /** The parameters of the path, typed by their schema. */
  readonly params: S['params'] extends Joi.ObjectSchema ? TypeOf<S['params']> : Record<string, never>;
  /** The query string, typed by its schema. */
  readonly query: S['query'] extends Joi.ObjectSchema ? TypeOf<S['query']> : Record<string, never>;
  /** The body, typed by its schema; bytes (`Buffer`) with `body: 'bytes'`. */
  readonly payload: S['payload'] extends Joi.Schema ? TypeOf<S['payload']> : unknown;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The number and the token of the call. */
  readonly caller: A extends 'bearer' ? Caller : A extends 'optional' ? Caller | undefined : undefined;
  /** A logger whose lines name the plugin and the request. */
  readonly log: Logger;
  /** The request of hapi, for what the call does not have. */
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
