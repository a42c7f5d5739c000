import type { PersonalData, PluginContext } from '#core';
import { claims, typings } from './records.js';
import { typingEnds } from './typing.js';

/** Claims and typing indicators of a contact. */
export const personalClaims = ({ store }: Pick<PluginContext, 'store'>): PersonalData => ({
  async erase(tx, { contacts, conversations }) {
    const held = (await Promise.all(contacts.map((contact) => tx.in(claims).get(contact)))).filter((one) => one !== undefined);
    for (const { contact } of held) tx.in(claims).delete(contact);
    for (const conversation of conversations) {
      tx.in(typings).delete(conversation);
      tx.cancel(typingEnds, conversation);
    }
    return { claims: held.length };
  },

  async export({ contacts }) {
    const held = (await Promise.all(contacts.map((contact) => store.open(claims).get(contact)))).filter((one) => one !== undefined);
    return held.length === 0 ? undefined : ({ claims: held } as never);
  },
});
