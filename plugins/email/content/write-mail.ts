import type { TurnParts } from '#core/messaging';
import type { Mailbox } from './mail.js';

/** The input for a mail. Ids are without angle brackets. */
export interface MailToWrite {
  readonly id: string;
  readonly date: Date;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly replyTo?: string | undefined;
  readonly subject: string;
  /** The Message-ID of the last mail of the contact, and its chain, the oldest first. */
  readonly inReplyTo?: string | undefined;
  readonly references?: readonly string[] | undefined;
  /** What a program has written without being asked, or in reply to a mail; undefined for what a person has written. */
  readonly automatic?: 'auto-generated' | 'auto-replied' | undefined;
  /** The language of the text, such as `en`. */
  readonly language?: string | undefined;
  readonly parts: TurnParts;
  /** The line that tells the contact to reply with a number. */
  readonly choose: string;
  /** The bytes of `parts.file`; without them, its link is in the text. */
  readonly file?: { readonly content: Uint8Array; readonly mimeType: string; readonly filename: string } | undefined;
  /** A link below the text, such as to a form. */
  readonly link?: { readonly title: string; readonly url: string } | undefined;
}

/** Writes a mail, with the text as plain text and as HTML. */
export declare function writeMail(mail: MailToWrite): Promise<Uint8Array>;
