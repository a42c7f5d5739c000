import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';

/** The last report of a gateway on a part. */
export type PartState = 'sent' | 'delivered' | 'failed';

/** A message that is sent in parts. Deleted with it. */
export interface PartsRecord {
  /** The uuid of the message. */
  readonly message: string;
  readonly number: string;
  readonly parts: number;
  /** The part of each id that the gateway gave: a part that was sent twice has two. */
  readonly ids: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<number, PartState>>;
}

export const partsRecords = collection<PartsRecord>({ key: 'message', tenant: { number: 'number' } });

export const issuedAdvice = issuedAdviceCollection();
