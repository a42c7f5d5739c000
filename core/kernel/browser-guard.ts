import { isIP } from 'node:net';
import type { Request } from '@hapi/hapi';
import { Forbidden, type PlatformError, printable } from '../errors.js';

/** Names that stand for this machine in every browser. */
const OWN = /(^|\.)localhost$/;

/** What every answer says to browsers unless its route says otherwise: it is no page, and is not to be taken for one. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/**
 * Refuses what a page of somebody else makes a browser ask for: a name that its owner has pointed at this machine (DNS
 * rebinding), or another origin. Addresses cannot be pointed elsewhere, so they are as good as trusted names.
 */
export function createBrowserGuard(trusted: readonly string[]) {
  const names = new Set(trusted.map((name) => name.toLowerCase()));
  const isTrusted = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0 || OWN.test(host) || names.has(host);

  /** @returns why the request is refused; undefined when it may go on */
  return ({ headers }: Request): PlatformError | undefined => {
    const { host: given, origin } = headers as Readonly<Record<string, string | undefined>>;
    // Browsers always send Host. Load balancers probe over HTTP/1.0 without it.
    if (given === undefined && origin === undefined) return undefined;
    const named = given ?? '';
    const host = urlOf(`http://${named}`);
    if (!host || !isTrusted(host.hostname)) {
      return new Forbidden(`The host ${printable(named)} is not one of this platform's names; trustedHosts lists them`);
    }
    if (origin === undefined) return undefined;
    // A page that came over TLS through a proxy has the same host and another scheme.
    return urlOf(origin)?.host === host.host ? undefined : new Forbidden(`Requests from pages of ${printable(origin)} are not taken here`);
  };
}

function urlOf(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    // Whoever sends what is no address is nobody we know.
    return undefined;
  }
}
