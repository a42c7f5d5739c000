import type { Lifecycle, Request, ResponseObject, ResponseToolkit, RouteOptions, Server, ServerRoute } from '@hapi/hapi';
import Joi from 'joi';
import { hasFile } from '../../contract/answers.js';
import type { ErrorShape } from '../../contract/plugin.js';
import type { Call, Route, TextBody } from '../../contract/route.js';
import { messageOf, PlatformError, PluginFailed } from '../../errors.js';
import type { Caller } from '../../messaging/token.js';
import type { Clock } from '../../ports/clock.js';
import type { Faults } from '../../ports/faults.js';
import type { Logger } from '../../ports/logger.js';
import { runSteps, type Steps, wait } from '../../ports/steps.js';
import type { Tracing } from '../../ports/tracing.js';
import type { Audit } from '../observe/audit.js';
import { type CallLog, type Recorder, recorderOf } from '../observe/call-log.js';
import type { MemoryGuard } from '../observe/memory-guard.js';
import type { AccountScopes } from './account-scope.js';
import {
  errorResponse,
  invalidRequest,
  loggedFailure,
  type Nonconformance,
  respondingAsJson,
  responseProblem,
  unreadableBody,
} from './answers.js';
import { apiFault } from './api-fault.js';
import { ADMIN_PREFIX, type Area, firstSegments, isWhole } from './area.js';
import { addStrategies } from './auth.js';
import { createBrowserGuard } from './browser-guard.js';
import type { CallGate } from './call-gate.js';
import { arrivingCall, checkOrigin } from './cors.js';
import { guestSettings, isolateRequests, withHostExtensions } from './guest-settings.js';
import { admissionOf, type IdentificationDeps, identification } from './identify.js';
import { checkJson } from './json-body.js';
import { mountedRoute, requestId, routeState, setArea } from './mounted-route.js';
import { operatorOf } from './operators.js';
import { preflightRoutes } from './preflight.js';
import { unsatisfiableRange } from './ranges.js';
import { type Admission, admitted } from './rate-limit.js';
import { discardRest, hasType, notReadable, parseJson, parseText, readBody } from './read-body.js';
import {
  bodySchemaOf,
  CHECKS,
  checked,
  checkedBody,
  createPathCheck,
  hasJsonBody,
  type PathCheck,
  STRICT_CHECKS,
} from './request-schemas.js';
import { createRequestSpans, type RequestSpans } from './request-spans.js';
import { withStandardHeaders } from './standard-headers.js';
import { answerUndecodablePaths } from './undecodable-paths.js';
import { addFallbacks, UNREAD, unknownPathRoute } from './unknown-path.js';

const MAX_BODY_BYTES = 1024 * 1024;

export interface MountOptions extends IdentificationDeps {
  /** Distinguishes the platforms on one server. */
  readonly name: string;
  readonly areas: readonly Area[];
  /** Whether the platform has the admin API. */
  readonly hasAdmin: boolean;
  /** Host names under which browsers may call the admin API and routes without a token; undefined allows any. */
  readonly trustedHosts: readonly string[] | undefined;
  /** That of the options. */
  readonly publicUrl: string | undefined;
  readonly tracing: Tracing | undefined;
  readonly memory: Pick<MemoryGuard, 'reserve'>;
  /** Records calls; undefined unless they are recorded. */
  readonly calls: CallLog | undefined;
  readonly scopes: AccountScopes;
  /** Makes calls fail on purpose. */
  readonly faults: Faults | undefined;
  /** Records admin calls. */
  readonly audit: Pick<Audit, 'within'>;
  readonly clock: Pick<Clock, 'sleep' | 'during'>;
  /** Refuses calls while this process does not own the data; undefined with a store of one process. */
  readonly gate: CallGate | undefined;
  /** Checks every response against the schemas of its route; for tests. */
  readonly checkResponses: boolean;
  /** The server has no other routes. */
  readonly isAlone: boolean;
  /** Why the platform cannot serve calls yet, or any more; undefined while it runs. */
  readonly whyNotRunning: () => string | undefined;
  /** Whether responses must close their connections, because the server stops listening soon. */
  readonly isStopping: () => boolean;
}

