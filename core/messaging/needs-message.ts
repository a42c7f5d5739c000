import type { Transaction } from '../ports/transaction.js';
import type { MessageRecord } from './message.js';

/** Returns whether unsettled work of a plugin needs a message, such as a question whose answer is awaited. It does not expire meanwhile. */
export type NeedsMessage = (tx: Transaction, message: MessageRecord) => Promise<boolean>;
