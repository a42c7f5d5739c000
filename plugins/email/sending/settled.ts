import { beforeCommit, deliverySettled, type Subscription } from '#core';
import { type MessageParts, UNKNOWN_OUTCOME } from '#core/messaging';
import { type Remedies, remedyOf } from '../errors.js';
import { codeIn } from './sender.js';

/** Settles messages: sent when the server has taken the mail, and failed when it refused it, or it was not sent in time. */
export const settled = (sends: MessageParts, { apply }: Remedies): Subscription =>
  beforeCommit(
    deliverySettled,
    sends.settled({
      ...{ isSent: true, isIdentified: true, accepted: () => undefined },
      failed(tx, { number, message, delivery: { reason, last_error: error = reason ?? '' } }) {
        const code = codeIn(reason);
        const details = reason === UNKNOWN_OUTCOME ? `The server may have it: ${error}` : error;
        return apply(tx, number, message.contact, { remedy: Number.isNaN(code) ? 'fail' : remedyOf(code, error), reason: details });
      },
    }),
  );
