import { createHmac } from 'node:crypto';
import { isSameSecret, type JsonObject, PlatformError, type TypeOf } from '#core';
import { objectOf, readJson } from '#core/basics';
import type { openSchema } from '../schemas.js';

/** A user as the website names it: an id with its signature, or a JWT. */
export type GivenUser = NonNullable<TypeOf<typeof openSchema>['user']>;

/** A user whose id is proved. `name` and `fields` come only from a JWT, which signs them. */
export interface ProvedUser {
  readonly id: string;
  readonly name?: string | undefined;
  readonly fields: JsonObject;
}

const MAX_ID = 200;
/** A JWT is for the moment in which the page loads. */
const MAX_JWT_SECONDS = 3600;
/** Clocks of servers differ. */
const LEEWAY_SECONDS = 60;
const MAX_FIELDS = 20;
const MAX_TEXT = 500;
/** Claims that say something about the JWT, not about the user. */
const OF_THE_JWT = new Set(['sub', 'name', 'exp', 'iat', 'nbf', 'iss', 'aud', 'jti']);

/** Checks who a user is. @throws PlatformError 401 */
export function provedUser({ id, hash, jwt }: GivenUser, secrets: readonly string[], now: Date): ProvedUser {
  if (jwt !== undefined) return userOfJwt(jwt, secrets, Math.floor(now.getTime() / 1000));
  if (id === undefined || hash === undefined || id.length > MAX_ID) throw wrong('user needs id and hash, or jwt');
  const isSigned = secrets.some((secret) => isSameSecret(hash.toLowerCase(), createHmac('sha256', secret).update(id).digest('hex')));
  if (!isSigned) throw wrong('hash is not the HMAC-SHA256 of the id with the identity secret, in hexadecimal digits');
  return { id, fields: {} };
}

function userOfJwt(jwt: string, secrets: readonly string[], now: number): ProvedUser {
  const [head = '', body = '', signature = '', ...more] = jwt.split('.');
  const signed = `${head}.${body}`;
  const isSigned = secrets.some((secret) => isSameSecret(signature, createHmac('sha256', secret).update(signed).digest('base64url')));
  // The algorithm is not the sender's choice.
  if (more.length > 0 || jsonOf(head).alg !== 'HS256' || !isSigned) throw wrong('the JWT is not signed by HS256 with the identity secret');
  const { sub, exp, nbf, name, ...claims } = jsonOf(body);
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_ID) throw wrong('the JWT has no sub, the id of the user');
  if (typeof exp !== 'number' || exp + LEEWAY_SECONDS < now) throw wrong('the JWT has expired, or has no exp');
  if (exp > now + MAX_JWT_SECONDS + LEEWAY_SECONDS) throw wrong('the JWT is valid for more than an hour');
  if (typeof nbf === 'number' && nbf - LEEWAY_SECONDS > now) throw wrong('the JWT is not valid yet');
  const fields = Object.entries(claims).filter(([key, value]) => !OF_THE_JWT.has(key) && isField(value));
  return {
    id: sub,
    ...(typeof name === 'string' && name !== '' && { name: name.slice(0, MAX_TEXT) }),
    fields: Object.fromEntries(fields.slice(0, MAX_FIELDS)) as JsonObject,
  };
}

const isField = (value: unknown): boolean =>
  typeof value === 'boolean' || Number.isFinite(value) || (typeof value === 'string' && value.length <= MAX_TEXT);

const jsonOf = (part: string): JsonObject => objectOf(readJson(Buffer.from(part, 'base64url').toString()));

const wrong = (why: string): PlatformError => new PlatformError(401, 'webchat_identity_wrong', `The user is not identified: ${why}`);
