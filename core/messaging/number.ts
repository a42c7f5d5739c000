import { collection } from '../ports/store.js';
import { boolean, nullable, object, oneOf, string, type TypeOf } from '../shape.js';

/** `network` and `sandbox` numbers belong to the messaging network; a `channel` is carried by a connector or by a plugin's driver. */
export const numberKinds = ['network', 'sandbox', 'channel'] as const;
/** Whom a number belongs to: the network, its sandbox, or a connector. */
export type NumberKind = (typeof numberKinds)[number];

/** A number as the admin API shows it. */
export const numberSchema = object(
  {
    uuid: string(),
    kind: oneOf(...numberKinds),
    /** Names the driver that carries its messages, `channel_http_api` for connectors. */
    type: string(),
    address: string(),
    name: string(),
    /** The business account; flows belong to it. */
    account: nullable(string()),
    created_at: string(),
  },
  {
    /** Webhooks are told of reactions; off until somebody asks for it (Events, rule 2). */
    reactions: boolean(),
  },
);

/** A number: what a token stands for, and what messages are sent from and to. */
export type NumberRecord = TypeOf<typeof numberSchema>;

export const numbers = collection<NumberRecord>({
  key: 'uuid',
  unique: { address: ['type', 'address'] },
  indexes: { created: ['created_at', 'uuid'] },
});
