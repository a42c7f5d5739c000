import type { NumberRecord } from '../messaging/number.js';
import type { PluginContext } from './context.js';

/** The forms of the platform. Without a plugin that has pages of forms, each of them is refused. */
export type PlatformForms = PluginContext['forms'];
type FormPages = Pick<PlatformForms, 'definition' | 'refusal' | 'link' | 'linkOf' | 'revoke'>;

/** The forms of a plugin: returns the ids of those that a number can send; undefined when unknown. The methods are those of `forms` of the context. */
export interface Forms extends Partial<FormPages> {
  (number: NumberRecord): Promise<ReadonlySet<string> | undefined>;
}

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
