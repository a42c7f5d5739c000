import type { Outbound } from '#core';
import { type OutboundPayload, PAYLOAD_VERSION } from './schemas.js';

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
