import { deliveryAnswers, type Outbound, type Payload } from '#core';
import { connectorAnswerSchema, type OutboundPayload, outboundPayloadSchema, PAYLOAD_VERSION } from './schemas.js';

/** The delivery to the connector of a channel (Channel API, call to `{connector_webhook_url}`). */
export const connectorPayload: Payload = {
  name: 'outboundMessage',
  summary: 'Sent to the connector for each message to a contact of its channel.',
  subscription: 'channel',
  body: outboundPayloadSchema,
  answers: {
    ...deliveryAnswers,
    '2XX': {
      description:
        "Delivered. The response contains the connector's id of the message in `messages[0].id`. Without this id, statuses and replies cannot be matched to the message; with `strict_answers` the platform retries.",
      body: connectorAnswerSchema,
    },
  },
};

export function payloadOf({ message, turn, step }: Outbound): OutboundPayload {
  return {
    to: message.to,
    version: PAYLOAD_VERSION,
    block: step?.block ?? null,
    context: step?.context ?? {},
    resources: [...(step?.resources ?? [])],
    evaluated_resources: [...(step?.evaluated_resources ?? [])],
    waiting_for_user_input: step?.waiting ?? false,
    turn,
  };
}
