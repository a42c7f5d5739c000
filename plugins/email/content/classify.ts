import type { ParsedMail } from './mail.js';

/** What a mail server reports of a message to one recipient. */
export interface DeliveryReport {
  readonly action: 'failed' | 'delayed' | 'delivered' | 'other';
  /** In lower case. */
  readonly recipient?: string;
  /** The enhanced status code, such as `5.1.1`. */
  readonly status?: string;
  readonly diagnostic: string;
}

/** What kind of mail it is. `ids` are the Message-IDs that it speaks of, the best first. */
export type MailClass =
  | { readonly kind: 'ordinary' }
  /** A program has written it: never answer it. `why` is the rule that says so. */
  | { readonly kind: 'auto-reply'; readonly why: string }
  | { readonly kind: 'bounce'; readonly ids: readonly string[]; readonly reports: readonly DeliveryReport[] }
  | { readonly kind: 'complaint'; readonly ids: readonly string[]; readonly recipients: readonly string[] }
  | { readonly kind: 'receipt'; readonly ids: readonly string[]; readonly recipients: readonly string[]; readonly isRead: boolean };

/** What is known besides the mail. */
export interface MailOrigin {
  /** The address of the envelope, empty for reports; undefined if it is not known, as over IMAP. */
  readonly returnPath?: string | undefined;
  /** The own addresses and their aliases, as `normalAddress` writes them. */
  readonly own: readonly string[];
  /** Whether a Message-ID is one that was sent from here. */
  readonly isOwnId: (id: string) => boolean;
}

/** Says what kind of mail it is. Never throws. */
export declare function classify(mail: ParsedMail, origin: MailOrigin): MailClass;
