import type { Lifecycle, Request, ResponseObject, ResponseToolkit, RouteOptions, Server, ServerRoute } from '@hapi/hapi';
import Joi from 'joi';
import { hasFile } from '../contract/answers.js';
import type { ErrorShape } from '../contract/plugin.js';
import type { Call, Route } from '../contract/route.js';
import { InvalidRequest, MethodNotAllowed, messageOf, PlatformError, PluginFailed, RouteNotFound } from '../errors.js';
import type { Caller } from '../messaging/token.js';
import type { Logger } from '../ports/logger.js';
import type { Tracing } from '../ports/tracing.js';
import {
  answer,
  invalidRequest,
  type Nonconformance,
  RETRY_AFTER_SECONDS,
  respondingAsJson,
  undeclared,
  understood,
  unreadableBody,
} from './answers.js';
import { addStrategies } from './auth.js';
import { BROWSER_HEADERS, createBrowserGuard } from './browser-guard.js';
import { admissionOf, type Identifying, identification } from './identify.js';
import { checkJson } from './json-body.js';
import type { MemoryGuard } from './memory-guard.js';
import { isOurs, mountedRoute, remember, rememberLog, requestId } from './mounted-route.js';
import { type PathParams, plainPath } from './path-params.js';
import { missingRange } from './ranges.js';
import { type Admission, admitted, rateHeaders, rateOf } from './rate-limit.js';
import { discardRest, notJson, parseJson, readBody } from './read-body.js';
import { requestCheck } from './refusals.js';
import { createRequestSpans, type RequestSpans } from './request-spans.js';

const MAX_BODY_BYTES = 1024 * 1024;
const ANY_TYPE = 'application/octet-stream';
export const ADMIN_PREFIX = '/admin/v1';

/** The routes of one area, and how it shows errors. */
export interface Area {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly admin: readonly Route[];
  readonly roots: readonly string[];
  readonly errors: ErrorShape | undefined;
}

export interface MountOptions extends Identifying {
  /** Tells the platforms on one server apart. */
  readonly name: string;
  readonly areas: readonly Area[];
  /** Names under which browsers may reach what needs no token of a number; undefined: any. */
  readonly trustedHosts: readonly string[] | undefined;
  readonly tracing: Tracing | undefined;
  readonly memory: Pick<MemoryGuard, 'take'>;
  /** Checks every answer against the schemas of its route; for tests. */
  readonly checkResponses: boolean;
  /** Whether connections are to be given up: the next call on one may find nobody. */
  readonly isStopping: () => boolean;
}

/** Mounts every area in a realm of its own, so that nothing of ours touches the host's routes, errors, validation or auth. */
export async function mount(server: Server, options: MountOptions): Promise<void> {
  const nonconformance = options.checkResponses ? (await import('./conformance.js')).nonconformance : undefined;
  const spans = options.tracing && createRequestSpans(options.tracing);
  const admission = admissionOf(options);
  const strategies = addStrategies(server, options.name, identification(options, admission));
  const realm = (name: string, routes: ServerRoute[], shape: ErrorShape | undefined, log: Logger) => {
    return server.register({
      name: `${options.name}/${name}`,
      register(ours: Server) {
        rememberLog(ours.realm, log);
        ours.route(routes);
        const checking = { log, isStopping: options.isStopping, nonconformance, spans };
        const look = (request: Request, h: ResponseToolkit) => {
          const rest = discardRest(request);
          return rest ? rest.then(() => finalCheck(request, h, shape, checking)) : finalCheck(request, h, shape, checking);
        };
        if (spans) ours.ext('onPreAuth', (request, h) => spans.begin(request, h), { sandbox: 'plugin' });
        ours.ext('onPreResponse', spans ? (request, h) => spans.within(request, () => look(request, h)) : look, { sandbox: 'plugin' });
      },
    });
  };

  for (const { name, routes, admin, roots, errors } of options.areas) {
    const log = options.log.child({ plugin: name });
    const around = { ...options, log, spans, admission };
    const mounted = reachable(routes, server).map((route) => hapiRoute(route, route.path, errors, strategies.bearer, around));
    const mountedAdmin = reachable(admin, server).map((route) =>
      hapiRoute(route, `${ADMIN_PREFIX}${route.path}`, undefined, strategies.admin, around),
    );
    try {
      await realm(name, [...mounted, ...roots.map((root) => unknownBelow(root, errors))], errors, log);
      if (options.isAdminKey) await realm(`${name}/admin`, mountedAdmin, undefined, log);
    } catch (error) {
      throw new PluginFailed(name, 'register', messageOf(error), error);
    }
  }
  const roots = server.realm.modifiers.route.prefix === undefined ? firstFolders(options) : [''];
  await realm(
    'unknown',
    roots.map((root) => unknownBelow(root, undefined)),
    undefined,
    options.log,
  );
  const shapes = options.areas.flatMap(({ roots, errors }) => roots.map((root) => ({ root, shape: errors })));
  answerUnreadable(server, [...shapes, ...roots.map((root) => ({ root, shape: undefined }))]);
}

