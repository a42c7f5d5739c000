import type { Request, ResponseToolkit, Server } from '@hapi/hapi';
import { Unauthorized } from '../errors.js';
import type { Caller } from '../messaging/tokens.js';
import { answer } from './answers.js';
import { mountedRoute } from './mounted-route.js';

/** The names under which a platform's ways to authenticate are known to the server it lives on. */
export interface Strategies {
  readonly bearer: string;
  readonly admin: string;
}

/** Adds a platform's strategies to the host. Routes name them one by one: a default would be the whole server's. */
export function addStrategies(
  server: Server,
  name: string,
  callerOf: (token: string) => Promise<Caller | undefined>,
  isAdminKey: ((key: string) => boolean) | undefined,
): Strategies {
  const strategies = { bearer: `${name}.bearer`, admin: `${name}.admin` };

  server.auth.scheme(strategies.bearer, () => ({
    async authenticate(request, h) {
      const token = bearerToken(request);
      if (token === undefined && modeOf(request) === 'optional') throw new Unauthorized('No token', true);
      const caller = token === undefined ? undefined : await callerOf(token);
      return caller ? h.authenticated({ credentials: caller as never }) : refuse(request, h, token, 'token');
    },
  }));
  server.auth.strategy(strategies.bearer, strategies.bearer);

  server.auth.scheme(strategies.admin, () => ({
    authenticate(request, h) {
      const key = bearerToken(request);
      return key !== undefined && isAdminKey?.(key) ? h.authenticated({ credentials: {} }) : refuse(request, h, key, 'admin key');
    },
  }));
  server.auth.strategy(strategies.admin, strategies.admin);
  return strategies;
}

function refuse(request: Request, h: ResponseToolkit, given: string | undefined, what: 'token' | 'admin key') {
  const reason =
    given === undefined
      ? `This call needs ${what === 'token' ? 'a token' : 'the admin key'}: send the header Authorization: Bearer <${what}>`
      : `The ${what} is not valid${what === 'token' ? ': it is unknown, expired or revoked' : ''}`;
  return answer(h, new Unauthorized(reason), mountedRoute(request)?.shape).takeover();
}

/** The token of the Authorization header; undefined without the header, empty when it is no bearer token. */
function bearerToken(request: Request): string | undefined {
  const header = request.headers.authorization as string | undefined;
  return header === undefined ? undefined : (/^Bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
}

function modeOf(request: Request): string | undefined {
  const { auth } = request.route.settings;
  return typeof auth === 'object' ? auth.mode : undefined;
}
