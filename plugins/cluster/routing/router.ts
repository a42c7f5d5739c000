import type { Lifecycle, Request, ResponseToolkit, Server, ServerRoute } from '@hapi/hapi';
import { adminKeyCheck, bearerText, type ErrorShape, Forbidden, PlatformError, type Route, RouteNotFound } from '#core';
import { NotReady, SeveralProcesses } from '../../../core/errors.js';
import { errorResponse } from '../../../core/kernel/http/answers.js';
import { ADMIN_PREFIX, type Area, firstSegments, isWhole } from '../../../core/kernel/http/area.js';
import type { AdminKeySource } from '../../../core/kernel/http/auth.js';
import { guestSettings, isolateRequests } from '../../../core/kernel/http/guest-settings.js';
import { withStrippedSlashes } from '../../../core/kernel/http/http.js';
import { NEEDS_KEY_ITSELF } from '../../../core/kernel/http/identify.js';
import { type Identified, KEY_OPERATOR, OWNER } from '../../../core/kernel/http/operators.js';
import { answerUndecodablePaths } from '../../../core/kernel/http/undecodable-paths.js';
import { addFallbacks, type Method, UNREAD } from '../../../core/kernel/http/unknown-path.js';
import { hashOf } from '../../../core/messaging/token.js';
import { LogUnreachable } from '../../../core/ports/log.js';
import type { Directory } from '../directory.js';
import { HOP_HEADER, type HopSigner, OPERATOR_HEADER } from './hop.js';
import type { LocalShards } from './local.js';
import { mergedEvents, type OpenEvents, positionsIn } from './merged-events.js';
import { ofProcess } from './process-routes.js';
import { abortedWith, callOf, handOver, hasBody, notOwner, parsed, passOn, readBody } from './raw-calls.js';
import { type CallShard, type Change, FoundShards, mergedCall, summedCall } from './several.js';
import type { ShardCall, ShardCalls, ShardResponse } from './shard-calls.js';
import { type Target, targetOf } from './targets.js';

export interface RouterOptions {
  readonly areas: readonly Area[];
  readonly adminKey: AdminKeySource | undefined;
  /** Whether the platforms have the admin API. */
  readonly hasAdmin: boolean;
  readonly directory: Directory;
  readonly local: LocalShards;
  readonly calls: ShardCalls;
  readonly signer: HopSigner;
  /** Why `GET /ready` of this process responds with 503; undefined when it is ready. */
  readonly whyNotReady: () => NotReady | undefined;
}

/** Bodies up to this size are read before they are passed on, so that they can be sent again when the shard has a new owner. */
const REPEATABLE_BYTES = 256 * 1024;
/** Where the server of the first shard tells whether the session of a browser may make a call. */
export const SESSION_PATH = '/cluster/session';
/** The operator of a call, in the response to the question above. */
const IDENTIFIED_HEADER = 'x-posthorn-identified';
const NO_CONTENT = 204;
const RETRY_AFTER_SECONDS = 1;

/**
 * Mounts the routes of the platforms on the server of the host. This process then accepts every call: it handles calls for its own
 * shards, and forwards the others to the process that owns the shard.
 */
export function mountRouter(server: Server, options: RouterOptions): void {
  const { areas, hasAdmin } = options;
  const router = new Router(options, server);
  const whole = { areas, hasAdmin };
  for (const { routes, admin, roots, errors } of areas) {
    for (const route of withStrippedSlashes(routes, server)) server.route(router.routeOf(route, route.path, errors, false));
    if (hasAdmin)
      for (const route of withStrippedSlashes(admin, server))
        server.route(router.routeOf(route, `${ADMIN_PREFIX}${route.path}`, undefined, true));
    addFallbacks(server, roots, (root, method) => router.unknownPath(root, method));
  }
  const roots = isWhole(server, whole) ? [''] : firstSegments(whole);
  if (hasAdmin) server.route(router.sessionPath());
  const known = new Set(areas.flatMap((area) => area.roots));
  const others = roots.filter((root) => !known.has(root));
  addFallbacks(server, others, (root, method) => router.unknownPath(root, method));
  isolateRequests(server);
  answerUndecodablePaths(server, whole);
}

