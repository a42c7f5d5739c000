import { CONTENT_AT, sealed, unseal } from './sealed.js';

export interface StoredDocument {
  readonly key: string;
  readonly json: string;
}

/** A document as in the file. Code that only moves it creates no string from it. */
export interface StoredRow {
  readonly key: string;
  readonly record: Buffer;
}

const INDENT_BYTES = 4;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** A row for a snapshot. */
export const rowOf = (key: string, json: Uint8Array): StoredRow => ({ key, record: sealed(`${JSON.stringify(key)},`, json) });

/** The JSON of a row's document. */
export const jsonOf = ({ record }: StoredRow): string => record.toString('utf8', endOfKey(record, CONTENT_AT) + 1, record.length - 1);

/** The row of a line; undefined if any byte differs from what the store wrote. */
export function decodeRow(line: Buffer): StoredRow | undefined {
  const record = line.subarray(INDENT_BYTES, line.at(-1) === COMMA ? -1 : undefined);
  return unseal(record) && { key: keyIn(record, CONTENT_AT), record };
}

/** Parses the content of an unsealed row. */
export const decodeDocument = (content: Buffer): StoredDocument => ({
  key: keyIn(content, 0),
  json: content.toString('utf8', endOfKey(content, 0) + 1),
});

/** The key that starts here. */
export const keyIn = (bytes: Buffer, start: number): string => JSON.parse(bytes.toString('utf8', start, endOfKey(bytes, start))) as string;

/** The index of the comma after the key that starts here. */
export function endOfKey(bytes: Buffer, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}
