import type { FaultRule } from '#core/testing';

/** Options of `emailStandIn`. */
export interface EmailStandInOptions {
  /** The port of the control routes on 127.0.0.1; 0, the default, selects free ones. SMTP and IMAP have the two after it. `false`: no control routes. */
  readonly port?: number | false;
  /** The address of the account. Default: `support@shop.example`. */
  readonly address?: string;
  /** Whether it also plays a mailbox (IMAP), which needs the package `hoodiecrow-imap`. Default: `true`. */
  readonly mailbox?: boolean;
}

/** The outcome of matching mails that the platform sends. Give one of `reply` and `connection`. */
export interface EmailFault extends FaultRule {
  /** Which mails the rule is for: all given fields must match. */
  readonly on?: { readonly to?: string; readonly contains?: string };
  /** The answer: at the recipient, or without `contains` before the mail is sent. `421`, `450` and so on. */
  readonly reply?: { readonly status: number; readonly text?: string };
  /** `cut`: it breaks before the mail is sent. `cut after`: the server has the mail, then the connection breaks. `silent`: as that, without a break. */
  readonly connection?: 'cut' | 'cut after' | 'silent';
  /** Refuses the login. */
  readonly login?: 'refused';
}

/** A file of a mail. */
export interface StandInFile {
  readonly type: string;
  readonly filename?: string;
  readonly bytes: Uint8Array;
}

/** A mail that the server took. */
export interface SentMail {
  /** The Message-ID, without angle brackets. */
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly files: readonly StandInFile[];
  readonly raw: string;
}

/** A mail that a person writes. */
export interface WrittenMail {
  readonly id?: string;
  readonly subject?: string;
  readonly name?: string;
  /** The recipient, if it is not the address of the account. */
  readonly to?: string;
  readonly inReplyTo?: string;
  readonly references?: readonly string[];
  readonly files?: readonly StandInFile[];
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The sender of the envelope: that of the mail if not given, and empty for reports. */
  readonly returnPath?: string;
}
