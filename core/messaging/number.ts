import { NotFound } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { collection, type Store } from '../ports/store.js';
import type { Transaction } from '../ports/transaction.js';
import { fields, nullable, oneOf, type TypeOf, text } from '../shape.js';
import { numberCreated } from './events.js';

/** `network` and `sandbox` numbers belong to the messaging network; a `channel` is carried by a connector or by a plugin's driver. */
export const numberKinds = ['network', 'sandbox', 'channel'] as const;
export type NumberKind = (typeof numberKinds)[number];

export const numberSchema = fields({
  uuid: text(),
  kind: oneOf(...numberKinds),
  /** Names the driver that carries its messages, `channel_http_api` for connectors. */
  type: text(),
  address: text(),
  name: text(),
  /** The business account; flows belong to it. */
  account: nullable(text()),
  created_at: text(),
});

/** A number: what a token stands for, and what messages are sent from and to. */
export type NumberRecord = TypeOf<typeof numberSchema>;

export const numbers = collection<NumberRecord>({
  key: 'uuid',
  unique: { address: ['type', 'address'] },
  indexes: { created: ['created_at', 'uuid'] },
});

export type NewNumber = Pick<NumberRecord, 'kind' | 'type' | 'address' | 'name'> & { readonly account?: string | null | undefined };

/** The numbers of a platform. */
export type Numbers = ReturnType<typeof createNumbers>;

export function createNumbers({ store, ids, clock }: { store: Store; ids: Ids; clock: Clock }) {
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

    /** The transaction fails with UniqueViolation when a number of this type has the address already. */
    create(tx: Transaction, { kind, type, address, name, account = null }: NewNumber): NumberRecord {
      const number: NumberRecord = { uuid: ids.uuid(), kind, type, address, name, account, created_at: clock.now().toISOString() };
      tx.in(numbers).put(number);
      tx.emit(numberCreated, { number });
      return number;
    },

    /** Changes what may change. @throws NotFound */
    async update(tx: Transaction, uuid: string, change: Partial<Pick<NumberRecord, 'name' | 'account'>>): Promise<NumberRecord> {
      const number = await tx.in(numbers).get(uuid);
      if (!number) throw new NotFound('number', uuid);
      const changed = { ...number, ...change };
      tx.in(numbers).put(changed);
      return changed;
    },
  };
}
