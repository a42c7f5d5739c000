import { hash as digest } from 'node:crypto';
import type { Operator } from '../contract/operator.js';
import { collection } from '../ports/store.js';
import { anyString, array, named, object, string, type TypeOf } from '../shape.js';

/** A key of the admin API in responses. Only the response that creates it has its value. */
export const keySchema = named(
  'AdminKey',
  object(
    {
      uuid: string(),
      name: string(),
      roles: array(anyString()),
      /** The last six characters of the value, to recognize the key. */
      hint: string(),
      created_at: string(),
      /** The id of the operator who added it. */
      created_by: string(),
    },
    {
      /** The accounts to which calls with the key are restricted; all if absent. */
      accounts: array(anyString()),
      /** It never expires if absent. */
      expires_at: string(),
      /** When a call last used the key since the platform started; only in lists. */
      last_used_at: string(),
    },
  ),
);
/** A key without its value. */
export type KeyView = TypeOf<typeof keySchema>;

/** A stored key; `hash` is the SHA-256 of its value, hexadecimal. */
export type KeyRecord = KeyView & { readonly hash: string };

export const keys = collection<KeyRecord>({ key: 'uuid', tenant: { global: true }, unique: { hash: ['hash'] } });

/** The store has only this hash of a key. */
export const hashOfKey = (text: string): string => digest('sha256', text, 'hex');

/** The operator of calls with a key. */
export const operatorOf = ({ uuid, name, roles, accounts }: KeyView): Operator => ({
  id: `key:${uuid}`,
  name,
  roles,
  ...(accounts && { accounts }),
});

/** Returns the key without its hash. */
export function view({ hash: _, ...shown }: KeyRecord): KeyView {
  return shown;
}
