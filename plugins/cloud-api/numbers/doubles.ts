import type { ContactRecord, PluginContext } from '#core';
import { adviceOnce, doublesAdvice } from '#core/messaging';
import { contactAliases, issuedAdvice } from '../records.js';

/** Issues advice on contacts that an earlier release kept apart: it stored an alias although a contact with that id existed. */
export async function adviseDoubles({ store, numbers, contacts, clock }: PluginContext): Promise<void> {
  const once = adviceOnce(issuedAdvice, clock);
  const found = new Map<string, [ContactRecord, ContactRecord][]>();
  for (const { key, number, contact: id } of await store.open(contactAliases).list()) {
    const [holder, other] = await Promise.all([contacts.known(number, id), contacts.known(number, key.slice(number.length + 1))]);
    if (holder && other && holder.uuid !== other.uuid) found.set(number, [...(found.get(number) ?? []), [holder, other]]);
  }
  for (const [uuid, doubles] of found) {
    const number = await numbers.get(uuid);
    if (number) await store.transaction((tx) => once.issue(tx, `doubles:${uuid}`, doublesAdvice(number, doubles)));
  }
}
