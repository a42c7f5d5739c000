import { integer, named, nullable, object, oneOf, type Payload, string } from '#core';

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

/** The request that sends a message over the network. */
export const sentPayload: Payload = {
  name: 'cloudApiMessage',
  summary: 'A message to a contact of a number that is connected to the Cloud API. The network receives it, not a webhook.',
  subscription: 'network',
  isUnlisted: true,
  body: named(
    'CloudApiMessage',
    object(
      { messaging_product: oneOf('whatsapp'), recipient_type: oneOf('individual'), type: string(), biz_opaque_callback_data: string() },
      { to: string(), recipient: string(), context: object({ message_id: string() }) },
    )
      .unknown()
      .example({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '27611111111',
        type: 'text',
        text: { body: 'Your loan is due on Friday', preview_url: false },
        biz_opaque_callback_data: '0c9d2d3a-4a0b-4c1e-8f43-6d1f7a0e5b21',
      }),
  ),
};
