import type { NumberRecord } from '../messaging/number.js';

/** The ids of the forms that a number can send; undefined where that is not known. */
export type Forms = (number: NumberRecord) => Promise<ReadonlySet<string> | undefined>;
