import { integer, named, nullable, object, string } from '#core';

/** A connected number as the admin API shows it, without its secrets. */
export const connectionSchema = named(
  'CloudApiConnection',
  object({
    number: string(),
    phone_number_id: string(),
    waba_id: string(),
    connected_at: string(),
    /** The URL to register as webhook at the network. */
    webhook: string(),
    /** Why nothing is sent until an operator acts; null while messages are sent. */
    stopped: nullable(object({ at: string(), code: integer(), title: string() })),
  }),
);
