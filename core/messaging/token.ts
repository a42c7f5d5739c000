import { hash as digest } from 'node:crypto';
import { collection } from '../ports/store.js';
import { fields, type TypeOf, text } from '../shape.js';
import type { NumberRecord } from './number.js';

/** A token as it may be shown: its text appears once, in the answer that makes it. */
export const tokenSchema = fields({
  uuid: text(),
  number: text(),
  name: text(),
  /** The last ten characters, to recognise it by. */
  hint: text(),
  created_at: text(),
  expires_at: text(),
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
