import type { DeliverySettled, PluginContext, Subscription } from '#core';
import { beforeCommit, deliverySettled } from '#core';
import { objectOf, readJson } from '#core/basics';
import { type MessageParts, UNKNOWN_OUTCOME } from '#core/messaging';
import { notificationErrorOf, remedyOf } from '../errors.js';
import { idOf, messageId, textOf } from '../receiving/inbound.js';

/** Settles messages: sent when the last of their calls was accepted, and failed when any was not; then the others are not made. */
export const settled = ({ contacts }: Pick<PluginContext, 'contacts'>, calls: MessageParts): Subscription =>
  beforeCommit(
    deliverySettled,
    calls.settled({
      isSent: true,
      accepted(_tx, { message, response }) {
        const sent = idOf(objectOf(answerIn(response).result).message_id);
        // Telegram answers with the id 0 for a message that it sends later.
        return sent === undefined || sent === '0' || !message ? undefined : messageId(message.to, sent);
      },
      async failed(tx, { number, message, ...settled }) {
        const { status, description } = refusalIn(settled);
        if (remedyOf(status, description) === 'unreachable')
          await contacts.block(tx, number, { uuid: message.contact }, { by: 'network', reason: description });
        return notificationErrorOf(status, description);
      },
    }),
  );

const answerIn = (response: DeliverySettled['response']) => objectOf(readJson(response?.body ?? '') ?? undefined);

function refusalIn({ delivery: { reason, last_error: error }, response }: DeliverySettled): { status: number; description: string } {
  const { ok, error_code: code, description } = answerIn(response);
  if (ok === false && typeof code === 'number') return { status: code, description: textOf(description) ?? '' };
  return { status: reason === UNKNOWN_OUTCOME ? 504 : 500, description: `${reason}${error === undefined ? '' : ` (${error})`}` };
}
