import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';

/** The last mail of a mailbox that was received. Stored with the mail, so that a crash loses and repeats none. */
export interface PositionRecord {
  /** The uuid of the number. */
  readonly number: string;
  /** The account, server and name of the mailbox: another one has its own numbers. */
  readonly mailbox: string;
  /** When the server changes it, mails have other numbers. */
  readonly uid_validity: string;
  readonly last_uid: number;
  /** Earlier mails were there before the number was connected, ISO 8601. */
  readonly since: string;
}

export const positions = collection<PositionRecord>({ key: 'number', tenant: { number: 'number' } });

export const issuedAdvice = issuedAdviceCollection();
