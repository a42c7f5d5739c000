import type { ConversationView } from '#core';
import { sessions } from '../records.js';
import type { JourneysContext } from '../service.js';
import { isWaiting, viewOf } from './session.js';

/** Adds the session that waits for the contact to a conversation, with the name of its journey; null if no session waits. */
export const journeyView = ({ store, journeys, clock }: Pick<JourneysContext, 'store' | 'journeys' | 'clock'>): ConversationView => ({
  name: 'journey',
  async load({ number, contact }) {
    const parked = await store.open(sessions).getBy('parked', [number.uuid, contact.uuid]);
    if (!isWaiting(parked, clock.now())) return null;
    const journey = await journeys.get(parked.journey);
    return { session: viewOf(parked), name: journey?.name ?? null };
  },
});
