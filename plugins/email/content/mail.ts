import type { JsonObject } from '#core';
import { task } from '#core/ports';

/** Most bytes of a mail that are read. */
export const MAX_MAIL_BYTES = 30 * 1024 * 1024;

/** A name and an address, as they are written. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** An attachment, or a picture in the text. */
export interface MailFile {
  readonly filename: string;
  readonly mimeType: string;
  readonly content: Uint8Array;
}

/** A part of a report that programs read, such as `message/delivery-status`, or the start of the message that it is about. */
export interface ReportPart {
  readonly type: string;
  readonly text: string;
}

/** A mail as it was read. Ids are without angle brackets. */
export interface ParsedMail {
  /** The Message-ID; without one, `sha256.<hex>` of From, Date, Subject and body. */
  readonly id: string;
  readonly hasOwnId: boolean;
  readonly from?: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly subject: string;
  readonly inReplyTo: readonly string[];
  /** The oldest first. */
  readonly references: readonly string[];
  /** The part that the sender has written: without quotes and signature, but whole if the mail is forwarded, or nothing else is in it. */
  readonly text: string;
  readonly fullText: string;
  /** Attachments and pictures, without signatures of programs and tracking pixels. */
  readonly files: readonly MailFile[];
  /** Contact cards of attached vCards, in the form of messages of the type `contacts`. */
  readonly cards: readonly JsonObject[];
  /** The emoji of a reaction to the mail that `inReplyTo` names. */
  readonly reaction?: string;
  /** Why people cannot read all of it here: it is encrypted, or in a format of Outlook. */
  readonly sealed?: 'S/MIME' | 'PGP' | 'winmail.dat';
  /** By names in lower case; the values as they are written. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly reports: readonly ReportPart[];
  /** Why parts of the mail are missing here. */
  readonly cut?: string;
}

/**
 * Reads a mail in a worker: `workers.run(mailTask, raw)`. Never fails on bad input, but on a mail that takes too long, or too much memory:
 * `TaskFailed` with the reason `timed out` or `worker died`.
 */
export const mailTask = task<Uint8Array, ParsedMail>('email.parse', new URL('./parse-mail.task.js', import.meta.url), {
  weigh: (raw) => raw.byteLength,
  limitMs: 5_000,
});
