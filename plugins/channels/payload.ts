import { anything, dictionary, fields, flag, list, nullable, type Outbound, oneOf, type TypeOf, text, turnSchema } from '#core';

const PAYLOAD_VERSION = '0.0.1-alpha';

/** What a connector is given (Resources, "Outbound payload delivered to the connector webhook"). All eight keys are always there. */
export const outboundPayloadSchema = fields({
  to: text(),
  version: oneOf(PAYLOAD_VERSION),
  /** Null for messages that come from no journey. */
  block: nullable(dictionary(anything())),
  context: dictionary(anything()),
  resources: list(anything()),
  evaluated_resources: list(anything()),
  waiting_for_user_input: flag(),
  turn: turnSchema,
});
/** What a connector is given. */
export type OutboundPayload = TypeOf<typeof outboundPayloadSchema>;

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
