import { collection } from '../ports/store.js';

/** How many messages of a number were recorded on each day (UTC) and are still stored, and their bytes, up to the last one that was counted. */
export interface MessageCounts {
  readonly number: string;
  readonly through: readonly [recordedAt: string, uuid: string];
  readonly days: Readonly<Record<string, readonly [messages: number, bytes: number]>>;
}

export const messageCounts = collection<MessageCounts>({ key: 'number', tenant: { number: 'number' } });
