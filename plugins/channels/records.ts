import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';

export const issuedAdvice = issuedAdviceCollection();

/** An id that a connector returned for a message, and that is not the message's id any more. */
export interface EarlierIdRecord {
  /** `<number> <id>` */
  readonly key: string;
  readonly number: string;
  readonly message: string;
}

export const earlierIds = collection<EarlierIdRecord>({ key: 'key', tenant: { number: 'number' } });
