import { type AdminCall, type Authenticate, type Call, Forbidden, type PlatformError, type PluginContext, Unauthorized } from '#core';
import { type ConsoleSessions, SESSION_MS } from './sessions.js';

/** The methods of calls that change nothing. */
const READS = ['GET', 'HEAD'];
const OWN_SITES = ['same-origin', 'none'];

/** Browsers send a cookie to every port of a host, so its name contains the port. */
const cookieName = (port: string): string => `posthorn_console_${port || 'default'}`;

/**
 * The values of all cookies of this host and port that may contain the token of a session. Servers on other ports of the host can set
 * cookies of this name for a longer path, which browsers send first, so no single one decides.
 */
export function sessionTokens({ host, cookie }: AdminCall['headers']): string[] {
  if (cookie === undefined || host === undefined || !URL.canParse(`http://${host}`)) return [];
  const prefix = `${cookieName(new URL(`http://${host}`).port)}=`;
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}

/** Where a browser finds the platform: the origin of its pages, and the path below which the platform is. */
export interface PlatformAddress {
  readonly origin: string;
  readonly path: string;
}

/**
 * The place that a browser called. A proxy that ends TLS or changes paths has them in the public URL; under other hosts, browsers reach the
 * server directly. @throws Forbidden without a valid Host
 */
export function placeOf({ headers, server, route }: Call['request'], publicUrl: string): PlatformAddress {
  const host = headers.host as string | undefined;
  // The protocol of a socket in the file system is `socket`, which no browser uses.
  const protocol = server.info.protocol === 'https' ? 'https' : 'http';
  const called = host !== undefined && URL.canParse(`http://${host}`) ? new URL(`${protocol}://${host}`) : undefined;
  if (!called) throw new Forbidden('This call needs the header Host');
  const own = new URL(publicUrl);
  return own.host === host?.toLowerCase()
    ? { origin: own.origin, path: own.pathname }
    : { origin: called.origin, path: route.realm.modifiers.route.prefix ?? '/' };
}

/** `Set-Cookie` for a session, limited to the path of the platform. */
export const sessionCookie = (token: string, place: PlatformAddress): string => cookie(token, place, Math.floor(SESSION_MS / 1_000));

/** `Set-Cookie` that deletes the cookie of a session. */
export const endedCookie = (place: PlatformAddress): string => cookie('', place, 0);

function cookie(value: string, { origin, path }: PlatformAddress, maxAgeS: number): string {
  const { port, protocol } = new URL(origin);
  const parts = [`${cookieName(port)}=${value}`, `Path=${path}`, `Max-Age=${maxAgeS}`, 'HttpOnly', 'SameSite=Strict'];
  return [...parts, ...(protocol === 'https:' ? ['Secure'] : [])].join('; ');
}

/**
 * Accepts admin calls of the page that opened the session. A cookie alone proves little: browsers ignore ports when they send cookies, and
 * treat pages of other loopback ports as the same site. So the host, the origin and the fetch metadata of the call must be the page's, too.
 */
export function sessionAuth(sessions: ConsoleSessions, command: string, { keyOperator }: Pick<PluginContext, 'keyOperator'>): Authenticate {
  // An event stream is authenticated repeatedly with its request, which does not count as use of the session.
  const seen = new WeakSet<object>();
  return async (request) => {
    const { method, headers: all } = request;
    const headers = all as AdminCall['headers'];
    const tokens = sessionTokens(headers);
    // A call with an Authorization header does not use the session.
    if (tokens.length === 0 || headers.authorization !== undefined) return undefined;
    let refused: PlatformError | undefined;
    for (const token of tokens) {
      const session = sessions.sessionOf(token);
      if (!session) continue;
      const refusedHere = refusal(session.origin, { method: method.toUpperCase(), headers });
      refused ??= refusedHere;
      // A key that was removed or has expired ends the sessions that it has created.
      const operator = refusedHere ? undefined : await keyOperator(session.operator);
      if (!operator) continue;
      if (!seen.has(request)) sessions.use(token);
      seen.add(request);
      return operator;
    }
    throw refused ?? new Unauthorized(`The session of the console has ended; ${command} open starts a new one`);
  };
}

/** Why a call may not use a session of this origin; undefined if it may. */
function refusal(origin: string, { method, headers }: AdminCall): PlatformError | undefined {
  const isRead = READS.includes(method);
  if (headers.host?.toLowerCase() !== new URL(origin).host) return new Forbidden('The session of the console belongs to another host');
  if (headers.origin === undefined ? !isRead : headers.origin !== origin)
    return new Forbidden(`The session of the console belongs to pages of ${origin}; send their Origin`);
  if (!OWN_SITES.includes(headers['sec-fetch-site'] ?? ''))
    return new Forbidden(
      'The session of the console needs the header Sec-Fetch-Site: same-origin or none; browsers send it to https addresses and to this machine only',
    );
  if (!isRead && headers['x-posthorn'] !== '1')
    return new Forbidden('Calls with the session of the console that change something need the header X-Posthorn: 1');
  return undefined;
}
