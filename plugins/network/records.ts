import { collection } from '#core';
import type { Policy } from './schemas.js';

export type PolicyRecord = Policy & { readonly number: string };

/** The policies that differ from the default, by number. */
export const policies = collection<PolicyRecord>({ key: 'number' });
