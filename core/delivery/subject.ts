import type { ContactRecord } from '../messaging/contact.js';
import { type ContactMerge, contactMerges } from '../messaging/contact-merge.js';
import { otherSpellings } from '../messaging/network-id.js';
import type { NumberRecord } from '../messaging/number.js';
import type { Transaction } from '../ports/transaction.js';

/** The merges into a contact, also those into the contacts that were merged into it. */
export async function mergesInto(tx: Pick<Transaction, 'in'>, contact: string): Promise<ContactMerge[]> {
  const found = await tx.in(contactMerges).find('into', { equals: [contact] });
  const earlier = await Promise.all(found.map((merge) => mergesInto(tx, merge.contact)));
  return [...found, ...earlier.flat()];
}

/** All ids and addresses of contacts that are one person. On the network in all spellings; on a channel, a plus makes another person. */
export function namesOf({ kind }: NumberRecord, contacts: readonly ContactRecord[], ids: readonly string[]): string[] {
  const known = [...ids, ...contacts.flatMap(({ id, address }) => [id, address])];
  if (kind === 'channel') return [...new Set(known)];
  const spelled = known.flatMap((id) => [id, ...otherSpellings(kind, id)]);
  return [...new Set(spelled.flatMap((id) => (/^\+?\d+$/.test(id) ? [id.replace('+', ''), `+${id.replace('+', '')}`] : [id])))];
}
