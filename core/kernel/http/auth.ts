import { createHash, timingSafeEqual } from 'node:crypto';
import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
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
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  const expected = hash(key);
  return (candidate) => timingSafeEqual(hash(candidate), expected);
}

/** The bearer token of a request: undefined without an Authorization header, empty when the header has no bearer token. */
export function bearerText(request: Request): string | undefined {
  const header = request.headers.authorization as string | undefined;
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
}
