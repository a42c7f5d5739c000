import type { Row } from './cells.js';

/** Documents of a table that are shared at most, twice: memory holds a document several times as large as its JSON. */
const MAX_SHARED = 1_000;

export const parse = (row: Row): object => JSON.parse(row.json) as object;

/** The documents of a table that were read or written lately, frozen and shared by their readers. */
export class SharedDocuments {
  #recent = new WeakMap<Row, object>();
  /** Shared before those. A document that nothing reads again is dropped with this map. */
  #older = new WeakMap<Row, object>();
  #count = 0;

  /** The document of a row. */
  shared(row: Row): object {
    const known = this.#recent.get(row);
    if (known) return known;
    const document = this.#older.get(row) ?? deepFrozen(parse(row));
    this.#share(row, document);
    return document;
  }

  /** Lets readers share a written document that its writer has frozen, which saves parsing it. */
  shareIfFrozen(row: Row, document: object): void {
    if (isDeepFrozen(document)) this.#share(row, document);
  }

  #share(row: Row, document: object): void {
    if (++this.#count > MAX_SHARED) {
      this.#older = this.#recent;
      this.#recent = new WeakMap();
      this.#count = 1;
    }
    this.#recent.set(row, document);
  }
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFrozen(member);
  return Object.freeze(value);
}

/** Absent fields that are present as undefined do not count: a document that is read lacks them. */
function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value !== undefined;
  if (!Object.isFrozen(value)) return false;
  for (const name in value) if (!isDeepFrozen((value as Readonly<Record<string, unknown>>)[name])) return false;
  return true;
}
