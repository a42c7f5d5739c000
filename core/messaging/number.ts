import { collection } from '../ports/store.js';
import { boolean, named, nullable, object, oneOf, string, type TypeOf } from '../shape.js';
import { keptFields } from './account.js';

/** `network` and `sandbox` numbers belong to the messaging network; a `channel` uses a connector or a plugin's driver. */
export const numberKinds = ['network', 'sandbox', 'channel'] as const;
/** The kind of a number, which determines the routes that its tokens may call. */
export type NumberKind = (typeof numberKinds)[number];

/** The schema of a number as the admin API shows it. */
export const numberSchema = named(
  'Number',
  object(
    {
      uuid: string(),
      kind: oneOf(...numberKinds),
      /** Selects the channel driver; `channel_http_api` for connectors. */
      type: string(),
      address: string(),
      name: string(),
      account: nullable(string()),
      created_at: string(),
    },
    {
      /** Whether webhooks receive reactions; false unless enabled for the number (Events, rule 2). */
      reactions: boolean(),
      /** How long messages are kept, if it is set for this number. */
      ...keptFields,
    },
  ),
);

/** A business's address for sending and receiving messages. Each token belongs to one number. */
export type NumberRecord = TypeOf<typeof numberSchema>;

export const numbers = collection<NumberRecord>({
  key: 'uuid',
  tenant: { number: 'uuid', account: 'account' },
  unique: { address: ['type', 'address'] },
  indexes: { created: ['created_at', 'uuid'] },
  audited: ['name', 'address', 'account', 'reactions', 'kept_days', 'kept_bytes'],
});
