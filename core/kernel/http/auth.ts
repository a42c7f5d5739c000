import { createHash, timingSafeEqual } from 'node:crypto';
import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Identified } from '../../contract/operator.js';
import { PlatformError } from '../../errors.js';
import type { Caller } from '../../messaging/token.js';
import { runSteps, type Steps } from '../../ports/steps.js';
import { errorResponse } from './answers.js';
import { mountedRoute } from './mounted-route.js';

/** Names of the hapi auth strategies of a platform, unique on its server. */
export interface Strategies {
  readonly bearer: string;
  readonly admin: string;
}

/** Identifies the caller, or returns the error that refuses the call; never throws. `text` is the result of `bearerText`. */
export interface Identify {
  caller(request: Request, text: string | undefined): Steps<Caller | PlatformError>;
  admin(request: Request): Promise<Identified | PlatformError>;
}

/** Adds a platform's strategies to the server. Each route names its strategy: a default would apply to the host's routes as well. */
export function addStrategies(server: Server, name: string, identify: Identify): Strategies {
  const strategies = { bearer: `${name}.bearer`, admin: `${name}.admin` };

  server.auth.scheme(strategies.bearer, () => ({
    authenticate: (request, h) => runSteps(authenticated(request, h)) as Lifecycle.ReturnValue,
  }));
  function* authenticated(request: Request, h: ResponseToolkit): Steps<unknown> {
    const text = bearerText(request);
    if (text === undefined && mountedRoute(request)?.route.auth === 'optional') return h.authenticated({ credentials: {} });
    const caller = yield* identify.caller(request, text);
    if (caller instanceof PlatformError) return errorResponse(h, caller, mountedRoute(request)?.shape).takeover();
    // A new object for each request: the host application may add to it.
    return h.authenticated({ credentials: { number: caller.number, token: caller.token } as never });
  }
  server.auth.strategy(strategies.bearer, strategies.bearer);

  server.auth.scheme(strategies.admin, () => ({
    async authenticate(request, h) {
      const identified = await identify.admin(request);
      if (identified instanceof PlatformError) return errorResponse(h, identified, mountedRoute(request)?.shape).takeover();
      return h.authenticated({ credentials: identified as never });
    },
  }));
  server.auth.strategy(strategies.admin, strategies.admin);
  return strategies;
}

/** Compares hashes in constant time, so that response times reveal neither the key nor its length. */
export function adminKeyCheck(key: string): (candidate: string) => boolean {
  const expected = hashOf(key);
  return (candidate) => timingSafeEqual(hashOf(candidate), expected);
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** An admin key of the options. */
export interface AdminKey {
  is(text: string): boolean;
  /** Such as `key/0f3c…`: another key has another id. */
  readonly id: string;
}

/** The admin key of the moment. Rejects when the function of the options fails, or returns a key that cannot be used. */
export type CurrentAdminKey = () => AdminKey | Promise<AdminKey>;

/** Begins the id of an admin key of the options. */
export const ADMIN_KEY_ID = 'key/';
const HASH_SHOWN = 16;

/** @param onNew called with a key of the function when it is not the previous one */
export function currentAdminKey(source: AdminKeySource, onNew: (key: string) => void): CurrentAdminKey {
  const keyOf = (text: string): AdminKey => ({
    is: adminKeyCheck(text),
    id: `${ADMIN_KEY_ID}${hashOf(text).toString('hex').slice(0, HASH_SHOWN)}`,
  });
  if (typeof source === 'string') {
    const key = keyOf(source);
    return () => key;
  }
  let known: { readonly text: string; readonly key: AdminKey } | undefined;
  return async () => {
    const text = await source();
    if (known?.text === text) return known.key;
    const { error } = adminKeySchema.validate(text);
    if (error) throw new TypeError(`admin.key returned a key that cannot be used: ${error.message}`);
    onNew(text);
    known = { text, key: keyOf(text) };
    return known.key;
  };
}

/** A key, or a function that returns the key of the moment. */
export type AdminKeySource = string | (() => string | Promise<string>);

export const adminKeySchema = Joi.string()
  .min(16)
  .pattern(/^\S+$/)
  .required()
  .messages({ 'string.pattern.base': '{#label} must have no spaces: it is sent as a bearer token' });

/** The bearer token of a request: undefined without an Authorization header, empty when the header has no bearer token. */
export function bearerText(request: Request): string | undefined {
  const header = request.headers.authorization as string | undefined;
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
}
