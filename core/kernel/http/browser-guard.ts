import { isIP } from 'node:net';
import type { Request } from '@hapi/hapi';
import { Forbidden, type PlatformError, printable } from '../../errors.js';

/** Names that every browser resolves to this machine. */
const LOCALHOST = /(^|\.)localhost$/;

/** Headers of every response that does not set them itself: browsers must not render it as a page, or guess its type. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * Refuses requests that a foreign page makes a browser send: under a name that the page's owner resolves to this machine (DNS rebinding), or
 * from another origin. IP addresses cannot be rebound, so they are trusted, and so are the host and the pages of the public URL: a proxy may
 * call the platform under another name.
 */
export function createBrowserGuard(trusted: readonly string[], publicUrl: string | undefined) {
  const own = publicUrl === undefined ? undefined : urlOf(publicUrl);
  const names = new Set([...trusted.map((name) => name.toLowerCase()), ...(own ? [own.hostname] : [])]);
  const isTrusted = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0 || LOCALHOST.test(host) || names.has(host);

  /** @param anyOrigin the route decides about origins itself
   * @returns the error that refuses the request; undefined when it is allowed */
  return ({ headers }: Request, { anyOrigin = false } = {}): PlatformError | undefined => {
    const { host: hostHeader, origin } = headers as Readonly<Record<string, string | undefined>>;
    // Browsers always send Host. Load balancers probe over HTTP/1.0 without it.
    if (hostHeader === undefined && origin === undefined) return undefined;
    const name = hostHeader ?? '';
    const host = urlOf(`http://${name}`);
    if (!host || !isTrusted(host.hostname)) {
      return new Forbidden(`The host ${printable(name)} is not one of this platform's names; add it to trustedHosts`);
    }
    if (origin === undefined || anyOrigin) return undefined;
    // Only hosts are compared: behind a proxy that ends TLS, the schemes differ.
    const from = urlOf(origin)?.host;
    return from !== undefined && (from === host.host || from === own?.host)
      ? undefined
      : new Forbidden(`Requests from pages of ${printable(origin)} are not allowed`);
  };
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // An invalid Host or Origin is never trusted.
    return undefined;
  }
}