/** Mounts every area in a realm of its own, so that the host's routes, errors, validation and auth stay untouched. @throws PluginFailed */
export async function mount(server: Server, options: MountOptions): Promise<void> {
  const nonconformance = options.checkResponses ? (await import('./openapi/conformance.js')).nonconformance : undefined;
  const spans = options.tracing && createRequestSpans(options.tracing);
  const admission = admissionOf(options);
  const strategies = addStrategies(server, options.name, identification(options, admission));
  const record = recorderOf(options, server);
  const realm = (name: string, routes: ServerRoute[], roots: readonly string[], shape: ErrorShape | undefined, log: Logger) => {
    return server.register({
      name: `${options.name}/${name}`,
      register(realmServer: Server) {
        setArea(realmServer.realm, { log, whyNotRunning: options.whyNotRunning });
        isolateRequests(realmServer);
        const deps = { log, isStopping: options.isStopping, nonconformance, spans, record: name.endsWith('/admin') ? undefined : record };
        const check = (request: Request, h: ResponseToolkit) => {
          const rest = discardRest(request);
          return rest ? rest.then(() => finalCheck(request, h, shape, deps)) : finalCheck(request, h, shape, deps);
        };
        const inSpan = (request: Request, h: ResponseToolkit) => spans!.within(request, () => check(request, h));
        if (spans) realmServer.ext('onPreAuth', (request, h) => spans.begin(request, h), { sandbox: 'plugin' });
        realmServer.ext('onPreResponse', spans ? inSpan : check, { sandbox: 'plugin' });
        // After the extensions: hapi would rebuild each route for each of them.
        realmServer.route(routes);
        addFallbacks(realmServer, roots, (root, method) => unknownPathRoute(realmServer, root, shape, method));
      },
    });
  };

  for (const { name, routes, admin, roots, errors } of options.areas) {
    const log = options.log.child({ plugin: name });
    const deps = { ...options, log, spans, admission };
    const mounted = withStrippedSlashes(routes, server).map((route) =>
      hapiRoute(server, route, route.path, errors, strategies.bearer, deps),
    );
    mounted.push(...preflightRoutes(server, mounted, options));
    const mountedAdmin = withStrippedSlashes(admin, server).map((route) =>
      hapiRoute(server, route, `${ADMIN_PREFIX}${route.path}`, undefined, strategies.admin, deps),
    );
    try {
      await realm(name, mounted, roots, errors, log);
      if (options.hasAdmin) await realm(`${name}/admin`, mountedAdmin, [], undefined, log);
    } catch (error) {
      throw new PluginFailed(name, 'register', messageOf(error), error);
    }
  }
  await realm('unknown', [], isWhole(server, options) ? [''] : firstSegments(options), undefined, options.log);
  answerUndecodablePaths(server, options, record);
}

/** When the host strips trailing slashes from requests, routes that end with one are mounted without it. */
export function withStrippedSlashes(routes: readonly Route[], { settings }: Server): readonly Route[] {
  if (!settings.router?.stripTrailingSlash) return routes;
  return routes.flatMap((route) => {
    const path = route.path.replace(/(?<=.)\/$/, '') as Route['path'];
    if (path === route.path) return [route];
    return routes.some((other) => other.method === route.method && other.path === path) ? [] : [{ ...route, path }];
  });
}

const NO_QUERY = Joi.object({});

interface RouteDeps extends MountOptions {
  readonly spans: RequestSpans | undefined;
  readonly admission: Admission;
}

