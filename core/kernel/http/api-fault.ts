import type { Request } from '@hapi/hapi';
import type { Route } from '../../contract/route.js';
import { InternalError, type PlatformError, RateLimited, Unavailable } from '../../errors.js';
import type { Caller } from '../../messaging/token.js';
import type { Clock } from '../../ports/clock.js';
import type { Faults } from '../../ports/faults.js';
import { requestId } from './mounted-route.js';

const LIMIT = 60;
const RETRY_AFTER_SECONDS = 60;

/** Applies the fault rules of the API to a call that passed all checks. @returns the error to respond with; undefined to continue */
export async function apiFault(
  { faults, clock }: { readonly faults: Faults; readonly clock: Pick<Clock, 'sleep' | 'during'> },
  { method, path, bucket = 'general' }: Route,
  request: Request,
): Promise<PlatformError | undefined> {
  const { number } = (request.auth.credentials ?? {}) as unknown as Partial<Caller>;
  const fault = faults.fire('api', { method, path: request.path, route: path, number: number?.uuid, text: request.path });
  if (!fault) return undefined;
  const { kind, status = 500, delay_ms: delayMs = 1_000 } = fault.effect;
  if (kind === 'delay') await clock.during(() => clock.sleep(delayMs));
  if (kind !== 'status') return undefined;
  const error =
    status === 429
      ? new RateLimited(bucket, LIMIT, RETRY_AFTER_SECONDS)
      : status === 503
        ? new Unavailable('A fault rule made this call fail')
        : new InternalError(requestId(request));
  // The response is that of the fault, whose cause is the rule.
  return Object.assign(error, { code: 'fault_rule' });
}
