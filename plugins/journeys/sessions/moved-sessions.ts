import { beforeCommit, contactMerged, contactSplit, type PluginContext, type Subscription, type Transaction } from '#core';
import type { ContactMerged, ContactSplit } from '#core/messaging';
import { plannedStarts, type SessionRecord, sessions } from '../records.js';
import { pushStart } from '../starting/planned-starts.js';
import { isWaiting } from './session.js';
import type { SessionStore } from './session-store.js';

/** Sessions and planned starts follow their contact when it is merged into another one, and back when it is split. */
export function movingSessions({ clock }: Pick<PluginContext, 'clock'>, sessionStore: SessionStore): Subscription[] {
  return [beforeCommit(contactMerged, merged), beforeCommit(contactSplit, split)] as Subscription[];

  async function merged({ number, contact, merged: { uuid } }: ContactMerged, tx: Transaction): Promise<void> {
    const parked = await tx.in(sessions).getBy('parked', [number.uuid, uuid]);
    const other = await tx.in(sessions).getBy('parked', [number.uuid, contact.uuid]);
    // One session can wait for a contact: the one that asked last. Late replies with a context still resume from the other one.
    if (parked && other) await sessionStore.expire(tx, isLater(parked, other) ? other : parked);
    for (const session of await tx.in(sessions).find('contact', { equals: [uuid] }))
      put(tx, session, contact.uuid, [...(session.moved_from ?? []), uuid]);
    for (const planned of await tx.in(plannedStarts).find('contact', { equals: [uuid] })) {
      const moved = { ...planned, contact: contact.uuid, moved_from: [...(planned.moved_from ?? []), uuid] };
      tx.in(plannedStarts).put(moved);
      pushStart(tx, moved, new Date(planned.due_at));
    }
  }

  async function split({ contact, split: { uuid } }: ContactSplit, tx: Transaction): Promise<void> {
    for (const session of await tx.in(sessions).find('contact', { equals: [contact.uuid] }))
      if (session.moved_from?.at(-1) === uuid) put(tx, session, uuid, session.moved_from.slice(0, -1));
    for (const planned of await tx.in(plannedStarts).find('contact', { equals: [contact.uuid] })) {
      if (planned.moved_from?.at(-1) !== uuid) continue;
      const moved = { ...planned, contact: uuid, moved_from: planned.moved_from.slice(0, -1) };
      tx.in(plannedStarts).put(moved);
      pushStart(tx, moved, new Date(planned.due_at));
    }
  }

  function put(tx: Transaction, session: SessionRecord, contact: string, moved_from: readonly string[]): void {
    tx.in(sessions).put({ ...session, contact, moved_from, ...(session.parked_for !== undefined && { parked_for: contact }) });
  }

  function isLater(a: SessionRecord, b: SessionRecord): boolean {
    const now = clock.now();
    return isWaiting(a, now) === isWaiting(b, now) ? a.updated_at > b.updated_at : isWaiting(a, now);
  }
}
