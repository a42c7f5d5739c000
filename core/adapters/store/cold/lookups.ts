import { compareValueLists } from '../../../ports/index-order.js';
import type { IndexValue } from '../../../ports/store.js';
import { columnOf, type DeclaredIndexes, type StoredColumn } from '../files/part-index.js';
import { BETWEEN_BYTES, INDENT } from '../files/row-lines.js';
import { sealed } from '../files/sealed.js';
import { BloomFilter, probesFor, type StoredFilter } from './bloom-filter.js';

// The look-ups of a part, for collections whose parts stay on disk: in each index the rows in its order, in blocks, and a directory of them.

/** A block of an index on disk: positions of rows, and per field their values. */
export interface StoredBlock {
  readonly rows: readonly number[];
  readonly values: readonly StoredColumn[];
}

/** The part of an index that a process keeps in memory. */
export interface IndexDirectory {
  readonly fields: readonly string[];
  /** Per block, where its record starts in the file, and its bytes. */
  readonly at: readonly number[];
  readonly bytes: readonly number[];
  /** The values and the row of the first entry of each block, and of the last entry of all. */
  readonly first: readonly (readonly IndexValue[])[];
  readonly firstRows: readonly number[];
  readonly last: readonly IndexValue[];
  /** How many leading values of each entry are in the filter. */
  readonly prefix: number;
  readonly filter: StoredFilter;
}

/** The part of the look-ups that a process keeps in memory, instead of the rows. */
export interface PartDirectory {
  /** Where the record of each `GROUP_ROWS`-th row starts, and where the rows end. */
  readonly at: readonly number[];
  /** Per block of groups: its first row, and a key after those before it and not after its own. */
  readonly blocks: { readonly rows: readonly number[]; readonly keys: readonly string[] };
  readonly keys: StoredFilter;
  readonly indexes: Readonly<Record<string, IndexDirectory>>;
}

/** The look-ups as bytes of the file, and where the directory is. */
export interface WrittenLookups {
  readonly bytes: Buffer;
  readonly directory: number;
}

/** Rows that are read together for an entry of an index. */
export const GROUP_ROWS = 8;
/** Bytes of the rows that are read together for a key. */
const BLOCK_BYTES = 32 * 1024;
/** Entries of an index that are read together. */
export const BLOCK_ENTRIES = 256;
/** Bits of a filter per text: of a unique index more, because each new document asks all parts for its values. */
const KEY_BITS = 8;
const UNIQUE_BITS = 14;
const INDEX_BITS = 10;
/** Fewer values than this share of the entries tell too little: the filter then has longer prefixes. */
const SELECTIVE_SHARE = 1 / 16;

/** A list of values as a text for a filter. */
export const filterText = (values: readonly IndexValue[]): string => JSON.stringify(values);

/**
 * @param documents of the rows, parsed
 * @param at where the lines of the look-ups start in the file, and the records of the rows
 */
export function lookupsOf(
  documents: readonly Readonly<Record<string, unknown>>[],
  rows: { readonly keys: readonly string[]; readonly sizes: readonly number[] },
  at: { readonly rows: number; readonly lookups: number },
  declared: DeclaredIndexes,
): WrittenLookups {
  const lines: Buffer[] = [];
  let end = at.lookups;
  const write = (value: unknown): { readonly at: number; readonly bytes: number } => {
    const record = sealed('', Buffer.from(JSON.stringify(value)));
    const before = Buffer.from(lines.length === 0 ? INDENT : `,\n${INDENT}`);
    lines.push(before, record);
    const start = end + before.length;
    end = start + record.length;
    return { at: start, bytes: record.length };
  };
  const indexes = Object.fromEntries(
    Object.entries(declared).map(([name, { fields, isUnique }]) => {
      const entries = entriesOf(documents, fields);
      const blocks: Entry[][] = [];
      for (let from = 0; from < entries.length; from += BLOCK_ENTRIES) blocks.push(entries.slice(from, from + BLOCK_ENTRIES));
      const written = blocks.map((block) =>
        write({
          rows: block.map(({ row }) => row),
          values: fields.map((_, field) => columnOf(block.map(({ values }) => values[field]))),
        } satisfies StoredBlock),
      );
      const directory: IndexDirectory = {
        fields,
        at: written.map((one) => one.at),
        bytes: written.map((one) => one.bytes),
        first: blocks.map((block) => block[0]!.values),
        firstRows: blocks.map((block) => block[0]!.row),
        last: entries.at(-1)?.values ?? [],
        ...filterOf(entries, fields, isUnique),
      };
      return [name, directory];
    }),
  );
  const directory: PartDirectory = {
    ...blocksOf(rows, at.rows),
    keys: BloomFilter.of(new Set(rows.keys), KEY_BITS).stored,
    indexes,
  };
  return { directory: write(directory).at, bytes: Buffer.concat(lines) };
}

