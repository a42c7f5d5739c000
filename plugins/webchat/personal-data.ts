import type { PersonalData, PluginContext, Transaction } from '#core';
import { sessions, uploads } from './records.js';
import type { Streams } from './streams.js';

const ERASED = 100;

/** The sessions of a person, and files that were not sent. */
export const personalData = ({ store, media }: Pick<PluginContext, 'store' | 'media'>, streams: Streams): PersonalData => ({
  async erase(tx: Transaction, { number, ids, contacts }) {
    const of = ids.map((visitor) => ({ equals: [number.uuid, visitor], limit: ERASED }));
    const ended = (await Promise.all(of.map((one) => tx.in(sessions).find('visitor', one)))).flat();
    const unsent = (await Promise.all(of.map((one) => tx.in(uploads).find('visitor', one)))).flat();
    for (const { hash } of ended) tx.in(sessions).delete(hash);
    for (const { id } of unsent) tx.in(uploads).delete(id);
    tx.afterCommit(() => {
      for (const { id } of unsent) void media.erase(id);
      for (const contact of contacts) for (const visitor of ids) streams.closeAll(number.uuid, contact, visitor);
    });
    return { webchat_sessions: ended.length, webchat_files: unsent.length };
  },

  async export({ number, ids }) {
    const found = await Promise.all(ids.map((visitor) => store.open(sessions).find('visitor', { equals: [number.uuid, visitor] })));
    const all = found.flat().map(({ visitor, created_at, expires_at }) => ({ visitor, created_at, expires_at }));
    return all.length === 0 ? undefined : { webchat_sessions: all };
  },
});
