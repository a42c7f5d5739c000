import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';

/** The next update that a bot asks for. Stored with the updates before it, so that a crash loses and repeats none. */
export interface PositionRecord {
  /** The uuid of the number. */
  readonly number: string;
  /** The server that counted: another one of the same bot has other ids. */
  readonly api_url: string;
  /** The `update_id` of the next update. */
  readonly next: number;
  /** When the last update came. */
  readonly at: string;
}

export const positions = collection<PositionRecord>({ key: 'number', tenant: { number: 'number' } });

export const issuedAdvice = issuedAdviceCollection();
