import { collection } from '#core';
import type { Policy } from './schemas.js';

export type PolicyRecord = Policy & { readonly number: string };

/** The policies of numbers that have one of their own, by number. */
export const policies = collection<PolicyRecord>({ key: 'number', tenant: { number: 'number' } });
