import { NotFound } from '../errors.js';
import type { Claims } from '../ports/claims.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { promiseOf, type Steps, wait } from '../ports/steps.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { isSameSecret } from '../signature.js';
import { claimAll, claimOfToken } from './claimed.js';
import { numbers } from './number.js';
import { type Caller, hashOf, type TokenView, tokenSchema, tokens, view } from './token.js';

const LIFETIME_MS = 365 * 24 * 60 * 60 * 1000;
const ENTROPY_BYTES = 32;
const HINT_LENGTH = 10;

/** The token service: issues, lists and revokes bearer tokens, and finds the caller of a request. */
export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({
  store,
  ids,
  clock,
  claims,
  maxCached = 10_000,
}: {
  store: Database;
  ids: Ids;
  clock: Clock;
  claims?: Claims | undefined;
  maxCached?: number;
}) {
  const records = store.open(tokens);
  const owners = store.open(numbers);
  /**
   * Callers by the hash of their token. Any change of a token or number empties the cache; above `maxCached` entries the oldest is evicted.
   * The
   * callers are frozen, because requests share them.
   */
  const cache = new Map<string, CachedCaller>();
  let cachedAt: Revisions = {};
  /** When each token was last used, as milliseconds since 1970. In memory only, because a write per call would cost more than the call. */
  const usedAt = new Map<string, number>();

  return {
    /**
     * Creates a token and returns its value, which cannot be read again: a random one, or `text`. It expires after a year unless `expiresAt`
     * is given.
     * The transaction fails with NotFound if the number does not exist.
     * @throws TypeError when a field is invalid
     */
    issue(
      tx: Transaction,
      number: string,
      name: string,
      expiresAt?: Date,
      text = `ph_${ids.secret(ENTROPY_BYTES)}`,
    ): { text: string; token: TokenView } {
      const now = clock.now();
      const token: TokenView = {
        uuid: ids.uuid(),
        number,
        name,
        hint: text.slice(-HINT_LENGTH),
        created_at: now.toISOString(),
        expires_at: (expiresAt ?? new Date(now.getTime() + LIFETIME_MS)).toISOString(),
      };
      const { error } = tokenSchema.validate(token, { convert: false });
      if (error) throw new TypeError(`invalid token: ${error.message}`);
      tx.in(tokens).put({ ...token, hash: hashOf(text) });
      tx.beforeCommit(async () => {
        if (!(await tx.in(numbers).get(number))) throw new NotFound('number', number);
        if (claims) await claimAll(claims, [claimOfToken({ hash: hashOf(text) })]);
      });
      return { text, token };
    },

    /** Finds the caller by a token value; undefined if the token is unknown, expired or revoked. Clients cannot tell these cases apart. */
    caller: (text: string): Promise<Caller | undefined> => promiseOf(caller(text)),

    /** Methods of the same names for work in steps. */
    inSteps: { caller },

    /** The tokens of a number, oldest first, with the time when each was last used since the platform started. */
    async list(number: string): Promise<TokenView[]> {
      return (await records.find('number', { equals: [number] })).map((record) => {
        const used = usedAt.get(record.uuid);
        return used === undefined ? view(record) : { ...view(record), last_used_at: new Date(used).toISOString() };
      });
    },

    /** @throws NotFound */
    async revoke(tx: Transaction, number: string, uuid: string): Promise<void> {
      const token = await tx.in(tokens).get(uuid);
      if (token?.number !== number) throw new NotFound('token', uuid);
      tx.in(tokens).delete(uuid);
      tx.afterCommit(() => void usedAt.delete(uuid));
      // If the release fails, the entry remains until the next reconciliation. It grants nothing: the shard refuses the token.
      if (claims) tx.afterCommit(() => void claims.release([claimOfToken(token)]).catch(() => undefined));
    },
  };

  function* caller(text: string): Steps<Caller | undefined> {
    if (!isCurrent(cachedAt)) {
      cache.clear();
      cachedAt = { tokens: records.revision?.(), numbers: owners.revision?.() };
    }
    const revisions = cachedAt;
    const hash = hashOf(text);
    const found = cache.get(hash) ?? (yield* wait(lookUp(hash)));
    const now = clock.now().getTime();
    if (!found || found.expiresAt <= now) return undefined;
    usedAt.set(found.caller.token.uuid, now);
    // A change during the look-up may have made the result stale.
    if (isCurrent(revisions)) remember(hash, found);
    return found.caller;
  }

  async function lookUp(hash: string): Promise<CachedCaller | undefined> {
    const record = await records.getBy('hash', [hash]);
    if (!record || !isSameSecret(record.hash, hash)) return undefined;
    const number = await owners.get(record.number);
    if (!number) return undefined;
    const caller = Object.freeze({ number: Object.freeze(number), token: Object.freeze(view(record)) });
    return { caller, expiresAt: Date.parse(record.expires_at) };
  }

  function remember(hash: string, found: CachedCaller): void {
    if (cache.has(hash)) return;
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
    cache.set(hash, found);
  }

  /** Whether a cached caller may be used. In a store that does not count revisions none may. */
  function isCurrent(at: Revisions): boolean {
    const hasRevisions = at.tokens !== undefined && at.numbers !== undefined;
    return hasRevisions && at.tokens === records.revision?.() && at.numbers === owners.revision?.();
  }
}

interface CachedCaller {
  readonly caller: Caller;
  readonly expiresAt: number;
}

/** Revisions of the two collections that callers are read from. */
interface Revisions {
  readonly tokens?: number | undefined;
  readonly numbers?: number | undefined;
}
