import { AddressGuard } from './address-guard.js';
import { blockedFailure, type HttpFailure, unusable } from './http-failure.js';
import { type Target, targetOf } from './http-request.js';

export interface TargetOptions {
  /**
   * Keeps requests away from private, loopback, link-local and reserved addresses, except those allowed by range, address
   * or name of the host. On, with nothing allowed, if not given; `false` lets everything through.
   */
  readonly guard?: { readonly allow: readonly string[] } | false;
  /** Only https: if `true`. */
  readonly httpsOnly?: boolean;
  /** The only ports that may be called; any if not given. */
  readonly ports?: readonly number[];
}

/** Where requests may go: one set of rules for what is about to be sent and for what somebody wants to be sent later. */
export class TargetRules {
  readonly guard: AddressGuard | undefined;
  readonly #httpsOnly: boolean;
  readonly #ports: ReadonlySet<number> | undefined;

  constructor({ guard = { allow: [] }, httpsOnly = false, ports }: TargetOptions = {}) {
    this.guard = guard === false ? undefined : new AddressGuard(guard.allow);
    this.#httpsOnly = httpsOnly;
    this.#ports = ports && new Set(ports);
  }

  /** Where a URL leads, or why it may not be called. A name is checked once more with the addresses it leads to. */
  target(url: string): Target | HttpFailure {
    const target = targetOf(url);
    if ('code' in target) return target;
    const { protocol, port } = new URL(target.origin);
    if (this.#httpsOnly && protocol !== 'https:') return unusable('BAD_URL', 'the URL begins with http:, and only https: is allowed');
    const number = Number(port || (protocol === 'https:' ? 443 : 80));
    if (this.#ports && !this.#ports.has(number)) return unusable('BAD_URL', `the URL names port ${number}, which is not allowed`);
    return target.isAddress && this.guard?.permits(target.host, target.host) === false ? blockedFailure(target.host) : target;
  }

  /** Why a URL may not be called, as far as can be said without looking up its host. */
  refusal(url: string): string | undefined {
    const target = this.target(url);
    return 'code' in target ? target.reason : undefined;
  }
}
