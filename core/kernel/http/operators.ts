import type { Request } from '@hapi/hapi';
import Joi from 'joi';
import { answeredWithin } from '../../contract/answered-within.js';
import type { Authenticate, Identified, Operator } from '../../contract/operator.js';
import type { AdminAuth, AdminCall } from '../../contract/plugin.js';
import { Forbidden, NotReady, PermissionMissing, PlatformError, Unauthorized, Unavailable } from '../../errors.js';
import type { Logger } from '../../ports/logger.js';
import { bearerText, type CurrentAdminKey } from './auth.js';
import { areaOf, requestId } from './mounted-route.js';

/** The role that has every permission. */
export const OWNER = 'owner';
/** The operator of calls with the admin key of the options. */
export const KEY_OPERATOR: Operator = Object.freeze({ id: 'key', name: 'admin key', roles: Object.freeze([OWNER]) });
/** Calls that a host application injects with `auth` into its own server pass no authentication. */
const HOST_OPERATOR: Operator = Object.freeze({ id: 'host', name: 'host application', roles: Object.freeze([OWNER]) });

/** The operator of calls that `adminAuth` accepts. */
const PLUGIN_OPERATOR: Operator = Object.freeze({ ...HOST_OPERATOR, id: 'plugin', name: 'operator of a plugin' });

const id = Joi.string().max(200).required();
const pluginOperatorSchema = Joi.object<Operator>({
  id,
  name: Joi.string().max(200).required(),
  roles: Joi.array().items(Joi.string()).required(),
  // Null is refused: it must not mean all accounts.
  accounts: Joi.array().items(Joi.string()),
});
/** Users named like these would have their changes recorded as those of a key. Only plugins have `keyOperator`, which returns such operators. */
const RESERVED_ID = /^(key|host|plugin)$|^key:/;
const operatorSchema = pluginOperatorSchema.keys({
  id: id.pattern(RESERVED_ID, { invert: true }).messages({ 'string.pattern.invert.base': 'the id {{#value}} is reserved' }),
});

export type { Identified };

/** Identifies the operator of an admin call, or returns the error that refuses it; never throws. */
export type Operators = (request: Request) => Promise<Identified | PlatformError>;

export interface OperatorDeps {
  /** The operator that another shard of a cluster has identified. */
  readonly passedOperator?: ((request: Request) => Identified | undefined) | undefined;
  /** Undefined without a key in the options. */
  readonly adminKey: CurrentAdminKey | undefined;
  /** Finds the operator of a stored key. */
  readonly operatorOfKey: (text: string) => Promise<Operator | undefined>;
  /** The functions of the host application. */
  readonly authenticate: readonly Authenticate[];
  readonly pluginAuthenticate: () => readonly Authenticate[];
  /** That of a plugin for 0.1.0: calls that it accepts are those of an owner. */
  readonly adminAuth: AdminAuth;
  readonly timeoutMs: number;
  readonly publicUrl: () => string;
  readonly log: Logger;
}

const CANNOT_BE_READ = 'The Authorization header cannot be read: send Authorization: Bearer <admin key>';
const NEEDS_KEY = 'This call needs the admin key: send the header Authorization: Bearer <admin key>';
const RETRY_AFTER_SECONDS = 5;