function hapiRoute(
  server: Server,
  route: Route,
  path: string,
  shape: ErrorShape | undefined,
  strategy: string,
  options: RouteDeps,
): ServerRoute {
  const { log, spans, clock } = options;
  const { auth = 'bearer', request: schemas = {}, maxBytes = MAX_BODY_BYTES } = route;
  const hasBody = route.method !== 'GET';
  // Ignoring a misspelt filter would make an admin call apply to everything.
  const isStrict = strategy.endsWith('.admin');
  const faults = isStrict || route.ignoresFaults ? undefined : options.faults;
  const query = schemas.query ?? (isStrict ? NO_QUERY : undefined);
  const isJson = hasJsonBody(route);
  const gate = route.needsNoStore ? undefined : options.gate;
  const guard =
    options.trustedHosts && (isStrict || auth !== 'bearer') ? createBrowserGuard(options.trustedHosts, options.publicUrl) : undefined;
  const refuse = (convert: (error: Error) => PlatformError) => (_: Request, h: ResponseToolkit, error?: Error) =>
    errorResponse(h, convert(error!), shape).takeover();

  // `receiveBody` runs these checks: a validation step of hapi costs a tenth of a small call. With a query hapi checks the body after it.
  const pathCheck = hasBody && schemas.params ? createPathCheck(schemas.params) : undefined;
  const checkBody = isJson ? checkedBody(() => bodySchemaOf(route, isStrict)!) : undefined;
  const bodyDeps: BodyDeps = {
    shape,
    isJson,
    text: route.text,
    exactIntegers: route.exactIntegers === true,
    maxBytes,
    arrivalMs: route.arrivalMs,
    memory: route.method === 'DELETE' || route.keepsNothing ? undefined : options.memory,
    isAdmin: isStrict,
    bucketOf: route.bucketOf,
    admission: options.admission,
    calls: isStrict ? undefined : options.calls,
    pathCheck,
    checkBody: query ? undefined : checkBody,
  };

  const guest = guestSettings(server, route.method);
  const settings: RouteOptions = {
    ...guest,
    ...(route.origins && { cors: false }),
    // A name alone: hapi would merge an object with that of the host's defaults.
    auth: auth === 'none' ? false : strategy,
    plugins: { ...guest.plugins, ...routeState({ route, shape }) },
    // hapi makes 204 of a 200 without content, such as a notebook or a file of no bytes.
    response: { ...guest.response, ranges: hasFile(route), ...(200 in route.responses && { emptyStatusCode: 200 }) },
    validate: {
      ...guest.validate,
      failAction: refuse(invalidRequest),
      ...(schemas.params && { params: pathCheck ? true : checked(() => schemas.params!.prefs(CHECKS)) }),
      ...(query && { query: checked(() => query.label('the query').prefs(isStrict ? STRICT_CHECKS : CHECKS)) }),
      ...(query && checkBody && { payload: async (body: unknown) => checkBody(body) }),
    },
    // `readBody` limits the size. `receiveBody` checks the type: hapi would read a body of another type to its end, without a limit.
    ...(hasBody && { payload: { ...UNREAD, parse: isJson ? 'gunzip' : false, failAction: refuse(unreadableBody) } }),
    ext: {
      ...((guard || gate || route.origins || route.admit) && {
        onPreAuth: withHostExtensions(server, 'onPreAuth', (request, h) => {
          const refusal = guard?.(request, { anyOrigin: route.origins !== undefined }) ?? gate?.refusal();
          return route.origins || route.admit ? admit(request, h, refusal) : refusedOrContinue(refusal, h, shape);
        }),
      }),
      ...(hasBody && { onPostAuth: withHostExtensions(server, 'onPostAuth', (request, h) => runSteps(receiveBody(request, h, bodyDeps))) }),
    },
  };
  return {
    method: route.method,
    path,
    options: settings,
    handler: (request, h) => {
      const handling = () => runSteps(handled(request, h)) as Lifecycle.ReturnValue;
      return spans ? spans.within(request, handling) : handling();
    },
  };

  async function admit(request: Request, h: ResponseToolkit, refusal: PlatformError | undefined): Promise<Lifecycle.ReturnValue> {
    try {
      const refused = route.origins ? await checkOrigin(route.origins, request, refusal) : refusal;
      if (!refused) await route.admit?.(arrivingCall(request));
      return refusedOrContinue(refused, h, shape);
    } catch (error) {
      return errorResponse(h, loggedFailure(error, request, log), shape).takeover();
    }
  }

  function* handled(request: Request, h: ResponseToolkit): Steps<Lifecycle.ReturnValue> {
    try {
      const refused = faults && (yield* wait(apiFault({ faults, clock }, route, request)));
      if (refused) return errorResponse(h, refused, shape);
      const restricted = isStrict ? operatorOf(request).accounts : undefined;
      const mayRespond = restricted ? scoped(route, restricted, options.scopes) : route;
      const respond = () => runSteps(respondingAsJson(mayRespond, callOf(request, log), h));
      const responding = isStrict ? options.audit.within(route, request, async () => respond()) : respond();
      return yield* wait(gate ? gate.within(Promise.resolve(responding)) : responding);
    } catch (error) {
      return errorResponse(h, loggedFailure(error, request, log), shape);
    }
  }
}

/** The route for an operator who is restricted to accounts. */
const scoped = (route: Route, accounts: readonly string[], scopes: AccountScopes): Route => ({
  ...route,
  handler: (call, h) => scopes.respond(route, call, h, accounts) as Promise<Lifecycle.ReturnValue>,
});

const refusedOrContinue = (refusal: PlatformError | undefined, h: ResponseToolkit, shape: ErrorShape | undefined) =>
  refusal ? errorResponse(h, refusal, shape).takeover() : h.continue;

interface BodyDeps {
  readonly shape: ErrorShape | undefined;
  readonly isJson: boolean;
  readonly text: TextBody | undefined;
  readonly exactIntegers: boolean;
  readonly maxBytes: number;
  readonly arrivalMs: number | undefined;
  /** Undefined for routes that store nothing new. */
  readonly memory: Pick<MemoryGuard, 'reserve'> | undefined;
  readonly isAdmin: boolean;
  readonly bucketOf: Route['bucketOf'];
  readonly admission: Admission;
  readonly calls: Pick<CallLog, 'received'> | undefined;
  readonly pathCheck: PathCheck | undefined;
  /** Undefined when hapi validates the body. */
  readonly checkBody: ((body: unknown) => Promise<object> | object) | undefined;
}