/** Where the host takes the slash from the end of every path, a route with one is reached as the same without. */
function reachable(routes: readonly Route[], { settings }: Server): readonly Route[] {
  if (!settings.router?.stripTrailingSlash) return routes;
  return routes.flatMap((route) => {
    const path = route.path.replace(/(?<=.)\/$/, '') as Route['path'];
    if (path === route.path) return [route];
    return routes.some((other) => other.method === route.method && other.path === path) ? [] : [{ ...route, path }];
  });
}

/** A path that cannot be decoded reaches no route of anybody's: hapi refuses it itself. Below our roots it is ours to answer. */
function answerUnreadable(server: Server, roots: readonly { root: string; shape: ErrorShape | undefined }[]): void {
  const { prefix = '' } = server.realm.modifiers.route;
  server.ext('onPreResponse', (request, h) => {
    const { route, response, path = '' } = request;
    if (String(route.method) !== '_special' || !(response instanceof Error) || response.output.statusCode !== 400) return h.continue;
    const ours = roots.find(({ root }) => `${path}/`.startsWith(`${prefix}${root}/`));
    if (!ours) return h.continue;
    const refused = dressed(request, answer(h, new InvalidRequest([], 'The address of the request cannot be read'), ours.shape));
    return discardRest(request)?.then(() => refused) ?? refused;
  });
}

/** Without a prefix of our own: the first folders of our paths, below which what nobody knows is answered by us. */
function firstFolders({ areas, isAdminKey }: MountOptions): string[] {
  const firsts = areas.flatMap((area) => area.routes.map((route) => `/${route.path.split('/')[1]}`));
  return [...new Set([...firsts, ...(isAdminKey ? [ADMIN_PREFIX] : [])])];
}

/** Whatever the method, and without reading the body. */
function unknownBelow(root: string, shape: ErrorShape | undefined): ServerRoute {
  return {
    method: '*',
    path: `${root}/{path*}`,
    options: {
      auth: false,
      state: { parse: false },
      payload: { parse: false, output: 'stream', override: ANY_TYPE, failAction: 'ignore' },
    },
    handler(request, h) {
      const { method, path } = request;
      const allowed = methodsOf(request);
      return answer(h, allowed.length > 0 ? new MethodNotAllowed(method, path, allowed) : new RouteNotFound(method, path), shape);
    },
  };
}

