import { type HttpOutcome, wasSent } from '../ports/http-client.js';
import type { NotificationError } from './message.js';

/** A call to a service had no answer that can be read. */
export class ServiceUnreachable extends Error {
  override readonly name = 'ServiceUnreachable';
  /** False if the service certainly did not receive the call. */
  readonly isSent: boolean;
  /** Repeating cannot help: the address is wrong or blocked, or it is that of another server. */
  readonly isPermanent: boolean;
  /** The answer had more bytes than the call may read. */
  readonly isTooLong: boolean;

  /** @param service its name, for people */
  constructor(service: string, reason: string, { isSent = true, isPermanent = false, isTooLong = false } = {}) {
    super(`${service} could not be reached: ${reason}`);
    this.isSent = isSent;
    this.isPermanent = isPermanent;
    this.isTooLong = isTooLong;
  }
}

/** The response of a service, with any status. @throws ServiceUnreachable without a response */
export function responseOf(outcome: HttpOutcome, service: string): Extract<HttpOutcome, { readonly kind: 'response' }> {
  if (outcome.kind === 'response') return outcome;
  const reason = outcome.kind === 'timeout' ? 'no answer in time' : outcome.reason;
  const isPermanent = outcome.kind === 'unreachable' && outcome.permanent;
  throw new ServiceUnreachable(service, reason, { isSent: wasSent(outcome), isPermanent });
}

/** The error of a received message whose file is missing. @param href a page about such errors */
export const fileNotFetched = (details: string, href: string): NotificationError => ({
  code: 131052,
  title: 'Media download error',
  details,
  href,
});
