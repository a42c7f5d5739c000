import { createHash, randomBytes } from 'node:crypto';
import { type Consumer, consume, type PluginContext, queue, type Transaction } from '#core';
import { type SessionRecord, sessions, uploads } from '../records.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const SESSION_MS = 30 * DAY_MS;
/** A session in use is extended once a day, so that not every call writes. */
const EXTENDED_MS = SESSION_MS - DAY_MS;
const SWEEP_MS = 6 * 60 * 60 * 1000;
/** Records that one transaction deletes. */
const SWEPT = 200;

/** Deletes expired records every six hours. */
const sweeps = queue<Record<string, never>>('webchat.sweeps', () => ({
  kind: 'webchat',
  title: 'deletion of expired sessions of web chats',
}));

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A random id of 128 bits, for a visitor whom the website does not identify. */
export const anonymousVisitor = (): string => `web:${randomBytes(16).toString('base64url')}`;

/** The sessions of visitors. A token is bound to a number and a visitor, and stored as its hash. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ store, clock, findJob }: Pick<PluginContext, 'store' | 'clock' | 'findJob'>) {
  /** Whether a sweep is due some time: without records nothing is. */
  let isScheduled = false;
  const now = (): number => clock.now().getTime();
  const expiresAt = (): string => new Date(now() + SESSION_MS).toISOString();
  const isValid = (session: SessionRecord | undefined, number: string): session is SessionRecord =>
    session?.number === number && Date.parse(session.expires_at) > now();

  return {
    /** The session of a token, extended if it is in use; undefined if it is unknown, has expired or is of another number. */
    async of(number: string, token: string | undefined): Promise<SessionRecord | undefined> {
      const known = token === undefined ? undefined : await store.open(sessions).get(hashOf(token));
      if (!isValid(known, number)) return undefined;
      if (Date.parse(known.expires_at) - now() > EXTENDED_MS) return known;
      return store.transaction(async (tx) => {
        const current = await tx.in(sessions).get(known.hash);
        if (!isValid(current, number)) return undefined;
        const extended = { ...current, expires_at: expiresAt() };
        tx.in(sessions).put(extended);
        return extended;
      });
    },

    begin(tx: Transaction, number: string, visitor: string): { readonly token: string; readonly session: SessionRecord } {
      const token = randomBytes(32).toString('base64url');
      const session = { hash: hashOf(token), number, visitor, created_at: clock.now().toISOString(), expires_at: expiresAt() };
      tx.in(sessions).put(session);
      if (!isScheduled) {
        scheduleNext(tx);
        tx.onCommit(() => {
          isScheduled = true;
        });
      }
      return { token, session };
    },

    end: (tx: Transaction, { hash }: SessionRecord): void => tx.in(sessions).delete(hash),

    /** Ends all sessions of a visitor. */
    async endAll(tx: Transaction, number: string, visitor: string): Promise<void> {
      for (const { hash } of await tx.in(sessions).find('visitor', { equals: [number, visitor] })) tx.in(sessions).delete(hash);
    },

    /** Runs at start. */
    async start(): Promise<void> {
      isScheduled = (await findJob(sweeps, 'sweep')) !== undefined;
    },

    sweeper: (): Consumer =>
      consume(sweeps, async () => {
        const before = [clock.now().toISOString()];
        let isMore = false;
        for (const type of [sessions, uploads]) {
          const expired = await store.open(type as typeof sessions).find('expiry', { before, limit: SWEPT });
          if (expired.length > 0)
            await store.transaction((tx) => {
              tx.acrossTenants?.();
              for (const one of expired) tx.in(type as typeof sessions).delete(one[type.key as 'hash']);
            });
          isMore ||= expired.length === SWEPT;
        }
        await store.transaction(async (tx) => {
          const remaining = await Promise.all([tx.in(sessions).find('expiry', { limit: 1 }), tx.in(uploads).find('expiry', { limit: 1 })]);
          const isNeeded = remaining.flat().length > 0;
          if (isMore) tx.push(sweeps, {}, { id: 'sweep' });
          else if (isNeeded) scheduleNext(tx);
          tx.onCommit(() => {
            isScheduled = isNeeded;
          });
        });
      }),
  };

  function scheduleNext(tx: Transaction): void {
    tx.push(sweeps, {}, { id: 'sweep', notBefore: new Date(now() + SWEEP_MS) });
  }
}
