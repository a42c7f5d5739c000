import { hash as digest } from 'node:crypto';
import { collection } from '../ports/store.js';
import { named, object, string, type TypeOf } from '../shape.js';
import type { NumberRecord } from './number.js';

/** A token as the admin API shows it. Its text is shown once, in the response that creates it. */
export const tokenSchema = named(
  'Token',
  object({
    uuid: string(),
    number: string(),
    name: string(),
    /** The last ten characters of the text, to recognise the token. */
    hint: string(),
    created_at: string(),
    expires_at: string(),
  }),
);
/** A token without its text. */
export type TokenView = TypeOf<typeof tokenSchema>;

/** A bearer token for one number; `hash` is the SHA-256 of its text, hexadecimal. */
export type TokenRecord = TokenView & { readonly hash: string };

export const tokens = collection<TokenRecord>({
  key: 'uuid',
  unique: { hash: ['hash'] },
  indexes: { number: ['number', 'created_at', 'uuid'] },
});

/** The caller of an API request: the number of its token. */
export interface Caller {
  readonly number: NumberRecord;
  readonly token: TokenView;
}

/** The hash of a token's text, which is stored and looked up instead of the text. */
export const hashOf = (text: string): string => digest('sha256', text, 'hex');

/** Removes the hash. */
export function view({ hash: _, ...shown }: TokenRecord): TokenView {
  return shown;
}
