import { collection } from '../ports/store.js';
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
