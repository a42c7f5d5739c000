import type Joi from 'joi';
import type { Route } from '#core';
import type { AcrossShards } from '../../../core/contract/route.js';

/** The shards or processes that respond to the calls of a route. */
export interface Target {
  /** `token`: the shard of the token. `find`: the shard of what the call names, or the first one that knows the record in the path. */
  readonly kind: 'token' | 'find' | AcrossShards;
  readonly isAdmin: boolean;
  readonly needsAdminKey: boolean;
  /** Whether the body or the query can name a number, or an account whose shard is that of a new record. */
  readonly names: { readonly queryNumber: boolean; readonly bodyNumber: boolean; readonly account: boolean };
  readonly maxBytes: number;
}

const MAX_BODY_BYTES = 1024 * 1024;

export function targetOf(route: Route, isAdmin: boolean): Target {
  const { auth = 'bearer', request = {}, shards, maxBytes = MAX_BODY_BYTES, needsAdminKey = false } = route;
  return {
    kind: shards ?? (isAdmin || auth === 'none' ? 'find' : 'token'),
    isAdmin,
    maxBytes,
    needsAdminKey: isAdmin && needsAdminKey,
    names: {
      queryNumber: isAdmin && hasKey(request.query, 'number'),
      bodyNumber: isAdmin && hasKey(request.payload, 'number'),
      account: isAdmin && hasKey(request.payload, 'account'),
    },
  };
}

/** Asks the schema itself: describing all schemas takes most of the time in which a process mounts its routes. */
function hasKey(schema: Joi.Schema | undefined, key: string): boolean {
  if (schema?.type !== 'object') return false;
  try {
    (schema as Joi.ObjectSchema).extract(key);
    return true;
  } catch {
    // The only way in which joi tells that there is none.
    return false;
  }
}
