import type { Row } from './cells.js';

/** Shared documents at most, twice: memory holds a document several times as large as its JSON. */
const MAX_SHARED = 1_000;

/** Documents that were read lately, by row. Those of `older` that nothing reads again are dropped. */
let recent = new WeakMap<Row, object>();
let older = new WeakMap<Row, object>();
let count = 0;

export const parse = (row: Row): object => JSON.parse(row.json) as object;

/** The document of a row, frozen and shared by its readers. */
export function sharedDocument(row: Row): object {
  const known = recent.get(row);
  if (known) return known;
  const document = older.get(row) ?? deepFrozen(parse(row));
  share(row, document);
  return document;
}

/** Lets readers share a written document that its writer has frozen, which saves parsing it. */
export function shareIfFrozen(row: Row, document: object): void {
  if (isDeepFrozen(document)) share(row, document);
}

function share(row: Row, document: object): void {
  if (++count > MAX_SHARED) {
    older = recent;
    recent = new WeakMap();
    count = 1;
  }
  recent.set(row, document);
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
