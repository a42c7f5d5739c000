import { SealedLines } from '../../../../core/adapters/store/files/sealed.js';
import { Journal } from '../../../../core/adapters/store/journal.js';
import { JsonStore } from '../../../../core/adapters/store/json-store.js';
import { IndexPlaces } from '../../../../core/adapters/store/tables/index-places.js';
import { Sorted } from '../../../../core/adapters/store/tables/sorted.js';
import { SortedGroups } from '../../../../core/adapters/store/tables/sorted-groups.js';
import { Table } from '../../../../core/adapters/store/tables/table.js';
import { TransactionRun } from '../../../../core/adapters/store/tables/transaction-run.js';
import { UniqueValues } from '../../../../core/adapters/store/tables/unique-values.js';
import { Unsettled, UnsettledTransactions } from '../../../../core/adapters/store/tables/unsettled.js';

// Makes one call of the store's own classes, or of a builtin they use, throw, as any call can when memory is short.

/** The classes that a commit calls, under their names. */
const own: readonly (readonly [name: string, target: object])[] = Object.entries({
  Table: Table.prototype,
  IndexPlaces: IndexPlaces.prototype,
  Sorted: Sorted.prototype,
  SortedGroups: SortedGroups.prototype,
  UniqueValues: UniqueValues.prototype,
  TransactionRun: TransactionRun.prototype,
  Unsettled: Unsettled.prototype,
  UnsettledTransactions: UnsettledTransactions.prototype,
  SealedLines: SealedLines.prototype,
  Journal: Journal.prototype,
  JsonStore: JsonStore.prototype,
});
const builtin: readonly (readonly [name: string, target: object, methods: readonly string[]])[] = [
  ['Map', Map.prototype, ['set', 'delete']],
  ['Set', Set.prototype, ['add']],
  ['Array', Array.prototype, ['push', 'pop', 'splice', 'toSpliced', 'slice']],
  ['Buffer', Buffer, ['allocUnsafeSlow', 'byteLength']],
  ['Buffer', Buffer.prototype, ['write', 'subarray', 'copy']],
  ['JSON', JSON, ['stringify']],
];

/**
 * Excluded: `end` runs after the commit and only sets two fields. If it threw, the caller would get an error for a transaction
 * that becomes durable.
 */
const HARMLESS = ['TransactionRun.end'];
/** The last call inside this one applies the commit: a throw after that would not be realistic. */
const LAST = 'Journal.append';

/** Whether the throw comes before the call has done anything, or after it has done everything. */
export type When = 'before' | 'after';

export class ThrownCalls {
  /** The call that threw. */
  thrown: string | undefined;
  readonly #restore: (() => void)[] = [];
  #isArmed = false;
  #left = 0;
  #when: When = 'before';

  constructor() {
    for (const [name, target] of own) {
      for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
        if (key !== 'constructor' && !HARMLESS.includes(`${name}.${key}`)) this.#patch(target, key, property, `${name}.${key}`, false);
      }
    }
    for (const [name, target, methods] of builtin) {
      for (const key of methods) this.#patch(target, key, Object.getOwnPropertyDescriptor(target, key)!, `${name}.${key}`, true);
    }
  }

  /** Makes the call after `skipped` others throw. */
  arm(skipped: number, when: When): void {
    this.thrown = undefined;
    this.#left = skipped;
    this.#when = when;
    this.#isArmed = true;
  }

  disarm(): void {
    this.#isArmed = false;
  }

  restore(): void {
    for (const restore of this.#restore) restore();
  }

  #patch(target: object, key: string, property: PropertyDescriptor, name: string, isShared: boolean): void {
    const part = typeof property.value === 'function' ? 'value' : property.get ? 'get' : undefined;
    if (!part) return;
    const original = property[part] as (...given: unknown[]) => unknown;
    const self = this;
    const patched = function (this: unknown, ...given: unknown[]): unknown {
      if (!self.#isArmed || (isShared && !isCalledByStore())) return original.apply(this, given);
      const isNext = self.#left-- === 0;
      if (isNext && self.#when === 'before') self.#throw(name);
      const result = original.apply(this, given);
      if (isNext && name === LAST) self.#left = 0;
      else if (isNext) self.#throw(name);
      return result;
    };
    Object.defineProperty(target, key, { ...property, [part]: patched });
    this.#restore.push(() => Object.defineProperty(target, key, property));
  }

  #throw(name: string): never {
    this.#isArmed = false;
    this.thrown = name;
    throw new RangeError(`out of memory in ${name}`);
  }
}

function isCalledByStore(): boolean {
  const caller = new Error().stack!.split('\n')[3] ?? '';
  return caller.includes('/core/adapters/store/') && !caller.includes('simulated');
}
