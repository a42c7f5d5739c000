import type { NumberRecord } from '../messaging/number.js';

/** Returns the ids of the forms that a number can send; undefined when unknown. */
export type Forms = (number: NumberRecord) => Promise<ReadonlySet<string> | undefined>;
