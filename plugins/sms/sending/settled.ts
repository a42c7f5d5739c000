import type { DeliverySettled, PluginContext, Transaction } from '#core';
import { ServiceUnreachable } from '#core/messaging';
import { type Accounts, gateways } from '../connection.js';
import { notificationError, type remedies } from '../errors.js';
import { GatewayError } from '../gateways/gateway.js';
import { partsRecords } from '../records.js';
import { codeIn, partOf, SENDER, UNKNOWN } from './sender.js';

/** More parts than a message can have. */
const MAX_PARTS = 100;

/** Settles messages: accepted when the last of their parts was, and failed when any was not; then the others are not sent. */
export function settled(
  { numbers, messages, deliveries }: Pick<PluginContext, 'numbers' | 'messages' | 'deliveries'>,
  { accounts, apply }: { accounts: Accounts; apply: ReturnType<typeof remedies>['apply'] },
) {
  return async ({ delivery, response }: DeliverySettled, tx: Transaction): Promise<void> => {
    const { sender, message: uuid, number: numberId, state, reason, last_error: error } = delivery;
    if (sender !== SENDER || uuid === undefined) return;
    const message = await messages.current(tx, uuid);
    const number = await numbers.require(numberId);
    const { gateway = gateways.twilio } = (await accounts.of(numberId)) ?? {};
    const { part, parts } = partOf(delivery);
    if (state === 'delivered') {
      const id = idIn(() => gateway.accepted(response?.status ?? 200, response?.body ?? ''));
      const known = await tx.in(partsRecords).get(uuid);
      if (known && id !== undefined) tx.in(partsRecords).put({ ...known, ids: { ...known.ids, [id]: part } });
      if (part === parts) await messages.accepted(tx, number, uuid, id);
      else if (id !== undefined) await messages.addRemoteId(tx, number, uuid, id);
      return;
    }
    if (!message?.pending_for) return;
    const code = codeIn(reason);
    const details = `${reason === UNKNOWN ? 'The gateway may have sent it: ' : ''}${error ?? reason}`;
    const why =
      code === undefined
        ? notificationError('fail', details, gateway.errors)
        : await apply(tx, number, message.contact, gateway, { code, reason: error ?? 'without a reason' });
    await messages.undeliverable(tx, number, uuid, why);
    for (const other of await deliveries.list({ message: uuid, limit: MAX_PARTS }))
      if (other.uuid !== delivery.uuid) await deliveries.withdraw(tx, other.uuid, 'earlier_part_failed');
  };
}

function idIn(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    // The number is connected to another gateway since it has sent the message.
    if (error instanceof GatewayError || error instanceof ServiceUnreachable) return undefined;
    throw error;
  }
}
