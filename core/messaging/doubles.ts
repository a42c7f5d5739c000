import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../ports/clock.js';
import type { Database } from '../ports/transaction.js';
import { adviceOnce } from './advice-once.js';
import { type ContactRecord, contacts } from './contact.js';
import type { Advice } from './events.js';
import { issuedAdvice } from './messages.js';
import { otherSpellings } from './network-id.js';
import { type NumberRecord, numbers } from './number.js';

/** Two contacts that are probably one person. */
export type Double = readonly [ContactRecord, ContactRecord];

/** The country codes of phone numbers with several spellings, as ranges of ids. */
const PREFIXES = [
  ['52', '53'],
  ['54', '56'],
] as const;
const PAGE = 500;
const MAX_LISTED = 20;

/** The advice on contacts that an earlier release kept apart. They are not merged by themselves: only a person can tell whether they are one. */
export function doublesAdvice({ uuid, name }: NumberRecord, doubles: readonly Double[]): Advice {
  const [first] = doubles;
  const listed = doubles.slice(0, MAX_LISTED).map(([one, other]) => `${one.id} and ${other.id}`);
  const more = doubles.length > MAX_LISTED ? `, and ${doubles.length - MAX_LISTED} more` : '';
  return {
    name: 'contacts_doubled',
    number: uuid,
    message: `${doubles.length} pairs of contacts of number '${name}' are probably one person each: ${listed.join(', ')}${more}.`,
    fix: `Merge those that are: npx posthorn contacts merge ${first![1].id} ${first![0].id}.`,
    about: { contact: first![0].uuid, other_contact: first![1].uuid },
  };
}

/** Looks once for contacts of earlier releases whose phone number another contact has in another spelling, and issues advice. */
export function createDoubleCheck({ store, clock }: { store: Database; clock: Clock }) {
  const once = adviceOnce(issuedAdvice, clock);
  const records = store.open(contacts);

  return async (): Promise<void> => {
    for (const number of await store.open(numbers).list()) {
      const key = `doubles:${number.uuid}`;
      if (number.kind === 'channel' || (await store.open(issuedAdvice).get(key))) continue;
      const { checked, doubles } = await doublesOf(number);
      // Other numbers are checked at each start, as that reads nothing.
      if (checked === 0) continue;
      await store.transaction(async (tx) => {
        if (doubles.length > 0) await once.issue(tx, key, doublesAdvice(number, doubles));
        else tx.in(issuedAdvice).put({ key, at: clock.now().toISOString(), number: number.uuid });
      });
    }
  };

  async function doublesOf({ uuid, kind }: NumberRecord): Promise<{ checked: number; doubles: Double[] }> {
    const doubles: Double[] = [];
    let checked = 0;
    for (const [first, end] of PREFIXES) {
      for (let last = first as string; ; ) {
        const page = await records.find('id', { equals: [uuid], after: [last], before: [end], limit: PAGE });
        checked += page.length;
        for (const contact of page) {
          for (const spelling of otherSpellings(kind, contact.id)) {
            // Each pair once.
            const other = spelling > contact.id ? await records.getBy('id', [uuid, spelling]) : undefined;
            if (other) doubles.push(contact.created_at <= other.created_at ? [contact, other] : [other, contact]);
          }
        }
        if (page.length < PAGE) break;
        last = page.at(-1)!.id;
        await breathe();
      }
    }
    return { checked, doubles };
  }
}
