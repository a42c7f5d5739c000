import type { DataSubject, PersonalData, PluginContext, Transaction } from '#core';
import { eraseRecordings } from '../assets/ai-recordings.js';
import { aiCalls, plannedStarts, type SessionRecord, sessions } from '../records.js';
import { starts } from '../starting/planned-starts.js';
import { viewOf } from './session.js';
import type { SessionStore } from './session-store.js';

const BATCH = 100;

/** Sessions with their state, planned starts and AI calls of a contact. Questions go with their messages. */
export function personalSessions({ store }: Pick<PluginContext, 'store'>, sessionStore: SessionStore): PersonalData {
  return {
    async erase(tx, { number, contacts }) {
      const found: SessionRecord[] = [];
      const planned: string[] = [];
      for (const contact of contacts) {
        found.push(...(await tx.in(sessions).find('contact', { equals: [contact], limit: BATCH })));
        planned.push(...(await tx.in(plannedStarts).find('contact', { equals: [contact], limit: BATCH })).map(({ uuid }) => uuid));
      }
      for (const session of found) await sessionStore.remove(tx, session);
      for (const uuid of planned) {
        tx.in(plannedStarts).delete(uuid);
        tx.cancel(starts, uuid);
      }
      const calls = found.length === 0 ? 0 : await eraseCalls(tx, number.uuid, new Set(found.map(({ uuid }) => uuid)));
      const recorded = await eraseRecordings(tx, number.uuid, contacts, BATCH);
      return { sessions: found.length, planned_starts: planned.length, ai_calls: calls, ai_recordings: recorded };
    },

    async export({ contacts }: DataSubject) {
      const all = await Promise.all(contacts.map((contact) => store.open(sessions).find('contact', { equals: [contact] })));
      const planned = await Promise.all(contacts.map((contact) => store.open(plannedStarts).find('contact', { equals: [contact] })));
      if (all.flat().length + planned.flat().length === 0) return undefined;
      const shown: object[] = [];
      for (const session of all.flat()) shown.push({ ...viewOf(session), data: await sessionStore.read(session.data) });
      return { sessions: shown, planned_starts: planned.flat() } as never;
    },
  };
}

/** Deletes the log of the AI calls of sessions. */
async function eraseCalls(tx: Transaction, number: string, ended: ReadonlySet<string>): Promise<number> {
  const calls = (await tx.in(aiCalls).find('count', { equals: [number] })).filter(({ session }) => ended.has(session));
  for (const { uuid } of calls) tx.in(aiCalls).delete(uuid);
  return calls.length;
}