/** The methods for which this platform has a route at the path of a request. */
function methodsOf({ server, path, info }: Request): string[] {
  const known = METHODS.filter((method) => isOurs(server.match(method, path, info.hostname)));
  // hapi answers HEAD with the route for GET.
  return known.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What is around the routes of an area. */
interface RouteDeps extends MountOptions {
  readonly spans: RequestSpans | undefined;
  readonly admission: Admission;
}

function hapiRoute(route: Route, path: string, shape: ErrorShape | undefined, strategy: string, options: RouteDeps): ServerRoute {
  const { log, spans } = options;
  const { auth = 'bearer', request: schemas = {}, maxBytes = MAX_BODY_BYTES, body = 'json' } = route;
  const hasBody = route.method !== 'GET';
  // A misspelt filter of an admin call would be none, and the call about everything.
  const isStrict = strategy.endsWith('.admin');
  const query = schemas.query ?? (isStrict ? Joi.object({}) : undefined);
  const isJson = hasBody && body === 'json' && schemas.payload !== undefined;
  const guard = options.trustedHosts && (isStrict || auth !== 'bearer') && createBrowserGuard(options.trustedHosts);
  const refuse = (of: (error: Error) => PlatformError) => (_: Request, h: ResponseToolkit, error?: Error) =>
    answer(h, of(error!), shape).takeover();

  // Just before hapi would: a step of its own costs a tenth of a small call.
  const names = hasBody && schemas.params ? pathCheck(schemas.params) : undefined;
  const taking: Taking = {
    shape,
    isJson,
    maxBytes,
    memory: route.method === 'DELETE' || route.keepsNothing ? undefined : options.memory,
    isAdmin: isStrict,
    bucketOf: route.bucketOf,
    admission: options.admission,
    names,
  };

  // What a host has chosen for its own routes is the default of ours, so everything that matters is said here.
  const settings: RouteOptions = {
    auth: auth === 'none' ? false : { strategy, mode: auth === 'optional' ? 'optional' : 'required' },
    plugins: remember({ route, shape }),
    state: { parse: false },
    response: { ranges: hasFile(route) },
    validate: {
      failAction: refuse(invalidRequest),
      headers: true,
      ...(schemas.params && { params: names ? true : checked(schemas.params) }),
      query: query ? checked(query.label('the query'), isStrict ? STRICT_CHECKS : CHECKS) : true,
      state: true,
      ...(hasBody && { payload: isJson ? checkedBody(schemas.payload!, isStrict ? STRICT_BODY_CHECKS : BODY_CHECKS) : true }),
    },
    ...(hasBody && {
      payload: {
        // How much there is of it is counted where it is read.
        maxBytes: Number.MAX_SAFE_INTEGER,
        output: 'stream',
        parse: isJson ? 'gunzip' : false,
        // hapi would read a body of another type to its end without a limit, so `takeBody` checks the type instead.
        override: ANY_TYPE,
        failAction: refuse(unreadableBody),
      },
    }),
    ext: {
      ...(guard && { onPreAuth: { method: (request, h) => passed(guard(request), h, shape) } }),
      ...(hasBody && {
        onPostAuth: {
          method: (request, h) => takeBody(request, h, taking),
        },
      }),
    },
  };
  return {
    method: route.method,
    path,
    options: settings,
    handler: spans ? (request, h) => spans.within(request, () => handled(request, h)) : handled,
  };

  async function handled(request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
    try {
      return await respondingAsJson(route, callOf(request, log), h);
    } catch (error) {
      return answer(h, understood(error, request, log), shape);
    }
  }
}

const passed = (refusal: PlatformError | undefined, h: ResponseToolkit, shape: ErrorShape | undefined) =>
  refusal ? answer(h, refusal, shape).takeover() : h.continue;

const CHECKS: Joi.ValidationOptions = {
  allowUnknown: true,
  convert: true,
  presence: 'optional',
  stripUnknown: false,
  errors: { label: 'path', wrap: { label: false } },
};
const BODY_CHECKS: Joi.ValidationOptions = { ...CHECKS, convert: false, stripUnknown: { objects: true } };
const STRICT_CHECKS: Joi.ValidationOptions = { ...CHECKS, allowUnknown: false };
const STRICT_BODY_CHECKS: Joi.ValidationOptions = { ...STRICT_CHECKS, convert: false };

/** How these are checked is a part of the schema: hapi would put options together anew for every request. */
const checked = (schema: Joi.Schema, checks = CHECKS) => requestCheck(schema.prefs(checks));

interface PathCheck {
  readonly isPlain: (params: PathParams) => boolean;
  /** @throws InvalidRequest */
  readonly check: (params: PathParams) => Promise<object>;
}

/** Of a path at which a look is enough, mostly. */
function pathCheck(schema: Joi.Schema): PathCheck | undefined {
  const isPlain = plainPath(schema);
  const check = checked(schema);
  const refuse = (error: Error) => Promise.reject(invalidRequest(error));
  return isPlain && { isPlain, check: (params) => check(params).catch(refuse) };
}

/** Without a body, what it should have had is named; where that is nothing, that there has to be one. */
function checkedBody(schema: Joi.Schema, checks: Joi.ValidationOptions): (given: unknown) => Promise<object> {
  const check = checked(schema.label('the body'), checks);
  const absent = (refusal: Error) =>
    check({}).then(() => {
      throw refusal;
    });
  return (given) => (given === null ? check(null).catch(absent) : check(given));
}

interface Taking {
  readonly shape: ErrorShape | undefined;
  readonly isJson: boolean;
  readonly maxBytes: number;
  /** Undefined where what is kept does not grow. */
  readonly memory: Pick<MemoryGuard, 'take'> | undefined;
  readonly isAdmin: boolean;
  readonly bucketOf: Route['bucketOf'];
  readonly admission: Admission;
  readonly names: PathCheck | undefined;
}

/** Reads a body, and looks at how deep it goes before anybody follows it there. */
async function takeBody(request: Request, h: ResponseToolkit, taking: Taking) {
  const { shape, isJson, maxBytes, memory, isAdmin, bucketOf, admission, names } = taking;
  try {
    const done = memory?.take(isJson ? sizeOf(request, maxBytes) : 0, { isAdmin });
    // An injected answer finishes and does not close; a caller that goes away closes one that does not finish.
    if (done) request.raw.res.once('finish', done).once('close', done);
    const refusal = isJson ? notJson(request) : undefined;
    if (refusal) throw refusal;
    const bytes = await readBody(request, { maxBytes });
    const body = isJson ? parseJson(bytes) : bytes;
    if (isJson) checkJson(body);
    Object.assign(request, { payload: body });
    const { number } = (request.auth.credentials ?? {}) as unknown as Partial<Caller>;
    const rate = bucketOf && number && (await admitted(admission, request, number.uuid, bucketOf(body)));
    if (rate?.refused) return answer(h, rate.refused, shape).takeover();
    if (names && !names.isPlain(request.params)) Object.assign(request, { params: await names.check(request.params) });
    return h.continue;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return answer(h, error, shape).takeover();
  }
}

/** How large a body is, as far as its head says; as large as it may be where it comes packed or says nothing. */
function sizeOf({ headers }: Request, maxBytes: number): number {
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
  return length >= 0 ? Math.min(length, maxBytes) : maxBytes;
}

/** What a handler is given. */
function callOf(request: Request, log: Logger): Call {
  const { params, query, payload, headers } = request;
  const caller = request.auth.credentials as unknown as Caller | null;
  return {
    params: withPlainUuids(params),
    query,
    payload,
    headers,
    caller: caller?.number ? caller : undefined,
    // Not made by a getter when it is asked for: V8 has those of literals among what lives long, and with them the request.
    log: log.child({ request_id: requestId(request) }),
    request,
  } as unknown as Call;
}

/** Uuids are the same in capitals (RFC 9562, 4); we write them small. */
function withPlainUuids(params: Record<string, unknown>): Record<string, unknown> {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'string' && name.endsWith('uuid')) params[name] = value.toLowerCase();
  }
  return params;
}

