import { isSameSecret } from '../delivery/signature.js';
import { NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { numbers } from './number.js';
import { type Caller, hashOf, type TokenView, tokenSchema, tokens, view } from './token.js';

const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;
const ENTROPY_BYTES = 32;
const HINT_LENGTH = 10;

/** The service of bearer tokens: issues, lists and revokes them, and finds the number of a call. */
export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({ store, ids, clock, remembers = 10_000 }: { store: Database; ids: Ids; clock: Clock; remembers?: number }) {
  const records = store.open(tokens);
  const owners = store.open(numbers);
  /**
   * By the hash of their token, as long as no token and no number changes; the oldest is forgotten for one more than
   * `remembers`. They are frozen: many calls have the same.
   */
  const remembered = new Map<string, Remembered>();
  let foundAt: Revisions = {};

  return {
    /**
     * Makes a token and returns its text, which cannot be read again. It lives a year unless `expires_at` says otherwise.
     * The transaction fails with NotFound when there is no such number.
     */
    issue(tx: Transaction, number: string, name: string, expiresAt?: Date): { text: string; token: TokenView } {
      const now = clock.now();
      const text = `ph_${ids.secret(ENTROPY_BYTES)}`;
      const token: TokenView = {
        uuid: ids.uuid(),
        number,
        name,
        hint: text.slice(-HINT_LENGTH),
        created_at: now.toISOString(),
        expires_at: (expiresAt ?? new Date(now.getTime() + LIFETIME_MS)).toISOString(),
      };
      const { error } = tokenSchema.validate(token, { convert: false });
      if (error) throw new TypeError(`a token cannot be made like this: ${error.message}`);
      tx.in(tokens).put({ ...token, hash: hashOf(text) });
      tx.beforeCommit(async () => {
        if (!(await tx.in(numbers).get(number))) throw new NotFound('number', number);
      });
      return { text, token };
    },

    /** Whom this text stands for, or undefined: unknown, expired and revoked look the same. */
    async caller(text: string): Promise<Caller | undefined> {
      if (!isCurrent(foundAt)) {
        remembered.clear();
        foundAt = { tokens: records.revision?.(), numbers: owners.revision?.() };
      }
      const before = foundAt;
      const hash = hashOf(text);
      const one = remembered.get(hash) ?? (await found(hash));
      if (!one || one.expiresAt <= clock.now().getTime()) return undefined;
      // Not when something has changed while it was looked up.
      if (isCurrent(before)) remember(hash, one);
      return one.caller;
    },

    async list(number: string): Promise<TokenView[]> {
      return (await records.find('number', { equals: [number] })).map(view);
    },

    /** @throws NotFound */
    async revoke(tx: Transaction, number: string, uuid: string): Promise<void> {
      const token = await tx.in(tokens).get(uuid);
      if (token?.number !== number) throw new NotFound('token', uuid);
      tx.in(tokens).delete(uuid);
    },
  };

  async function found(hash: string): Promise<Remembered | undefined> {
    const record = await records.getBy('hash', [hash]);
    if (!record || !isSameSecret(record.hash, hash)) return undefined;
    const number = await owners.get(record.number);
    if (!number) return undefined;
    const caller = Object.freeze({ number: Object.freeze(number), token: Object.freeze(view(record)) });
    return { caller, expiresAt: Date.parse(record.expires_at) };
  }

  function remember(hash: string, one: Remembered): void {
    if (remembered.has(hash)) return;
    if (remembered.size >= remembers) remembered.delete(remembered.keys().next().value!);
    remembered.set(hash, one);
  }

  /** Never in a store that does not say. */
  function isCurrent(at: Revisions): boolean {
    const says = at.tokens !== undefined && at.numbers !== undefined;
    return says && at.tokens === records.revision?.() && at.numbers === owners.revision?.();
  }
}

interface Remembered {
  readonly caller: Caller;
  readonly expiresAt: number;
}

/** Of the collections in which callers are found. */
interface Revisions {
  readonly tokens?: number | undefined;
  readonly numbers?: number | undefined;
}