/** The declared indexes of a part, as its directory shows them: the filters of unique indexes have more bits. */
export const declaredOf = (indexes: PartDirectory['indexes']): DeclaredIndexes =>
  Object.fromEntries(
    Object.entries(indexes).map(([name, { fields, filter }]) => [name, { fields, isUnique: filter.probes === probesFor(UNIQUE_BITS) }]),
  );

/** A row in an index. */
export interface Entry {
  readonly values: readonly IndexValue[];
  readonly row: number;
}

/** The rows in the order of an index; rows are in the order of their keys. */
export function entriesOf(documents: readonly Readonly<Record<string, unknown>>[], fields: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (const [row, document] of documents.entries()) {
    const values = fields.map((field) => document[field]);
    if (!values.includes(undefined)) entries.push({ values: values as IndexValue[], row });
  }
  return entries.sort((a, b) => compareValueLists(a.values, b.values) || a.row - b.row);
}

/** Fields of times. They are read in ranges, for which a filter has no answer, and so are numbers. */
const TIME_FIELD = /_at$/;

/** A filter of the shortest prefixes that tell entries apart; of an index that begins with a time or a number an empty one, which no read asks. */
function filterOf(entries: readonly Entry[], fields: readonly string[], isUnique: boolean): Pick<IndexDirectory, 'prefix' | 'filter'> {
  const isRange = (field: number): boolean => TIME_FIELD.test(fields[field]!) || typeof entries[0]?.values[field] === 'number';
  // No range has as many equal values: those of all fields and a key.
  if (!isUnique && isRange(0)) return { prefix: fields.length + 2, filter: BloomFilter.of(new Set(), INDEX_BITS).stored };
  for (let prefix = isUnique ? fields.length : 1; ; prefix++) {
    const texts = new Set(entries.map(({ values }) => filterText(values.slice(0, prefix))));
    if (prefix < fields.length && !isRange(prefix) && texts.size < entries.length * SELECTIVE_SHARE) continue;
    return { prefix, filter: BloomFilter.of(texts, isUnique ? UNIQUE_BITS : INDEX_BITS).stored };
  }
}

function blocksOf(
  { keys, sizes }: { readonly keys: readonly string[]; readonly sizes: readonly number[] },
  start: number,
): Pick<PartDirectory, 'at' | 'blocks'> {
  const groups: number[] = [];
  const blocks = { rows: [] as number[], keys: [] as string[] };
  let at = start;
  let blockAt = Number.NEGATIVE_INFINITY;
  for (const [row, size] of sizes.entries()) {
    if (row % GROUP_ROWS === 0) {
      groups.push(at);
      if (at - blockAt >= BLOCK_BYTES) {
        blockAt = at;
        blocks.rows.push(row);
        blocks.keys.push(row === 0 ? '' : separator(keys[row - 1]!, keys[row]!));
      }
    }
    at += size + BETWEEN_BYTES + INDENT.length;
  }
  return { at: [...groups, at - BETWEEN_BYTES - INDENT.length], blocks };
}

/** The shortest beginning of a key that is after the key before it. */
function separator(before: string, key: string): string {
  let same = 0;
  while (before[same] === key[same] && same < before.length) same++;
  return key.slice(0, same + 1);
}