/** Adds what the router asks the server of a shard, after the platform is registered on it. */
export function addSessionRoute(server: Server, name: string, prefix: string): void {
  server.route({
    method: '*',
    path: `${prefix}${SESSION_PATH}`,
    options: { ...guestSettings(server, '*'), auth: `${name}.admin`, payload: UNREAD },
    // Of the credentials, the other shards get who the operator is and whether a key was sent.
    handler: (request, h) =>
      h
        .response()
        .code(NO_CONTENT)
        .header(IDENTIFIED_HEADER, Buffer.from(JSON.stringify(request.auth.credentials)).toString('base64url')),
  });
}

/** The operator of a call, as the first shard has found it. */
type Asked =
  | { readonly response: ShardResponse; readonly operator?: undefined }
  | { readonly response?: undefined; readonly operator: Identified };

class Router {
  readonly #options: RouterOptions;
  readonly #server: Server;
  readonly #prefix: string;
  readonly #found: FoundShards;
  /** Undefined where a function returns the key: then the first shard asks it. */
  readonly #adminKey: string | undefined;
  readonly #isAdminKey: ((text: string) => boolean) | undefined;

  constructor(options: RouterOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.#prefix = server.realm.modifiers.route.prefix ?? '';
    this.#found = new FoundShards(options.directory);
    this.#adminKey = typeof options.adminKey === 'string' ? options.adminKey : undefined;
    this.#isAdminKey = this.#adminKey === undefined ? undefined : adminKeyCheck(this.#adminKey);
  }

  routeOf(route: Route, path: string, shape: ErrorShape | undefined, isAdmin: boolean): ServerRoute {
    const target = targetOf(route, isAdmin);
    return this.#mounted(route.method, path, shape, (request) => this.#respond(request, target));
  }

