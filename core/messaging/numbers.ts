import { Conflict, NotFound } from '../errors.js';
import type { Claims } from '../ports/claims.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { UniqueViolation } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { accounts } from './account.js';
import type { ChannelDriver } from './channel-drivers.js';
import { claimAll, claimsOfNumber } from './claimed.js';
import { numberCreated } from './events.js';
import { type NumberRecord, numberSchema, numbers } from './number.js';

/** The input for a new number; `account` and `reactions` are optional, and so is `uuid`, a random one if not given. */
export type NewNumber = Pick<NumberRecord, 'kind' | 'type' | 'address' | 'name'> & {
  readonly uuid?: string | undefined;
  readonly account?: string | null | undefined;
  readonly reactions?: boolean | undefined;
};

/** The number service. */
export type Numbers = ReturnType<typeof createNumbers>;

interface NumberPorts {
  readonly store: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly claims?: Claims | undefined;
  readonly drivers: () => ReadonlyMap<string, ChannelDriver>;
}

export function createNumbers({ store, ids, clock, claims, drivers }: NumberPorts) {
  const records = store.open(numbers);
  let newest = 0;

  return {
    /** The number with this uuid; undefined if there is none. */
    get: (uuid: string): Promise<NumberRecord | undefined> => records.get(uuid),

    /** All numbers, oldest first. */
    list: (): Promise<NumberRecord[]> => records.find('created'),

    /** @throws NotFound */
    async require(uuid: string): Promise<NumberRecord> {
      const number = await records.get(uuid);
      if (!number) throw new NotFound('number', uuid);
      return number;
    },

    /**
     * Creates a number. The transaction fails with UniqueViolation (see `addressTaken`) if another number of this type already has the
     * address.
     * @param options `needsDriver`: whether a plugin must have a channel driver for the type. Default: true if any plugin has one, as the
     * platform then sends messages; pass false for a number that only has flows, webhooks and simulations
     * @throws TypeError when a field is missing or invalid, or no plugin has a channel driver for the type
     */
    create(
      tx: Transaction,
      { uuid = ids.uuid(), kind, type, address, name, account = null, reactions }: NewNumber,
      { needsDriver = drivers().size > 0 }: { readonly needsDriver?: boolean } = {},
    ): NumberRecord {
      // Numbers are listed by this time: two of the same millisecond would be in the order of their random uuids.
      newest = Math.max(clock.now().getTime(), newest + 1);
      const created_at = new Date(newest).toISOString();
      const number: NumberRecord = {
        uuid,
        kind,
        type,
        address,
        name,
        account,
        created_at,
        ...(reactions !== undefined && { reactions }),
      };
      const { error } = numberSchema.validate(number, { convert: false });
      if (error) throw new TypeError(`invalid number: ${error.message}`);
      if (needsDriver && !drivers().has(type)) throw new TypeError(noDriver(type, [...drivers().keys()]));
      tx.in(numbers).put(number);
      if (claims) tx.beforeCommit(() => claimAll(claims, claimsOfNumber(number)));
      tx.emit(numberCreated, { number });
      return number;
    },

    /** Null removes a limit. @throws NotFound, Conflict when the account is on hold and would be another one */
    async update(
      tx: Transaction,
      uuid: string,
      change: Partial<Pick<NumberRecord, 'type' | 'name' | 'account' | 'reactions'>> & {
        readonly kept_days?: number | null;
        readonly kept_bytes?: number | null;
      },
    ): Promise<NumberRecord> {
      const number = await tx.in(numbers).get(uuid);
      if (!number) throw new NotFound('number', uuid);
      if (change.account !== undefined && change.account !== number.account) await checkHold(tx, number.account);
      const { kept_days = number.kept_days, kept_bytes = number.kept_bytes, ...others } = change;
      const { kept_days: _, kept_bytes: _bytes, ...rest } = number;
      const kept = { ...(kept_days != null && { kept_days }), ...(kept_bytes != null && { kept_bytes }) };
      const changed: NumberRecord = { ...rest, ...others, ...kept };
      tx.in(numbers).put(changed);
      if (claims && changed.account !== number.account) tx.beforeCommit(() => claimAll(claims, claimsOfNumber(changed)));
      return changed;
    },
  };
}

/** A number that leaves an account on hold would lose what the hold keeps. @throws Conflict */
async function checkHold(tx: Transaction, account: string | null): Promise<void> {
  if (account === null || !(await tx.in(accounts).get(account))?.hold) return;
  throw new Conflict('account_on_hold', `The account ${account} is on hold, so its numbers cannot leave it. Release the hold first`);
}

const noDriver = (type: string, known: readonly string[]): string =>
  `no plugin has a channel driver for the type '${type}'; types with a driver: ${known.join(', ') || 'none'}`;

/** For `catch` on a transaction that creates a number: converts the unique violation to a 409 of the admin API. @throws Conflict */
export function addressTaken(error: unknown): never {
  if (error instanceof UniqueViolation) throw new Conflict('address_taken', 'A number of this type already has this address');
  throw error;
}
