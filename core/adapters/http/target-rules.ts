import { AddressGuard } from './address-guard.js';
import { blockedFailure, type HttpFailure, unusable } from './http-failure.js';
import { type Target, targetOf } from './http-request.js';

export interface TargetOptions {
  /**
   * Blocks requests to private, loopback, link-local and reserved addresses, except those allowed by range, address or host
   * name. If not given, blocks all of them; `false` allows all addresses.
   */
  readonly guard?: { readonly allow: readonly string[] } | false;
  /** Allows only https: if `true`. */
  readonly httpsOnly?: boolean;
  /** The only ports that may be called; all if not given. */
  readonly ports?: readonly number[];
}

/** The rules for request targets, shared by requests being sent and by URLs being stored for later. */
export class TargetRules {
  readonly guard: AddressGuard | undefined;
  readonly #httpsOnly: boolean;
  readonly #ports: ReadonlySet<number> | undefined;

  constructor({ guard = { allow: [] }, httpsOnly = false, ports }: TargetOptions = {}) {
    this.guard = guard === false ? undefined : new AddressGuard(guard.allow);
    this.#httpsOnly = httpsOnly;
    this.#ports = ports && new Set(ports);
  }

  /** The destination of a URL, or why it may not be called. The client checks the addresses of a host name again when it connects. */
  target(url: string): Target | HttpFailure {
    const target = targetOf(url);
    if ('code' in target) return target;
    const { protocol, port } = new URL(target.origin);
    if (this.#httpsOnly && protocol !== 'https:') return unusable('BAD_URL', 'the URL begins with http:, and only https: is allowed');
    const number = Number(port || (protocol === 'https:' ? 443 : 80));
    if (this.#ports && !this.#ports.has(number)) return unusable('BAD_URL', `the URL names port ${number}, which is not allowed`);
    return target.isAddress && this.guard?.permits(target.host, target.host) === false ? blockedFailure(target.host) : target;
  }

  /** Why a URL may not be called; undefined if it may. Does not resolve host names. */
  refusal(url: string): string | undefined {
    const target = this.target(url);
    return 'code' in target ? target.reason : undefined;
  }
}