  unknownPath(root: string, method: Method): ServerRoute {
    return this.#mounted(method, `${root}/{path*}`, undefined, async (request) => {
      const [server] = this.#options.local.all().values();
      return server ? handOver(request, server) : this.#toShard(request, this.#home);
    });
  }

  /** Only for calls that another process passes on. */
  sessionPath(): ServerRoute {
    return this.#mounted('*', SESSION_PATH, undefined, (request) => Promise.reject(new RouteNotFound(request.method, request.path)));
  }

  get #home(): string {
    return this.#options.directory.shards[0]!;
  }

  #mounted(method: Method, path: string, shape: ErrorShape | undefined, respond: (request: Request) => Promise<unknown>): ServerRoute {
    return {
      method,
      path,
      options: {
        ...guestSettings(this.#server, method),
        auth: false,
        timeout: { server: false },
        ...(method !== 'GET' && { payload: UNREAD }),
      },
      handler: async (request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> => {
        try {
          const passed = this.#passedOnBy(request);
          if (passed === undefined) await respond(request);
          else if (passed) handOver(request, passed);
          else notOwner(request);
          return h.abandon;
        } catch (thrown) {
          const error =
            thrown instanceof LogUnreachable ? new NotReady(thrown.message, 'directory_unavailable', RETRY_AFTER_SECONDS) : thrown;
          if (!(error instanceof PlatformError)) throw error;
          return errorResponse(h, error, shape);
        }
      },
    };
  }

  /** The server for a call that another process has passed on; null if this process does not own the shard, undefined for calls of clients. */
  #passedOnBy({ raw: { req }, method }: Request): Server | null | undefined {
    const header = req.headers[HOP_HEADER];
    if (typeof header !== 'string') return undefined;
    const shard = this.#options.signer.shardOf(header, { method, url: req.url! });
    return shard === undefined ? undefined : (this.#options.local.owned(shard) ?? null);
  }

  async #respond(request: Request, target: Target): Promise<void> {
    const { kind } = target;
    if (kind === 'refused') throw new SeveralProcesses(`${request.method.toUpperCase()} ${request.path}`);
    if (kind === 'process') {
      if (target.isAdmin) {
        const identified = await this.#identified({ ...callOf(request), signal: abortedWith(request) });
        if (identified?.response) return passOn(request, identified.response);
        if (identified) Object.assign(request.raw.req.headers, this.#passedOn(identified.operator));
      }
      if (await ofProcess(request, { ...this.#options, prefix: this.#prefix })) return;
      return this.#toShard(request, this.#home);
    }
    if (kind === 'token') {
      const shard = await this.#shardOfToken(request);
      // Without a token, the call names a record.
      if (shard !== undefined) return this.#toShard(request, shard);
    }
    const { shards } = this.#options.directory;
    const body = hasBody(request) ? await readBody(request, target.maxBytes) : undefined;
    const named = target.isAdmin ? await this.#namedShard(request, target, body) : undefined;
    const call = { ...callOf(request), ...(body && { body }), signal: abortedWith(request) };
    const callShard = await this.#authenticated(target, call);
    if (named !== undefined) return passOn(request, await callShard(named));
    if (kind === 'events') return this.#events(request, call, callShard);
    if (kind === 'each') return passOn(request, await summedCall(shards, callShard));
    // A list of one number is in one shard.
    if (typeof kind === 'object' && request.query.number === undefined)
      return passOn(request, await mergedCall(shards, kind, call.url, callShard));
    passOn(request, await this.#found.call(Object.values(request.params as Record<string, string>), !target.isAdmin, callShard));
  }

  /** The shard of the caller's token. An unknown one is for the first shard to refuse. @returns undefined for calls that have none */
  async #shardOfToken(request: Request): Promise<string | undefined> {
    const { directory } = this.#options;
    const text = bearerText(request);
    if (text === undefined) return undefined;
    const hash = hashOf(text);
    const known = directory.shardOf('token', hash);
    if (known !== undefined || text === '') return known ?? this.#home;
    await directory.catchUp();
    return directory.shardOf('token', hash) ?? this.#home;
  }

  /** The shard of the number or account that an admin call names. */
  async #namedShard(request: Request, { names }: Target, body: Buffer | undefined): Promise<string | undefined> {
    const { directory } = this.#options;
    const payload = names.bodyNumber || names.account ? parsed(body) : undefined;
    const numbers = [
      ...Object.values(request.params as Record<string, string>),
      ...(names.queryNumber ? [request.query.number as unknown] : []),
      ...(names.bodyNumber ? [payload?.number] : []),
    ].filter((value): value is string => typeof value === 'string' && value !== '');
    const shardOfNumber = () => numbers.map((uuid) => directory.shardOf('number', uuid.toLowerCase())).find((shard) => shard !== undefined);
    const known = shardOfNumber();
    if (known !== undefined) return known;
    if (names.account) return await directory.shardFor(typeof payload?.account === 'string' ? payload.account : undefined);
    if (numbers.length === 0) return undefined;
    await directory.catchUp();
    return shardOfNumber();
  }

  /**
   * The operator of an admin call, as the first shard finds it, which alone has the keys and the sessions of browsers; or its response that refuses the
   * call. Undefined for calls with the admin key that every shard knows, and for those without a credential.
   */
  async #identified(call: Omit<ShardCall, 'body'>): Promise<Asked | undefined> {
    const { calls } = this.#options;
    const text = bearerText({ headers: call.headers } as Request);
    if (text && this.#isAdminKey?.(text)) return undefined;
    const response = await calls.call(this.#home, {
      method: call.method,
      url: `${this.#prefix}${SESSION_PATH}`,
      ...(call.signal && { signal: call.signal }),
      headers: { ...call.headers, 'content-length': undefined, 'content-type': undefined },
    });
    if (response.statusCode !== NO_CONTENT) return { response };
    await response.body.dump();
    const identified = response.headers[IDENTIFIED_HEADER];
    // A first shard of an earlier release knows sessions of owners only.
    if (typeof identified !== 'string') return { operator: { operator: KEY_OPERATOR, byKey: false } };
    return { operator: JSON.parse(Buffer.from(identified, 'base64url').toString()) as Identified };
  }

  /** The headers that tell another shard who makes the call. A process of an earlier release knows the admin key instead. */
  #passedOn(identified: Identified): Record<string, string | undefined> {
    const { signer } = this.#options;
    const isOwner = identified.operator.roles.includes(OWNER) && identified.operator.accounts === undefined;
    return {
      [OPERATOR_HEADER]: signer.operatorHeader(identified),
      ...(isOwner && this.#adminKey !== undefined && { authorization: `Bearer ${this.#adminKey}`, cookie: undefined }),
    };
  }

  /** Calls shards with the credential of the client, those other than the first with the operator that the first has identified. */
  async #authenticated({ isAdmin, needsAdminKey, kind }: Target, call: ShardCall): Promise<CallShard> {
    const { calls } = this.#options;
    const joined = kind === 'each' || typeof kind === 'object' ? { 'accept-encoding': 'identity' } : {};
    const method = typeof kind === 'object' ? 'GET' : call.method;
    const withHeaders = (headers: ShardCall['headers'], shard: string, { lastEventId, ...change }: Change = {}) =>
      calls.call(shard, {
        ...call,
        method,
        ...change,
        headers: { ...headers, ...joined, ...(lastEventId && { 'last-event-id': lastEventId }) },
      });
    const identified = isAdmin ? await this.#identified(call) : undefined;
    if (!identified) return (shard, change) => withHeaders(call.headers, shard, change);
    const { response, operator } = identified;
    if (response) return async () => response;
    return async (shard, change) => {
      if (shard === this.#home) return withHeaders(call.headers, shard, change);
      // The admin key below must not pass for that of the client.
      if (needsAdminKey && !operator.byKey) throw new Forbidden(NEEDS_KEY_ITSELF);
      return withHeaders({ ...call.headers, ...this.#passedOn(operator) }, shard, change);
    };
  }

  async #toShard(request: Request, shard: string): Promise<void> {
    const server = this.#options.local.owned(shard);
    if (server) return handOver(request, server);
    const { req } = request.raw;
    const isSmall = Number(req.headers['content-length'] ?? Number.NaN) <= REPEATABLE_BYTES;
    const body = !hasBody(request) ? undefined : isSmall ? await readBody(request, REPEATABLE_BYTES) : req;
    passOn(request, await this.#options.calls.call(shard, { ...callOf(request), ...(body && { body }), signal: abortedWith(request) }));
  }

  async #events(request: Request, call: ShardCall, callShard: CallShard): Promise<void> {
    const { shards } = this.#options.directory;
    const operatorNow = async () => JSON.stringify((await this.#identified(call))?.operator);
    const opener = await operatorNow();
    const lastEventId = request.raw.req.headers['last-event-id'] as string | undefined;
    const position = positionsIn(lastEventId).get(this.#home);
    const first = await callShard(this.#home, { isEndless: true, ...(position !== undefined && { lastEventId: position }) });
    if (first.statusCode !== 200) return passOn(request, first);
    const open: OpenEvents = async (shard, last, signal) => {
      // The first shard ends its stream when the operator changes; the others would continue with the previous one.
      if (shard === this.#home && (await operatorNow()) !== opener) return 'ended';
      const { statusCode, body } = await callShard(shard, { signal, isEndless: true, ...(last !== undefined && { lastEventId: last }) });
      if (statusCode === 200) return body;
      body.resume();
      return statusCode < 500 ? 'ended' : undefined;
    };
    passOn(request, { ...first, body: mergedEvents(shards, lastEventId, open, { shard: this.#home, stream: first.body }) });
  }
}
