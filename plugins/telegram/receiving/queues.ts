import { type JsonObject, queue, type Transaction } from '#core';
import { objectOf } from '#core/basics';
import { idOf } from './inbound.js';

/** An update of a bot, stored before Telegram learns that it was received. */
export interface Received {
  /** The uuid of the number. */
  readonly number: string;
  readonly update: JsonObject;
}

export const received = queue<Received>('telegram.received');

/** The kinds of updates that a bot asks for. */
export const UPDATES = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const;

/** Stores an update as a job. Those of a chat are processed in order. */
export function pushUpdate(tx: Transaction, number: string, update: JsonObject): void {
  const kind = UPDATES.find((one) => update[one] !== undefined);
  if (kind === undefined) return;
  const about = objectOf(update[kind]);
  const chat = idOf(objectOf(kind === 'callback_query' ? about.from : about.chat).id);
  if (chat !== undefined) tx.push(received, { number, update }, { serial: `${number}/${chat}` });
}
