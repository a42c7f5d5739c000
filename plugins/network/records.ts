import { collection } from '#core';
import type { Policy } from './schemas.js';

export type PolicyRecord = Policy & { readonly number: string };

/** How the network treats a number's messages, where it is not as by default. */
export const policies = collection<PolicyRecord>({ key: 'number' });
