import { boundsOf, compareKeys, compareValueLists } from '../../../ports/index-order.js';
import { type CollectionOptions, DocumentDamaged, type IndexValue, type Range, UniqueViolation } from '../../../ports/store.js';
import type { ColdFiles } from '../cold/cold-files.js';
import type { ColdPart } from '../cold/cold-part.js';
import { ColdRow } from '../cold/cold-row.js';
import { ColdRows } from '../cold/cold-rows.js';
import type { ColdRange } from '../cold/cold-scan.js';
import type { ListedPart } from '../files/part-file.js';
import type { DeclaredIndexes, Placing } from '../files/part-index.js';
import { firstOf, type Row, type Span } from './cells.js';
import { ChangeLog } from './change-log.js';
import { Table } from './table.js';

/** An ordered range of a table whose older rows are on disk. `rows` are those in memory. */
export interface ColdSpan extends Span {
  readonly range: ColdRange;
  /** The values that order a row in the range, before its key. */
  valuesOf(row: Row): readonly IndexValue[];
}

/** The unique values of a written row, and the row on disk that has them, if there is one. */
export interface Holder {
  readonly index: string;
  readonly values: readonly IndexValue[];
  row: ColdRow | undefined;
}

type Found<T> = Promise<T> | T;

const MASKED_AT_ONCE = 64;

/**
 * The documents of a collection whose older rows stay on disk. A row is in memory from its change until a merge has moved it to a part; a row
 * of a part is current if nothing masks it. The methods of `Table` are about rows in memory, `read` and `rowsIn` about all.
 */
export class ColdTable extends Table {
  readonly cold: ColdRows;
  readonly log = new ChangeLog();
  /** The transaction that changed each document that is in memory, or was deleted, since the merges. */
  readonly latest = new Map<string, number>();
  /** Milliseconds that a document stays in memory after a merge has moved it. */
  readonly keptMs: number;
  readonly #lost = new Map<ListedPart, { readonly damaged: DocumentDamaged; readonly isWhole: boolean }>();
  readonly #declared: DeclaredIndexes;
  readonly #unique: readonly string[];
  /** By index, the positions of its fields among the values of a row. */
  readonly #positions: ReadonlyMap<string, readonly number[]>;

  constructor(name: string, options: CollectionOptions<never>, files: ColdFiles, keptMs: number) {
    super(name, options);
    this.keptMs = keptMs;
    this.#declared = declaredIn(options);
    this.#unique = Object.keys(options.unique ?? {});
    const placing = super.placing.fields;
    const positionsOf = (fields: readonly string[]) => fields.map((field) => placing.indexOf(field));
    this.#positions = new Map(Object.entries(this.#declared).map(([index, { fields }]) => [index, positionsOf(fields)]));
    this.cold = new ColdRows(files, (key, json) => this.valuesOf(key, json));
  }

  override get size(): number {
    return super.size + this.cold.size;
  }

