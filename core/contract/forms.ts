import type { MessageRecord } from '../messaging/message.js';
import type { NumberRecord } from '../messaging/number.js';
import type { TurnParts } from '../messaging/turn-parts.js';
import type { Transaction } from '../ports/transaction.js';

/** The pages that show forms to contacts. */
interface FormPages {
  /** The definition of a form that a number can send, as text; undefined if there is none. */
  definition(number: NumberRecord, id: string): Promise<string | undefined>;
  /**
   * Why the form of a message cannot be shown on a page; undefined if it can. Drivers ask before the message is recorded.
   * @param form of `turnParts`
   * @param isFramed whether the page is shown in another page of the platform, which needs no `publicUrl`
   */
  refusal(number: NumberRecord, form: NonNullable<TurnParts['form']>, about?: { readonly isFramed?: boolean }): Promise<string | undefined>;
  /**
   * A link to a page with the form of a message, for its contact: valid for 30 days and one response, which arrives as a message of the contact.
   * Whoever has the link can respond. Each call makes a new one.
   */
  link(tx: Transaction, message: Pick<MessageRecord, 'uuid'>): Promise<string>;
  /** The newest link of a message that is still valid; undefined if there is none. */
  linkOf(message: string): Promise<string | undefined>;
  /** Makes the links of a message invalid. */
  revoke(tx: Transaction, message: string): Promise<void>;
}

/** The forms (flows of the Flows API): returns the ids of those that a number can send; undefined when unknown. */
export interface Forms extends Partial<FormPages> {
  (number: NumberRecord): Promise<ReadonlySet<string> | undefined>;
}

/** The forms of the platform. Without a plugin that has pages of forms, each of them is refused. */
export type PlatformForms = Forms & FormPages;

const NO_PAGES = 'No plugin of the platform has pages of forms: ask the questions in a journey, or send a link';
const NO_URL = 'The platform has no publicUrl, so a contact could not open the link to the form: set it, or ask the questions in a journey';

/** The forms of a plugin, if one contributes them. @param hasUrl whether contacts reach the platform by a link */
export const platformForms = (own: () => Forms | undefined, hasUrl: boolean): PlatformForms =>
  Object.assign(async (number: NumberRecord) => own()?.(number), {
    definition: async (...about: Parameters<FormPages['definition']>) => own()?.definition?.(...about),
    async refusal(...about: Parameters<FormPages['refusal']>) {
      const pages = own();
      if (!pages?.refusal || !pages.link) return NO_PAGES;
      return hasUrl || about[2]?.isFramed ? pages.refusal(...about) : NO_URL;
    },
    async link(...about: Parameters<FormPages['link']>) {
      const pages = own();
      if (!pages?.link) throw new TypeError(NO_PAGES);
      return pages.link(...about);
    },
    linkOf: async (message: string) => own()?.linkOf?.(message),
    revoke: async (...about: Parameters<FormPages['revoke']>) => own()?.revoke?.(...about),
  });
