import { collection } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { DataSubject, PersonalData } from './personal-data.js';

/** A link to a media file, for one contact. */
export interface MediaLinkRecord {
  readonly token: string;
  /** The id of the media file. */
  readonly media: string;
  readonly number: string;
  /** The uuid of the contact. */
  readonly contact: string;
  readonly until: string;
  /** How often it was opened, and when last. */
  readonly opened: number;
  readonly opened_at?: string;
}

export const mediaLinks = collection<MediaLinkRecord>({
  key: 'token',
  tenant: { number: 'number' },
  indexes: { media: ['media'], contact: ['contact'] },
  cold: { after: 0 },
});

const ERASED = 100;

/** When the last link to a media file ends, as a time in ISO form; undefined if it has none. */
export const lastLink = async (tx: Transaction, media: string): Promise<string | undefined> =>
  (await tx.in(mediaLinks).find('media', { equals: [media] }))
    .map(({ until }) => until)
    .sort()
    .at(-1);

/** Deletes the links to a media file, or only those of a contact. */
export async function forgetLinks(tx: Transaction, media: string, contact?: string): Promise<void> {
  for (const link of await tx.in(mediaLinks).find('media', { equals: [media] }))
    if (contact === undefined || link.contact === contact) tx.in(mediaLinks).delete(link.token);
}

/** The links for a person. A file that was sent to several contacts can remain when one of them is erased. */
export const linksOfPerson = (store: Pick<Database, 'open'>): PersonalData => ({
  async erase(tx: Transaction, { contacts }: DataSubject) {
    const found = await Promise.all(contacts.map((one) => tx.in(mediaLinks).find('contact', { equals: [one], limit: ERASED })));
    for (const { token } of found.flat()) tx.in(mediaLinks).delete(token);
    return { media_links: found.flat().length };
  },
  async export({ contacts }) {
    const found = await Promise.all(contacts.map((one) => store.open(mediaLinks).find('contact', { equals: [one] })));
    const links = found.flat().map(({ token: _, ...link }) => ({ ...link }));
    return links.length > 0 ? { media_links: links } : undefined;
  },
});
