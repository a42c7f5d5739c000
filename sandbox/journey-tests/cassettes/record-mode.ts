import { isInCi } from '../../terminal/ci.js';

/** `new` records requests without a recording, `all` records every request again, `none` records nothing. */
export const recordModes = ['new', 'all', 'none'] as const;
export type RecordMode = (typeof recordModes)[number];

/** The mode without a flag: `none` in continuous integration, where the variable `CI` is set, otherwise `new`. */
export const defaultRecordMode = (env: NodeJS.ProcessEnv = process.env): RecordMode => (isInCi(env) ? 'none' : 'new');
