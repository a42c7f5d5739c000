import type { Request, ResponseObject, ResponseToolkit, RouteOptions, Server, ServerRoute } from '@hapi/hapi';
import Joi from 'joi';
import type { ErrorShape } from '../contract/plugin.js';
import type { Call, Route } from '../contract/route.js';
import { NotSupported, PlatformError, RouteNotFound } from '../errors.js';
import type { Caller } from '../messaging/tokens.js';
import type { Logger } from '../ports/logger.js';
import { answer, invalidRequest, ourError, undeclared, unreadableBody } from './answers.js';
import { addStrategies } from './auth.js';
import { checkDepth } from './json-depth.js';
import { mountedRoute, remember } from './mounted-route.js';
import { type RateLimiter, type RateState, rateHeaders } from './rate-limit.js';

const MAX_BODY_BYTES = 1024 * 1024;
export const ADMIN_PREFIX = '/admin/v1';

/** The routes of one area, and how it shows errors. */
export interface Area {
  readonly name: string;
  readonly routes: readonly Route[];
  readonly console: readonly Route[];
  readonly roots: readonly string[];
  readonly errors: ErrorShape | undefined;
}

export interface MountOptions {
  /** Tells the platforms on one server apart. */
  readonly name: string;
  readonly areas: readonly Area[];
  readonly callerOf: (token: string) => Promise<Caller | undefined>;
  /** Undefined: the admin API is not mounted at all. */
  readonly isAdminKey: ((key: string) => boolean) | undefined;
  readonly limiter: RateLimiter;
  readonly log: Logger;
  /** Checks every answer against the schemas of its route; for tests. */
  readonly checkResponses: boolean;
}

/** Mounts every area in a realm of its own, so that nothing of ours touches the host's routes, errors, validation or auth. */
export async function mount(server: Server, options: MountOptions): Promise<void> {
  const strategies = addStrategies(server, options.name, options.callerOf, options.isAdminKey);
  const realm = (name: string, routes: ServerRoute[], shape: ErrorShape | undefined) =>
    server.register({
      name: `${options.name}/${name}`,
      register(ours: Server) {
        ours.route(routes);
        ours.ext('onPreResponse', (request, h) => lastLook(request, h, shape, options), { sandbox: 'plugin' });
      },
    });

  for (const { name, routes, console, roots, errors } of options.areas) {
    const mounted = routes.map((route) => hapiRoute(route, route.path, errors, strategies.bearer, options));
    await realm(name, [...mounted, ...roots.map(unknownBelow)], errors);
    if (options.isAdminKey) {
      const admin = console.map((route) => hapiRoute(route, `${ADMIN_PREFIX}${route.path}`, undefined, strategies.admin, options));
      await realm(`${name}/console`, admin, undefined);
    }
  }
  await realm('unknown', unclaimedRoots(options).map(unknownBelow), undefined);
}

/** The first folders of our paths, below which whatever we do not know is answered with a 404 in JSON. */
function unclaimedRoots({ areas, isAdminKey }: MountOptions): string[] {
  const firsts = areas.flatMap((area) => area.routes.map((route) => `/${route.path.split('/')[1]}`));
  return [...new Set([...firsts, ...(isAdminKey ? [ADMIN_PREFIX] : [])])];
}

function unknownBelow(root: string): ServerRoute {
  return {
    method: '*',
    path: `${root}/{path*}`,
    options: { auth: false },
    handler(request) {
      throw new RouteNotFound(request.method, request.path);
    },
  };
}

function hapiRoute(route: Route, path: string, shape: ErrorShape | undefined, strategy: string, options: MountOptions): ServerRoute {
  const { auth = 'bearer', request: schemas = {}, maxBytes = MAX_BODY_BYTES } = route;
  const hasBody = route.method !== 'GET';
  const fail = (of: (error: Error) => PlatformError) => (_: Request, h: ResponseToolkit, error?: Error) =>
    answer(h, of(error!), shape).takeover();

  const settings: RouteOptions = {
    auth: auth === 'none' ? false : { strategy, mode: auth === 'optional' ? 'optional' : 'required' },
    plugins: remember({ route, shape }),
    validate: {
      failAction: fail(invalidRequest),
      options: { abortEarly: false, allowUnknown: true, errors: { label: 'path', wrap: { label: false } } },
      ...(schemas.params && { params: schemas.params }),
      ...(schemas.query && { query: schemas.query }),
      ...(schemas.payload && { payload: Joi.compile(schemas.payload).prefs({ convert: false, stripUnknown: { objects: true } }) }),
    },
    ext: { onCredentials: { method: (request, h) => admit(request, h, route, shape, options.limiter) } },
  };
  if (hasBody) {
    settings.payload = {
      maxBytes,
      failAction: fail((error) => unreadableBody(error, maxBytes)),
      ...(route.body === 'bytes' ? { parse: false, output: 'data' } : { parse: true, allow: ['application/json', 'application/*+json'] }),
    };
  }
  return {
    method: route.method,
    path,
    options: settings,
    async handler(request, h) {
      try {
        if (route.body !== 'bytes') checkDepth(request.payload);
        return await route.handler(callOf(request), h);
      } catch (error) {
        if (error instanceof PlatformError) return answer(h, error, shape);
        throw error;
      }
    },
  };
}

function callOf(request: Request): Call {
  const { params, query, payload, headers } = request;
  return { params, query, payload, headers, caller: callerOf(request), request } as unknown as Call;
}

const callerOf = (request: Request): Caller | undefined => {
  const credentials = request.auth.credentials as unknown as Caller | null;
  return credentials?.number ? credentials : undefined;
};

const rates = new WeakMap<Request, RateState>();

/** Before the body is read: may this number call this endpoint, and does it still have calls left? */
function admit(request: Request, h: ResponseToolkit, route: Route, shape: ErrorShape | undefined, limiter: RateLimiter) {
  const caller = callerOf(request);
  if (!caller) return h.continue;
  const { uuid, kind } = caller.number;
  try {
    if (route.numbers && !route.numbers.includes(kind)) throw new NotSupported(kind, `${route.method} ${route.path}`);
    const rate = limiter.count(uuid, route.bucket ?? 'general');
    if (rate) rates.set(request, rate);
    if (rate?.refused) throw rate.refused;
    return h.continue;
  } catch (error) {
    if (error instanceof PlatformError) return answer(h, error, shape).takeover();
    throw error;
  }
}

/** The last look at every answer: what is still an error gets our shape, rate headers are added, tests check the schema. */
function lastLook(request: Request, h: ResponseToolkit, shape: ErrorShape | undefined, { log, checkResponses }: MountOptions) {
  const { response } = request;
  const isError = response instanceof Error;
  const error = isError ? ourError(response, request.info.id) : undefined;
  if (isError && error!.status >= 500) {
    log.error('a request failed', { request: request.info.id, method: request.method, path: request.path, error: response.stack });
  }
  const shaped = error ? answer(h, error, shape) : (response as ResponseObject);
  const rate = rates.get(request);
  if (rate) for (const [name, value] of Object.entries(rateHeaders(rate))) shaped.header(name, value);
  const mounted = mountedRoute(request);
  const problem = checkResponses && mounted ? undeclared(mounted.route, shape, shaped) : undefined;
  if (problem) {
    log.error('an answer is not as its route declares', { request: request.info.id, problem });
    return h.response({ undeclared: problem }).code(500);
  }
  return error ? shaped : h.continue;
}
