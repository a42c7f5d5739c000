import { hash as digest } from 'node:crypto';
import { collection } from '../ports/store.js';
import { object, string, type TypeOf } from '../shape.js';
import type { NumberRecord } from './number.js';

/** A token as it may be shown: its text appears once, in the answer that makes it. */
export const tokenSchema = object({
  uuid: string(),
  number: string(),
  name: string(),
  /** The last ten characters, to recognise it by. */
  hint: string(),
  created_at: string(),
  expires_at: string(),
});
/** A token without its text. */
export type TokenView = TypeOf<typeof tokenSchema>;

/** A bearer token for one number; `hash` is the SHA-256 of its text, hexadecimal. */
export type TokenRecord = TokenView & { readonly hash: string };

export const tokens = collection<TokenRecord>({
  key: 'uuid',
  unique: { hash: ['hash'] },
  indexes: { number: ['number', 'created_at', 'uuid'] },
});

/** Who makes a call: the number its token stands for. */
export interface Caller {
  readonly number: NumberRecord;
  readonly token: TokenView;
}

/** What is stored of a token's text, and what a call's token is looked up by. */
export const hashOf = (text: string): string => digest('sha256', text, 'hex');

/** A token as it may be shown: without the hash of its text. */
export function view({ hash: _, ...shown }: TokenRecord): TokenView {
  return shown;
}
