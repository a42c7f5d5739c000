import type { Dialect } from '../dialect.js';
import type { JsonObject } from '../json.js';
import { observedFields } from './conversation.js';

/** The fields that every contact has, null until they are known. Contacts of a channel have no `networkId`. */
export function reservedFields({ contactFields }: Pick<Dialect, 'contactFields'>, networkId: string | null): JsonObject {
  return {
    name: null,
    surname: null,
    location: null,
    language: null,
    birthday: null,
    opted_in: false,
    opted_in_at: null,
    is_blocked: false,
    ...observedFields(undefined),
    [contactFields.networkId]: networkId,
    [contactFields.networkProfileName]: null,
  };
}