interface Checking extends Pick<MountOptions, 'log' | 'isStopping'> {
  /** Only where answers are checked. */
  readonly nonconformance: Nonconformance | undefined;
  readonly spans: RequestSpans | undefined;
}

/** The last look at every answer: what is still an error gets our shape, headers are added, tests check the schema. */
function finalCheck(
  request: Request,
  h: ResponseToolkit,
  shape: ErrorShape | undefined,
  { log, isStopping, nonconformance, spans }: Checking,
) {
  const { response, route } = request;
  const failure =
    response instanceof Error
      ? understood(response, request, log)
      : route.settings.response?.ranges === false
        ? undefined
        : missingRange(request, response);
  const isError = failure !== undefined;
  const shaped = isError ? answer(h, failure, shape) : (response as ResponseObject);
  dressed(request, shaped);
  if (isStopping()) shaped.header('connection', 'close');
  const mounted = mountedRoute(request);
  const problem = nonconformance && mounted ? undeclared(mounted.route, shape, shaped, nonconformance) : undefined;
  if (problem) {
    log.error('an answer is not as its route declares', { request_id: requestId(request), problem });
    spans?.end(request, 500);
    return dressed(request, h.response({ undeclared: problem }).code(500));
  }
  spans?.end(request, shaped.statusCode);
  return isError ? shaped : h.continue;
}

/** With the headers that every answer of ours has. */
function dressed(request: Request, response: ResponseObject): ResponseObject {
  const rate = rateOf(request);
  // Not by `header`, which does more with them than is needed of these.
  const { headers } = response;
  headers['x-request-id'] = requestId(request);
  if (response.statusCode >= 500) headers['retry-after'] ??= RETRY_AFTER_SECONDS;
  if (rate) Object.assign(headers, rateHeaders(rate));
  for (const name in BROWSER_HEADERS) headers[name] ||= BROWSER_HEADERS[name]!;
  return response;
}
