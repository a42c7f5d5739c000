import { Conflict, NotReady } from '../errors.js';
import { type Claim, type Claims, ClaimTaken } from '../ports/claims.js';
import { LogUnreachable } from '../ports/log.js';
import type { Logger } from '../ports/logger.js';
import { pagesOf, UniqueViolation } from '../ports/store.js';
import type { Database } from '../ports/transaction.js';
import { type NumberRecord, numbers } from './number.js';
import { type TokenRecord, tokens } from './token.js';

const RETRY_AFTER_SECONDS = 1;

/** The claims of a number in the directory of a cluster. */
export const claimsOfNumber = ({ uuid, type, address, account }: NumberRecord): Claim[] => [
  { kind: 'address', key: `${type} ${address}` },
  { kind: 'number', key: uuid },
  ...(account === null ? [] : [{ kind: 'account', key: account } as const]),
];

export const claimOfToken = ({ hash }: Pick<TokenRecord, 'hash'>): Claim => ({ kind: 'token', key: hash });

/**
 * Claims before a commit. A transaction that fails afterwards leaves claims without a document, which `reconcile` releases.
 * @throws UniqueViolation when a number of another shard has the address, Conflict when the account is in another shard, NotReady when
 * the directory cannot be changed
 */
export async function claimAll(claims: Claims, wanted: readonly Claim[]): Promise<void> {
  try {
    await claims.claim(wanted);
  } catch (error) {
    if (error instanceof LogUnreachable) throw new NotReady(error.message, 'directory_unavailable', RETRY_AFTER_SECONDS);
    if (!(error instanceof ClaimTaken)) throw error;
    const { kind, key } = error.claim;
    if (kind === 'account')
      throw new Conflict('account_elsewhere', `The data of the account ${key} are in another shard; create the number with this account`);
    throw new UniqueViolation('core.numbers', kind, [key]);
  }
}

const keyOf = ({ kind, key }: Claim): string => `${kind} ${key}`;

/**
 * Makes the claims of a shard those of its documents, after a crash between a claim and its commit, or between a commit and a release.
 * @param suspects claims without a document when this was called last; only they are released, because a commit may be in progress for others.
 * If not given, nothing is in progress, and all are released
 * @returns the claims without a document now
 */
export async function reconcile(
  { store, claims, log }: { readonly store: Database; readonly claims: Claims; readonly log: Logger },
  suspects?: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const wanted = new Map<string, Claim>();
  for await (const page of pagesOf(store, numbers))
    for (const number of page) for (const claim of claimsOfNumber(number)) wanted.set(keyOf(claim), claim);
  for await (const page of pagesOf(store, tokens)) for (const token of page) wanted.set(keyOf(claimOfToken(token)), claimOfToken(token));
  const existing = await claims.list();
  const known = new Set(existing.map(keyOf));
  const missing = [...wanted].flatMap(([key, claim]) => (known.has(key) ? [] : [claim]));
  if (missing.length > 0) await claims.claim(missing);
  // An account may have flows and no number.
  const unused = existing.filter((claim) => claim.kind !== 'account' && !wanted.has(keyOf(claim)));
  const stale = unused.filter((claim) => suspects?.has(keyOf(claim)) ?? true);
  if (stale.length > 0) await claims.release(stale);
  if (missing.length + stale.length > 0)
    log.info('the directory has the claims of this shard again', { added: missing.length, removed: stale.length });
  return new Set(unused.map(keyOf));
}