  override get placing(): Placing & { readonly lookups: DeclaredIndexes } {
    return { ...super.placing, lookups: this.#declared };
  }

  /** The current row of a key. @throws DocumentDamaged */
  read(key: string): Found<Row | undefined> {
    const known = this.get(key);
    if (known || this.latest.has(key)) return known;
    const found = this.cold.find(key);
    if (this.#lost.size === 0) return found;
    return found instanceof Promise ? found.then((row) => row ?? this.#assertNotLost(key)) : (found ?? this.#assertNotLost(key));
  }

  /** The current row with these values in a unique index. @throws DocumentDamaged */
  readBy(index: string, values: readonly IndexValue[]): Found<Row | undefined> {
    return this.getBy(index, values) ?? this.coldBy(index, values);
  }

  /** Whether a row has these values in an index. */
  hasValues(index: string, values: readonly IndexValue[], row: Row | undefined): boolean {
    if (!row) return false;
    const positions = this.#positions.get(index)!;
    return positions.every((at, i) => row.values[at] === values[i]);
  }

  override mayHave(index: string, value: IndexValue): boolean {
    return super.mayHave(index, value) || this.cold.mayHave(index, value);
  }

  /** Some rows of this part, or all, cannot be read, and their keys are unknown. */
  lose(part: ListedPart, damaged: DocumentDamaged, isWhole: boolean): void {
    // A merge reads the list of parts again.
    this.keepLost(({ n, checksum }) => n !== part.n || checksum !== part.checksum);
    this.#lost.set(part, { damaged, isWhole });
  }

  /** The numbers of the parts of which it has no document. */
  get lostParts(): readonly number[] {
    return [...this.#lost].flatMap(([{ n }, { isWhole }]) => (isWhole ? [n] : []));
  }

  /** Removes the records of lost rows of other parts. */
  keepLost(isListed: (part: ListedPart) => boolean): void {
    for (const part of this.#lost.keys()) if (!isListed(part)) this.#lost.delete(part);
  }

  #assertNotLost(key: string): undefined {
    for (const [{ first, last }, { damaged }] of this.#lost) if (first <= key && key <= last) throw damaged;
  }

  /** The first rows of a span, as they are now. @throws DocumentDamaged */
  rowsIn(span: ColdSpan, limit: number): Found<Row[]> {
    const hot = firstOf(span.rows(), limit);
    return this.cold.merged(span.range, hot, limit, (row) => span.valuesOf(row)) ?? hot;
  }

  override replace(key: string, row: Row | undefined, before: Row | undefined = this.get(key)): void {
    if (before instanceof ColdRow) before.part.setMasked([before.row], true);
    if (row instanceof ColdRow && this.cold.parts.includes(row.part)) {
      // A change of it is undone.
      this.set(key, undefined);
      this.latest.delete(key);
      this.cold.uncover(row.part, [row.row]);
    } else {
      this.set(key, row);
      this.latest.set(key, this.changedBy);
    }
    this.log.add({ key, before, after: row });
  }

  /** Removes a document from memory that is current in a part. */
  forget(key: string): void {
    this.set(key, undefined);
    this.latest.delete(key);
  }

  /** Takes a document into memory that was current in a part until now. */
  remember(key: string, json: string, through: number): void {
    this.set(key, { key, json, values: this.valuesOf(key, json) });
    this.latest.set(key, through);
  }

  /** Removes everything that is on disk. The documents in memory must be removed too. */
  forgetParts(): void {
    this.cold.setParts([]);
    this.keepLost(() => false);
    this.latest.clear();
  }

  /**
   * After a load: masks the rows on disk of documents that the journal has changed.
   * @param keysOf all keys of a part, if they can be read
   */
  async maskChanged(keys: ReadonlySet<string>, keysOf: (part: ColdPart) => Promise<readonly string[] | undefined>): Promise<void> {
    const sorted = [...keys].sort(compareKeys);
    const unclear: string[] = [];
    const find = async (key: string): Promise<ColdRow | undefined> => {
      try {
        return await this.cold.find(key);
      } catch (error) {
        if (!(error instanceof DocumentDamaged)) throw error;
        unclear.push(key);
        return undefined;
      }
    };
    for (let from = 0; from < sorted.length; from += MASKED_AT_ONCE) {
      const found = await Promise.all(sorted.slice(from, from + MASKED_AT_ONCE).map(find));
      for (const row of found) row?.part.setMasked([row.row], true);
    }
    if (unclear.length === 0) return;
    for (const part of this.cold.parts) {
      const rows = (await keysOf(part))?.flatMap((key, row) => (unclear.includes(key) ? [row] : []));
      part.setMasked(rows ?? [], true);
    }
  }

  /** As `assertUnique`, also for the rows on disk that had unique values of written rows when the commit was prepared. @throws UniqueViolation */
  assertUniqueWith(written: ReadonlyMap<string, Row | undefined>, holders: readonly Holder[]): void {
    this.assertUnique(written);
    for (const { index, values, row } of holders)
      if (row && this.cold.has(row) && !written.has(row.key)) throw new UniqueViolation(this.name, index, values);
  }

  /** The row on disk with these values in a unique index. @throws DocumentDamaged */
  coldBy(index: string, values: readonly IndexValue[]): Found<ColdRow | undefined> {
    return this.cold.findBy(index, values, () => this.#rangeOf(index, { equals: values }));
  }

  /** The values of written rows in unique indexes, unless the row in memory of the same key has them already. */
  *uniqueValues(rows: Iterable<Row | undefined>): Generator<readonly [index: string, values: readonly IndexValue[]]> {
    if (this.#unique.length === 0) return;
    for (const row of rows) {
      if (!row) continue;
      const own = this.get(row.key);
      if (own?.values === row.values) continue;
      for (const index of this.#unique) {
        const values = this.#valuesIn(index, row);
        if (values.includes(undefined)) continue;
        if (!own || compareValueLists(this.#valuesIn(index, own) as IndexValue[], values as IndexValue[]) !== 0)
          yield [index, values as IndexValue[]];
      }
    }
  }

  override span(name: string, range: Range): ColdSpan {
    return {
      ...super.span(name, range),
      range: this.#rangeOf(name, range),
      valuesOf: (row) => this.#valuesIn(name, row) as IndexValue[],
    };
  }

  override keySpan(after = ''): ColdSpan {
    const range = { index: undefined, ...boundsOf({ after: [after] }, 1), backwards: false };
    return { ...super.keySpan(after), range, valuesOf: ({ key }) => [key] };
  }

  #rangeOf(index: string, range: Range): ColdRange {
    return { index, ...boundsOf(range, this.#positions.get(index)!.length + 1), backwards: range.order === 'descending' };
  }

  #valuesIn(index: string, { values }: Row): (IndexValue | undefined)[] {
    return this.#positions.get(index)!.map((at) => values[at]);
  }
}

/** The indexes of a collection, for the look-ups of its parts. */
export function declaredIn({ unique = {}, indexes = {} }: Pick<CollectionOptions<never>, 'unique' | 'indexes'>): DeclaredIndexes {
  const declared = (all: Readonly<Record<string, readonly string[]>>, isUnique: boolean) =>
    Object.entries(all).map(([name, fields]) => [name, { fields, isUnique }] as const);
  return Object.fromEntries([...declared(unique, true), ...declared(indexes, false)]);
}
