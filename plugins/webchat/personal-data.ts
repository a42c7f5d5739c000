import type { PersonalData, PluginContext, Transaction } from '#core';
import { sessions, uploads } from './records.js';
import type { Streams } from './streams.js';

const ERASED = 100;

/** The sessions of a person, and files that were not sent. */
export const personalData = ({ store, media }: Pick<PluginContext, 'store' | 'media'>, streams: Streams): PersonalData => ({
  async erase(tx: Transaction, { number, ids, contacts }) {
    let [ended, deleted] = [0, 0];
    for (const visitor of ids) {
      const of = { equals: [number.uuid, visitor], limit: ERASED };
      for (const { hash } of await tx.in(sessions).find('visitor', of)) {
        tx.in(sessions).delete(hash);
        ended++;
      }
      for (const { id } of await tx.in(uploads).find('visitor', of)) {
        tx.in(uploads).delete(id);
        tx.afterCommit(() => void media.erase(id));
        deleted++;
      }
      for (const contact of contacts) tx.afterCommit(() => streams.closeAll(number.uuid, contact, visitor));
    }
    return { webchat_sessions: ended, webchat_files: deleted };
  },

  async export({ number, ids }) {
    const found = await Promise.all(ids.map((visitor) => store.open(sessions).find('visitor', { equals: [number.uuid, visitor] })));
    const all = found.flat().map(({ visitor, created_at, expires_at }) => ({ visitor, created_at, expires_at }));
    return all.length === 0 ? undefined : { webchat_sessions: all };
  },
});
