import { type PluginContext, queue, type Transaction } from '#core';

/** A mail, stored before its server learns that it was received. */
export interface Received {
  /** The uuid of the number. */
  readonly number: string;
  /** The media file with the mail as it came. */
  readonly raw: string;
  readonly via: 'smtp' | 'imap';
  /** The sender of the envelope, empty for reports; missing if the mailbox does not say it. */
  readonly return_path?: string | undefined;
  /** The recipients of the envelope that are of the number. */
  readonly recipients: readonly string[];
  /** When it came, in Unix seconds. */
  readonly at: string;
  /** Why only its head was stored. */
  readonly cut?: string | undefined;
}

export const received = queue<Received>('email.received');

const RAW = { mimeType: 'message/rfc822', filename: 'mail.eml' };

/** Stores the bytes of a mail, before the transaction that pushes its job. @returns the id of the media file */
export const keepRaw = async ({ media }: Pick<PluginContext, 'media'>, number: string, bytes: Uint8Array): Promise<string> =>
  (await media.put(number, bytes, RAW)).id;

/** Mails of a number are processed in the order in which they came. */
export const pushMail = (tx: Transaction, mail: Received): void => tx.push(received, mail, { serial: mail.number });
