import { collection } from '../ports/store.js';
import { anyString, integer, named, nullable, number, object, string, type TypeOf } from '../shape.js';

/**
 * Messages are kept for at least this many days, because an id is recognized as that of an earlier message as long as the message is stored: the
 * network repeats a message for up to seven days.
 */
export const LEAST_KEPT_DAYS = 7;
const MOST_KEPT_DAYS = 36_500;

export const keptDaysSchema = number().min(LEAST_KEPT_DAYS).max(MOST_KEPT_DAYS);
export const keptBytesSchema = integer().min(1);

/** How long messages are kept, where it differs from the option `messages` of the platform. */
export const keptFields = { kept_days: keptDaysSchema, kept_bytes: keptBytesSchema };

/** Changes of these limits; null removes one. */
export const keptChanges = { kept_days: nullable(keptDaysSchema), kept_bytes: nullable(keptBytesSchema) };

const holdSchema = object({ reason: anyString(), since: string() });

/** The schema of an account as the admin API shows it. */
export const accountSchema = named(
  'Account',
  object(
    { account: string() },
    {
      ...keptFields,
      /** While it is set, nothing of the numbers of the account expires. */
      hold: holdSchema,
    },
  ),
);

/** Settings for all numbers of a business account. */
export type AccountRecord = TypeOf<typeof accountSchema>;

export const accounts = collection<AccountRecord>({
  key: 'account',
  tenant: { account: 'account' },
  audited: ['kept_days', 'kept_bytes', 'hold'],
});
