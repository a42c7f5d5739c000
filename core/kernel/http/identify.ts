import { ANY_OPERATOR } from '../../contract/permission.js';
import { Forbidden, NotSupported, PermissionMissing, PlatformError, Unauthorized } from '../../errors.js';
import type { Caller } from '../../messaging/token.js';
import type { Logger } from '../../ports/logger.js';
import type { Steps } from '../../ports/steps.js';
import type { CallLog } from '../observe/call-log.js';
import { loggedFailure } from './answers.js';
import { bearerText, type Identify } from './auth.js';
import { mountedRoute } from './mounted-route.js';
import { type Operators, OWNER } from './operators.js';
import { type Admission, admitted, type RateLimiter } from './rate-limit.js';
import type { Roles } from './roles.js';

export interface IdentificationDeps {
  readonly callerOf: (token: string) => Steps<Caller | undefined>;
  readonly isAdminKey: ((key: string) => boolean) | undefined;
  readonly operators: Operators;
  readonly roles: Pick<Roles, 'allow'>;
  readonly limiter: RateLimiter;
  /** The error for a call that creates deliveries while too many are pending; undefined otherwise. */
  readonly overload: () => PlatformError | undefined;
  /** Records calls; undefined unless they are recorded. */
  readonly calls: Pick<CallLog, 'identified'> | undefined;
  readonly log: Logger;
}

const CANNOT_BE_READ = 'The Authorization header cannot be read: send Authorization: Bearer';
const NOT_VALID = 'The token is not valid: it is unknown, expired or revoked';
export const NEEDS_KEY_ITSELF =
  'This call needs the admin key itself, and not the session of a browser: send the header Authorization: Bearer <admin key>';
const KEY_IS_NO_TOKEN =
  'This is the admin key, and this call takes the token of a number: POST /admin/v1/numbers/<uuid>/tokens with {"name": …} creates one';

/** Repeats the checks for a call that was queued for up to a minute: its token may be revoked, and deliveries may have piled up. */
export const admissionOf = ({ callerOf, limiter, overload }: IdentificationDeps): Admission => ({
  limiter,
  *refusal(request) {
    if (!(yield* callerOf(bearerText(request) ?? ''))) return new Unauthorized(NOT_VALID);
    return mountedRoute(request)!.route.makesDeliveries ? overload() : undefined;
  },
});

/** Authenticates a call and checks kind of number, backpressure and rate limit, all before the body is read. */
export function identification(
  { callerOf, isAdminKey, operators, roles, overload, calls, log }: IdentificationDeps,
  admission: Admission,
): Identify {
  return {
    *caller(request, text) {
      try {
        if (text === undefined) return new Unauthorized('This call needs a token: send the header Authorization: Bearer <token>');
        const { route } = mountedRoute(request)!;
        if (text === '') return new Unauthorized(`${CANNOT_BE_READ} <token>${route.auth === 'optional' ? ', or leave it out' : ''}`);
        const caller = yield* callerOf(text);
        if (!caller) return new Unauthorized(isAdminKey?.(text) ? KEY_IS_NO_TOKEN : NOT_VALID);
        calls?.identified(request, caller);
        const { uuid, kind } = caller.number;
        if (route.numbers && !route.numbers.includes(kind)) return new NotSupported(kind, `${route.method} ${route.path}`, route.numbers);
        const refused = route.makesDeliveries && overload();
        if (refused) return refused;
        const rate = route.bucketOf ? undefined : yield* admitted(admission, request, uuid, route.bucket ?? 'general');
        return rate?.refused ?? caller;
      } catch (error) {
        return loggedFailure(error, request, log);
      }
    },

    async admin(request) {
      const identified = await operators(request);
      if (identified instanceof PlatformError) return identified;
      const { permission, needsAdminKey } = mountedRoute(request)?.route ?? { permission: ANY_OPERATOR };
      if (!roles.allow(identified.operator, permission)) return new PermissionMissing(permission ?? OWNER, identified.operator.roles);
      if (needsAdminKey && !identified.byKey) return new Forbidden(NEEDS_KEY_ITSELF);
      return { ...identified, allows: (one: string) => roles.allow(identified.operator, one) };
    },
  };
}
