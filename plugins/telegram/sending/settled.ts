import type { DeliveryRecord, DeliverySettled, JsonObject, PluginContext, Transaction } from '#core';
import { readJson } from '#core/basics';
import { notificationErrorOf, remedyOf } from '../errors.js';
import { idOf, messageId, objectOf, textOf } from '../receiving/inbound.js';
import { SENDER, UNKNOWN } from './sender.js';

/** More calls than a message can need. */
const MAX_CALLS = 100;
/** The reason of calls that were not made because one before them failed. */
const EARLIER = 'earlier_part_failed';

/** Settles messages: sent when the last of their calls was accepted, and failed when any was not; then the others are not made. */
export function settled({ numbers, messages, contacts, deliveries, clock }: PluginContext) {
  return async ({ delivery, response }: DeliverySettled, tx: Transaction): Promise<void> => {
    const { sender, message: uuid, number: numberId, event, state } = delivery;
    if (sender !== SENDER || uuid === undefined) return;
    const message = await messages.current(tx, uuid);
    const number = await numbers.require(numberId);
    const answer = objectOf(readJson(response?.body ?? '') ?? undefined);
    const [, part, parts] = event.split('/');
    if (state === 'delivered') {
      const result = objectOf(answer.result);
      const sent = idOf(result.message_id);
      // Telegram answers with the id 0 for a message that it sends later.
      const id = sent === undefined || sent === '0' || !message ? undefined : messageId(message.to, sent);
      if (part !== parts) {
        if (id !== undefined) await messages.addRemoteId(tx, number, uuid, id);
        return next(tx, delivery);
      }
      const accepted = await messages.accepted(tx, number, uuid, id);
      if (accepted?.external_id === undefined) return;
      const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
      await messages.status(tx, number, { id: accepted.external_id, recipient: accepted.to, status: 'sent', timestamp });
      return;
    }
    if (!message?.pending_for) return;
    const { status, description } = refusalIn(answer, delivery);
    await messages.undeliverable(tx, number, uuid, notificationErrorOf(status, description));
    if (remedyOf(status, description) === 'unreachable')
      await contacts.block(tx, number, { uuid: message.contact }, { by: 'network', reason: description });
    for (const other of await deliveries.list({ message: uuid, limit: MAX_CALLS }))
      if (other.uuid !== delivery.uuid) await deliveries.withdraw(tx, other.uuid, EARLIER);
  };

  /** Sends the part after one that was redelivered, if it was cancelled because of it. */
  async function next(tx: Transaction, { message, event, run }: DeliveryRecord): Promise<void> {
    if (run === 1) return;
    const [uuid, part, parts] = event.split('/');
    const name = `${uuid}/${Number(part) + 1}/${parts}`;
    const after = (await deliveries.list({ message: message!, limit: MAX_CALLS })).find((one) => one.event === name);
    if (after?.reason === EARLIER) await deliveries.redeliver(tx, after.uuid);
  }
}

function refusalIn(answer: JsonObject, { reason, last_error: error }: DeliveryRecord): { status: number; description: string } {
  const code = answer.ok === false && typeof answer.error_code === 'number' ? answer.error_code : undefined;
  if (code !== undefined) return { status: code, description: textOf(answer.description) ?? '' };
  return { status: reason === UNKNOWN ? 504 : 500, description: `${reason}${error === undefined ? '' : ` (${error})`}` };
}
