import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Server } from '@hapi/hapi';
import { PlatformError, Unauthorized } from '../errors.js';
import type { Caller } from '../messaging/token.js';
import { answer } from './answers.js';
import { mountedRoute } from './mounted-route.js';

/** The names under which a platform's ways to authenticate are known to the server it lives on. */
export interface Strategies {
  readonly bearer: string;
  readonly admin: string;
}

/** Who makes the call, or why it is refused; it never throws. `text` is what `bearerText` gives. */
export interface Identify {
  caller(request: Request, text: string | undefined): Promise<Caller | PlatformError>;
  admin(text: string | undefined): PlatformError | undefined;
}

/** Adds a platform's strategies to the host. Routes name them one by one: a default would be the whole server's. */
export function addStrategies(server: Server, name: string, identify: Identify): Strategies {
  const strategies = { bearer: `${name}.bearer`, admin: `${name}.admin` };

  server.auth.scheme(strategies.bearer, () => ({
    async authenticate(request, h) {
      const text = bearerText(request);
      if (text === undefined && isOptional(request)) throw new Unauthorized('No token', true);
      const caller = await identify.caller(request, text);
      if (caller instanceof PlatformError) return answer(h, caller, mountedRoute(request)?.shape).takeover();
      // Of this request alone: a host may add to it.
      return h.authenticated({ credentials: { number: caller.number, token: caller.token } as never });
    },
  }));
  server.auth.strategy(strategies.bearer, strategies.bearer);

  server.auth.scheme(strategies.admin, () => ({
    authenticate(request, h) {
      const refusal = identify.admin(bearerText(request));
      return refusal ? answer(h, refusal, mountedRoute(request)?.shape).takeover() : h.authenticated({ credentials: {} });
    },
  }));
  server.auth.strategy(strategies.admin, strategies.admin);
  return strategies;
}

/** Compares hashes, so that neither the time nor the length tells anything of the key. */
export function adminKeyCheck(key: string): (given: string) => boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  const right = hash(key);
  return (given) => timingSafeEqual(hash(given), right);
}

/** What follows `Bearer` in the Authorization header; undefined without the header, empty when it is no bearer token. */
export function bearerText(request: Request): string | undefined {
  const header = request.headers.authorization as string | undefined;
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
}

function isOptional(request: Request): boolean {
  const { auth } = request.route.settings;
  return typeof auth === 'object' && auth.mode === 'optional';
}