/** Reads a body within the limits, and checks memory, content type, structure, rate limit and path; then the body itself, unless hapi does. */
function* receiveBody(request: Request, h: ResponseToolkit, deps: BodyDeps): Steps<Lifecycle.ReturnValue> {
  const { shape, isJson, text, exactIntegers, maxBytes, arrivalMs, memory, isAdmin, bucketOf, admission, calls, pathCheck, checkBody } =
    deps;
  try {
    const release = memory?.reserve(isJson ? sizeOf(request, maxBytes) : 0, { isAdmin });
    // Both events: an injected response only finishes, and one whose client disconnects only closes.
    if (release) request.raw.res.once('finish', release).once('close', release);
    const isText = isJson && text !== undefined && hasType(request, text.contentType);
    const refusal = isJson ? notReadable(request, isText) : undefined;
    if (refusal) throw refusal;
    const bytes = yield* wait(readBody(request, { maxBytes, arrivalMs }));
    calls?.received(request, bytes);
    const body = isText ? { [text.field]: parseText(bytes) } : isJson ? parseJson(bytes, exactIntegers) : bytes;
    if (isJson) checkJson(body);
    Object.assign(request, { payload: body });
    const { number } = (request.auth.credentials ?? {}) as unknown as Partial<Caller>;
    const rate = bucketOf && number && (yield* admitted(admission, request, number.uuid, bucketOf(body)));
    if (rate?.refused) return errorResponse(h, rate.refused, shape).takeover();
    if (pathCheck && !pathCheck.needsNoJoi(request.params))
      Object.assign(request, { params: yield* wait(pathCheck.check(request.params)) });
    if (checkBody) {
      // As hapi does.
      request.orig.payload = body as object;
      Object.assign(request, { payload: yield* wait(checkBody(body)) });
    }
    return h.continue;
  } catch (error) {
    const refusal = Joi.isError(error) ? invalidRequest(error) : error;
    if (!(refusal instanceof PlatformError)) throw error;
    return errorResponse(h, refusal, shape).takeover();
  }
}

/** The size of a body by its header; the maximum when it is compressed or has no length. */
function sizeOf({ headers }: Request, maxBytes: number): number {
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
  return length >= 0 ? Math.min(length, maxBytes) : maxBytes;
}

function callOf(request: Request, log: Logger): Call {
  const { params, query, payload, headers } = request;
  const caller = request.auth.credentials as unknown as Caller | null;
  return {
    params: withPlainUuids(params),
    query,
    payload,
    headers,
    caller: caller?.number ? caller : undefined,
    // Not a getter: V8 tenures getters of literals, and they keep the request alive.
    log: log.child({ request_id: requestId(request) }),
    request,
  } as unknown as Call;
}

/** Converts uuids to lower case: callers may write them in upper case (RFC 9562, 4), and records have them in lower case. */
function withPlainUuids(params: Record<string, unknown>): Record<string, unknown> {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'string' && name.endsWith('uuid')) params[name] = value.toLowerCase();
  }
  return params;
}

interface FinalCheckDeps extends Pick<MountOptions, 'log' | 'isStopping'> {
  /** Undefined unless `checkResponses` is set. */
  readonly nonconformance: Nonconformance | undefined;
  readonly spans: RequestSpans | undefined;
  /** Undefined unless calls are recorded. */
  readonly record: Recorder | undefined;
}

/** Runs before every response: renders remaining errors in the area's shape, adds headers, and with `checkResponses` checks the schema. */
function finalCheck(
  request: Request,
  h: ResponseToolkit,
  shape: ErrorShape | undefined,
  { log, isStopping, nonconformance, spans, record }: FinalCheckDeps,
) {
  const { response, route } = request;
  const failure =
    response instanceof Error
      ? loggedFailure(response, request, log)
      : route.settings.response?.ranges === false
        ? undefined
        : unsatisfiableRange(request, response);
  const isError = failure !== undefined;
  const shaped = isError ? errorResponse(h, failure, shape) : (response as ResponseObject);
  withStandardHeaders(request, shaped);
  if (isStopping()) shaped.header('connection', 'close');
  const mounted = mountedRoute(request);
  const problem = nonconformance && mounted ? responseProblem(mounted.route, shape, shaped, nonconformance) : undefined;
  if (problem) {
    log.error('a response does not match the declaration of its route', { request_id: requestId(request), problem });
    spans?.end(request, 500);
    return withStandardHeaders(request, h.response({ undeclared: problem }).code(500));
  }
  spans?.end(request, shaped.statusCode);
  record?.(request, shaped);
  return isError ? shaped : h.continue;
}
