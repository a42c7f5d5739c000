import type { Request, ResponseObject } from '@hapi/hapi';
import type { ArrivingCall } from '../../contract/browser.js';
import type { Route } from '../../contract/route.js';
import { Forbidden, type PlatformError, printable } from '../../errors.js';

/** Response headers that pages of other origins may read. */
const EXPOSED = 'retry-after, x-request-id';

/** The origins that pages of a request have, if they may read the response. */
const allowed = new WeakMap<Request, string | undefined>();

export const arrivingCall = (request: Request): ArrivingCall => ({
  params: request.params as Record<string, string>,
  headers: request.headers as Record<string, string | undefined>,
  request,
});

/** Decides whether the page that makes a browser call a route may do so, and read the response. Calls without `Origin` always may. */
export async function checkOrigin(
  origins: NonNullable<Route['origins']>,
  request: Request,
  refusal?: PlatformError,
): Promise<PlatformError | undefined> {
  const { origin, host } = request.headers as Readonly<Record<string, string | undefined>>;
  // A response that refuses every call has nothing to hide, and the page must be able to read it.
  const isAllowed = origin !== undefined && (refusal || isOwn(origin, host) || (await origins(origin, arrivingCall(request))));
  allowed.set(request, isAllowed ? origin : undefined);
  if (refusal || origin === undefined || isAllowed) return refusal;
  return new Forbidden(`Requests from pages of ${printable(origin)} are not allowed`);
}

/** Whether a page is one of this server. Only hosts are compared: behind a proxy that ends TLS, the schemes differ. */
const isOwn = (origin: string, host: string | undefined): boolean => URL.canParse(origin) && new URL(origin).host === host;

/** Adds the headers that let the page read the response, also if it is an error. */
export function withCorsHeaders(request: Request, { headers }: ResponseObject): void {
  if (!allowed.has(request)) return;
  const origin = allowed.get(request);
  // Caches must not give the response for one origin, or for none, to another.
  headers.vary = headers.vary ? `${headers.vary}, origin` : 'origin';
  if (origin === undefined) return;
  headers['access-control-allow-origin'] = origin;
  headers['access-control-expose-headers'] = EXPOSED;
}
