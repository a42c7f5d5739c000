import { createHash, randomBytes } from 'node:crypto';
import type { CollectionType, PluginContext, Timer, Transaction } from '#core';
import { type SessionRecord, sessions, uploads } from '../records.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const SESSION_MS = 30 * DAY_MS;
/** A session in use is extended once a day, so that not every call writes. */
const EXTENDED_MS = SESSION_MS - DAY_MS;
const SWEEP_MS = 6 * 60 * 60 * 1000;
/** Records that one transaction deletes. */
const SWEPT = 200;

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A random id of 128 bits, for a visitor whom the website does not identify. */
export const anonymousVisitor = (): string => `web:${randomBytes(16).toString('base64url')}`;

/** The sessions of visitors. A token is bound to a number and a visitor, and stored as its hash. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ store, clock }: Pick<PluginContext, 'store' | 'clock'>) {
  let timer: Timer | undefined;
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
      return { token, session };
    },

    end: (tx: Transaction, { hash }: SessionRecord): void => tx.in(sessions).delete(hash),

    /** Ends all sessions of a visitor. */
    async endAll(tx: Transaction, number: string, visitor: string): Promise<void> {
      for (const { hash } of await tx.in(sessions).find('visitor', { equals: [number, visitor] })) tx.in(sessions).delete(hash);
    },

    sweep,
    stop: (): void => timer?.cancel(),
  };

  /** Deletes what has expired, now and then every six hours. */
  async function sweep(): Promise<void> {
    timer = clock.after(SWEEP_MS, sweep);
    for (const type of [sessions, uploads] as CollectionType<SessionRecord>[])
      for (let swept = SWEPT; swept === SWEPT; )
        swept = await store.transaction(async (tx) => {
          tx.acrossTenants?.();
          const expired = await tx.in(type).find('expiry', { before: [clock.now().toISOString()], limit: SWEPT });
          for (const one of expired) tx.in(type).delete(one[type.key]);
          return expired.length;
        });
  }
}