export function createOperators(deps: OperatorDeps): Operators {
  const { passedOperator, adminKey, operatorOfKey, authenticate, pluginAuthenticate, adminAuth, timeoutMs, log } = deps;
  return async (request) => {
    try {
      const passed = passedOperator?.(request);
      if (passed) return passed;
      const text = bearerText(request);
      // While the function with the admin key fails, stored keys work.
      const key = text && adminKey ? await limited(adminKey()).catch(failed) : undefined;
      if (text && key && 'is' in key && key.is(text)) return { operator: KEY_OPERATOR, byKey: true, keyId: key.id };
      const keyed = text ? await operatorOfKey(text) : undefined;
      if (keyed) return { operator: keyed, byKey: true };
      if (key && 'error' in key) throw key.error;
      for (const one of [...authenticate, ...pluginAuthenticate()]) {
        const operator = await limited(one(request));
        if (operator == null) continue;
        const schema = authenticate.includes(one) ? operatorSchema : pluginOperatorSchema;
        return crossSite(request, new URL(deps.publicUrl()).host, Boolean(text)) ?? { operator: checked(operator, schema), byKey: false };
      }
      if (text !== undefined) return new Unauthorized(text === '' ? CANNOT_BE_READ : 'The admin key is not valid');
      const headers = request.headers as AdminCall['headers'];
      const verdict = await limited(adminAuth({ method: request.method.toUpperCase(), headers }));
      if (verdict === true) return { operator: PLUGIN_OPERATOR, byKey: false };
      return verdict instanceof PlatformError ? verdict : new Unauthorized(NEEDS_KEY);
    } catch (error) {
      if (error instanceof PlatformError) return error;
      const notRunning = areaOf(request)?.whyNotRunning();
      if (notRunning !== undefined) return new NotReady(notRunning);
      log.error('the operator of a call could not be identified', { request_id: requestId(request), path: request.route.path, error });
      return new Unavailable('The operator of the call cannot be identified at the moment', RETRY_AFTER_SECONDS, 'operators_unavailable');
    }
  };

  async function limited<T>(work: T | Promise<T>): Promise<T> {
    if (!isPromise(work)) return work;
    const ended = await answeredWithin(
      timeoutMs,
      work.then((result) => ({ result })),
    );
    if (!ended) throw new Error(`authenticate had no result after ${timeoutMs} ms`);
    return ended.result;
  }
}

const READS = ['get', 'head'];
const OWN_SITES = ['same-origin', 'none'];

/**
 * Refuses calls that a page of another site may have made a browser send, with the session of the browser. A proxy may turn the session into
 * a bearer token, so calls with one are refused, too, if their headers show such a page; programs send neither header.
 */
function crossSite({ method, headers }: Request, publicHost: string, hasBearer: boolean): PlatformError | undefined {
  const { host, origin, 'sec-fetch-site': site, 'x-posthorn': marked } = headers as AdminCall['headers'];
  if (site !== undefined && !OWN_SITES.includes(site)) return new Forbidden('Pages of other sites may not call the admin API');
  const from = origin === undefined ? undefined : URL.canParse(origin) ? new URL(origin).host : '';
  if (from !== undefined && from !== host && from !== publicHost) return new Forbidden('Pages of other origins may not call the admin API');
  if (READS.includes(method) || marked === '1' || hasBearer) return undefined;
  return new Forbidden('Calls that change something need the header X-Posthorn: 1, or a bearer token: browsers send neither by themselves');
}

const failed = (error: unknown) => ({ error });

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> => typeof (value as Promise<T> | undefined)?.then === 'function';

function checked(value: Operator, schema: Joi.ObjectSchema<Operator>): Operator {
  const { error, value: operator } = schema.validate(value, { convert: false, stripUnknown: true });
  if (error) throw new TypeError(`authenticate returned an operator that cannot be used: ${error.message}`);
  return operator;
}

interface Credentials {
  readonly operator: Operator;
  readonly keyId?: string | undefined;
  readonly allows: (permission: string) => boolean;
}

/** An operator, and what the call may do besides the permission of its route: permissions in `morePermissions`. */
export interface CallingOperator extends Operator {
  /** Names the key of the call for `keyOperator` of a plugin's context, for a session that the call creates. */
  readonly keyId: string;
  may(permission: string): boolean;
  /** @throws PermissionMissing */
  need(permission: string): void;
}

/**
 * The operator of an admin call, for its handler: `operatorOf(request)`, with the `request` of the call. Never undefined: calls with the admin
 * key have the operator `{ id: 'key', roles: ['owner'] }`.
 */
export function operatorOf(request: Request): CallingOperator {
  const { operator = HOST_OPERATOR, keyId = operator.id, allows = () => true } = (request.auth.credentials ?? {}) as Partial<Credentials>;
  const may = (permission: string): boolean => {
    const isAllowed = allows(permission);
    if (isAllowed) used.set(request, [...(used.get(request) ?? []), permission]);
    return isAllowed;
  };
  return {
    ...operator,
    keyId,
    may,
    need(permission) {
      if (!may(permission)) throw new PermissionMissing(permission, operator.roles);
    },
  };
}

const used = new WeakMap<Request, readonly string[]>();

/** The permissions that the handler of a call has asked for, besides that of its route, and that the operator has. */
export const usedPermissions = (request: Request): readonly string[] => used.get(request) ?? [];
