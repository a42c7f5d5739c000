import { hash as digest } from 'node:crypto';
import { collection } from '../ports/store.js';
import { named, object, string, type TypeOf } from '../shape.js';
import type { NumberRecord } from './number.js';

/** A token in responses of the admin API. Only the response that creates the token has its value. */
export const tokenSchema = named(
  'Token',
  object(
    {
      uuid: string(),
      number: string(),
      name: string(),
      /** The last ten characters of the token value, to recognise the token. */
      hint: string(),
      created_at: string(),
      expires_at: string(),
    },
    {
      /** When a call last used the token since the platform started; only in lists. */
      last_used_at: string(),
    },
  ),
);
/** A token without its value. */
export type TokenView = TypeOf<typeof tokenSchema>;

/** A bearer token for one number; `hash` is the SHA-256 of the token value, hexadecimal. */
export type TokenRecord = TokenView & { readonly hash: string };

export const tokens = collection<TokenRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  unique: { hash: ['hash'] },
  indexes: { number: ['number', 'created_at', 'uuid'] },
  audited: ['name', 'expires_at'],
});

/** The caller of an API request: the number of its token. */
export interface Caller {
  readonly number: NumberRecord;
  readonly token: TokenView;
}

/** The hash of a token value. The store has only this hash. */
export const hashOf = (text: string): string => digest('sha256', text, 'hex');

/** Returns the token without its hash. */
export function view({ hash: _, ...shown }: TokenRecord): TokenView {
  return shown;
}
