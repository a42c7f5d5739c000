import { collection } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import type { TurnOption } from './turn-parts.js';

/** The options that a message offers, on a channel whose contacts answer with less than an option has: a key, a number or its title. */
export interface ChoiceRecord {
  readonly key: string;
  readonly number: string;
  /** The uuid of the message. */
  readonly message: string;
  readonly conversation: string;
  readonly at: string;
  readonly options: readonly TurnOption[];
}

export const choices = collection<ChoiceRecord>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { message: ['message'], conversation: ['conversation', 'at'] },
  cold: { after: 0 },
});

/** Moves the options of a message with it to another conversation. */
export async function moveChoices(tx: Transaction, message: string, conversation: string): Promise<void> {
  for (const one of await tx.in(choices).find('message', { equals: [message] })) tx.in(choices).put({ ...one, conversation });
}
