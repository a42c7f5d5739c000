import type { PersonalData } from '#core';
import { keyboards } from './records.js';

/** The options that messages to a contact offered. Messages, fields and files are the core's. */
export const personalKeyboards: PersonalData = {
  async erase(tx, { conversations }) {
    let count = 0;
    for (const conversation of conversations)
      for (const { key } of await tx.in(keyboards).find('conversation', { equals: [conversation] })) {
        tx.in(keyboards).delete(key);
        count++;
      }
    return { keyboards: count };
  },
};
