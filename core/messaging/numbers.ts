import { Conflict, NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { UniqueViolation } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { numberCreated } from './events.js';
import { type NumberRecord, numberSchema, numbers } from './number.js';

/** What a new number is made from; without an account it has none. */
export type NewNumber = Pick<NumberRecord, 'kind' | 'type' | 'address' | 'name'> & { readonly account?: string | null | undefined };

/** The service of numbers. */
export type Numbers = ReturnType<typeof createNumbers>;

export function createNumbers({ store, ids, clock }: { store: Database; ids: Ids; clock: Clock }) {
  const records = store.open(numbers);

  return {
    get: (uuid: string): Promise<NumberRecord | undefined> => records.get(uuid),

    list: (): Promise<NumberRecord[]> => records.find('created'),

    /** @throws NotFound */
    async require(uuid: string): Promise<NumberRecord> {
      const number = await records.get(uuid);
      if (!number) throw new NotFound('number', uuid);
      return number;
    },

    /**
     * The transaction fails with UniqueViolation (see `addressTaken`) when a number of this type has the address already.
     * @throws TypeError when something of it is missing
     */
    create(tx: Transaction, { kind, type, address, name, account = null }: NewNumber): NumberRecord {
      const number: NumberRecord = { uuid: ids.uuid(), kind, type, address, name, account, created_at: clock.now().toISOString() };
      const { error } = numberSchema.validate(number, { convert: false });
      if (error) throw new TypeError(`a number cannot be made like this: ${error.message}`);
      tx.in(numbers).put(number);
      tx.emit(numberCreated, { number });
      return number;
    },

    /** Changes what may change. @throws NotFound */
    async update(
      tx: Transaction,
      uuid: string,
      change: Partial<Pick<NumberRecord, 'name' | 'account' | 'reactions'>>,
    ): Promise<NumberRecord> {
      const number = await tx.in(numbers).get(uuid);
      if (!number) throw new NotFound('number', uuid);
      const changed = { ...number, ...change };
      tx.in(numbers).put(changed);
      return changed;
    },
  };
}

/** For the `catch` of a transaction that makes a number: says in the admin API's words that the address is not free. @throws Conflict */
export function addressTaken(error: unknown): never {
  if (error instanceof UniqueViolation) throw new Conflict('address_taken', 'There is a number of this type with this address already');
  throw error;
}
