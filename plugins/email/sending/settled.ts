import { type DeliverySettled, type PluginContext, type Transaction, unixSeconds } from '#core';
import { notificationError, type remedies, remedyOf } from '../errors.js';
import { codeIn, SENDER, UNKNOWN } from './sender.js';

/** Settles messages: sent when the server has taken the mail, and failed when it refused it, or it was not sent in time. */
export function settled(
  { numbers, messages, clock }: Pick<PluginContext, 'numbers' | 'messages' | 'clock'>,
  { apply }: ReturnType<typeof remedies>,
) {
  return async ({ delivery }: DeliverySettled, tx: Transaction): Promise<void> => {
    const { sender, message: uuid, number: numberId, state, reason, last_error: error } = delivery;
    if (sender !== SENDER || uuid === undefined) return;
    const number = await numbers.require(numberId);
    if (state === 'delivered') {
      const accepted = await messages.accepted(tx, number, uuid);
      if (accepted?.external_id === undefined) return;
      const timestamp = unixSeconds(clock.now());
      await messages.status(tx, number, { id: accepted.external_id, recipient: accepted.to, status: 'sent', timestamp });
      return;
    }
    const message = await messages.current(tx, uuid);
    if (!message?.pending_for) return;
    const code = codeIn(reason);
    const details = `${reason === UNKNOWN ? 'The server may have it: ' : ''}${error ?? reason}`;

    const why =
      code !== undefined
        ? await apply(tx, number, message.contact, { remedy: remedyOf(code, error ?? ''), reason: details })
        : notificationError('fail', details);
    await messages.refused(tx, number, uuid, why);
  };
}
