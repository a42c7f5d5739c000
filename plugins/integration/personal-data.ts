import type { PersonalData } from '#core';
import type { CallLog } from './client/call-log.js';
import type { Panels } from './panels/panels.js';
import { clicks } from './records.js';

/** Clicks in the conversation of a contact, and what is in memory: its panels and the calls for them. */
export const personalClicks = (panels: Panels, calls: CallLog | undefined): PersonalData => ({
  async erase(tx, { conversations }) {
    tx.onCommit(() => {
      for (const conversation of conversations) panels.forget(conversation);
      calls?.forget(conversations);
    });
    const found = (await tx.in(clicks).find('age')).filter(({ conversation }) => conversations.includes(conversation));
    for (const { uuid } of found) tx.in(clicks).delete(uuid);
    return { clicks: found.length };
  },
});
