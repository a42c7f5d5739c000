import type { ChannelDriver } from '../messaging/channel-drivers.js';
import type { MessageRecord } from '../messaging/message.js';
import type { Numbers } from '../messaging/numbers.js';
import { MAX_RESPONSE_BYTES } from './attempt-record.js';
import type { AttemptRecord, DeliveryRecord } from './delivery.js';

/** The problem of a response with which a connector accepted a message, as text that follows "but", and what to do about it. */
export interface AnswerFault {
  readonly fault: string;
  readonly fix: string | undefined;
}

/**
 * Finds the problem of the response that settled a delivery: a connector that returns no id of a message accepts it, but its statuses and
 * replies cannot be matched. A response that is longer than its record is not examined.
 */
export const answerFaults =
  ({ numbers, drivers }: { readonly numbers: Pick<Numbers, 'get'>; readonly drivers: () => ReadonlyMap<string, ChannelDriver> }) =>
  async (
    { kind, state, number }: Pick<DeliveryRecord, 'kind' | 'state' | 'number'>,
    message: Pick<MessageRecord, 'external_id' | 'pending_for'> | undefined,
    attempt: Pick<AttemptRecord, 'status' | 'response'> | undefined,
  ): Promise<AnswerFault | undefined> => {
    const isAccepted = message !== undefined && message.external_id === undefined && message.pending_for === undefined;
    if (kind !== 'channel' || state !== 'delivered' || !isAccepted || attempt?.response == null) return undefined;
    const { status, response: body } = attempt;
    if (Buffer.byteLength(body) >= MAX_RESPONSE_BYTES) return undefined;
    const driver = drivers().get((await numbers.get(number))?.type ?? '');
    const fault = driver?.answerFault?.({ status, body, cut: false });
    return fault === undefined ? undefined : { fault, fix: driver?.answerFix };
  };
