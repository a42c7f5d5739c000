import { beforeCommit, deliverySettled, type Subscription } from '#core';
import { type MessageParts, ServiceUnreachable, UNKNOWN_OUTCOME } from '#core/messaging';
import { type Accounts, gateways } from '../connection.js';
import { notificationError, type remedies } from '../errors.js';
import { GatewayError } from '../gateways/gateway.js';
import { partsRecords } from '../records.js';
import { codeIn } from './sender.js';

/** Settles messages: accepted when the last of their parts was, and failed when any was not; then the others are not sent. */
export const settled = (accounts: Accounts, apply: ReturnType<typeof remedies>['apply'], parts: MessageParts): Subscription =>
  beforeCommit(
    deliverySettled,
    parts.settled({
      async accepted(tx, { number, part, delivery, response }) {
        const { gateway = gateways.twilio } = (await accounts.of(number.uuid)) ?? {};
        const id = idIn(() => gateway.accepted(response?.status ?? 200, response?.body ?? ''));
        const known = await tx.in(partsRecords).get(delivery.message!);
        if (known && id !== undefined) tx.in(partsRecords).put({ ...known, ids: { ...known.ids, [id]: part } });
        return id;
      },
      async failed(tx, { number, message, delivery: { reason, last_error: error } }) {
        const { gateway = gateways.twilio } = (await accounts.of(number.uuid)) ?? {};
        const code = codeIn(reason);
        if (code !== undefined) return apply(tx, number, message.contact, gateway, { code, reason: error ?? 'without a reason' });
        const details = `${reason === UNKNOWN_OUTCOME ? 'The gateway may have sent it: ' : ''}${error ?? reason}`;
        return notificationError('fail', details, gateway.errors);
      },
    }),
  );

function idIn(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    // The number is connected to another gateway since it has sent the message.
    if (error instanceof GatewayError || error instanceof ServiceUnreachable) return undefined;
    throw error;
  }
}
