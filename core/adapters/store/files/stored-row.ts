import { decodedText, type TextIn } from '../commit.js';
import { mergePatch } from './merge-patch.js';
import { CONTENT_AT, sealed, unseal } from './sealed.js';

export interface StoredDocument {
  readonly key: string;
  readonly json: string;
}

/**
 * A document as in the file: its JSON, or a list of its JSON and of merge patches to apply in this order. Code that only moves it
 * creates no string from it.
 */
export interface StoredRow {
  readonly key: string;
  readonly record: Buffer;
}

const INDENT_BYTES = 4;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;

/** A row for a snapshot. */
export const rowOf = (key: string, json: Uint8Array): StoredRow => ({ key, record: sealed(`${JSON.stringify(key)},`, json) });

/** The text of a row after its key. */
export const textIn = ({ record }: StoredRow): TextIn => ({
  bytes: record,
  start: endOfKey(record, CONTENT_AT) + 1,
  end: record.length - 1,
});

/** Whether the text of a row is a list of a document and its patches. */
export const hasPatches = ({ bytes, start }: TextIn): boolean => bytes[start] === OPEN_LIST;

/** The JSON of a row's document. */
export const jsonOf = (row: StoredRow): string => jsonIn(textIn(row));

const jsonIn = (text: TextIn): string => (hasPatches(text) ? JSON.stringify(documentIn(text)) : decodedText(text));

/** The document in the text of a row, parsed. */
export const documentIn = (text: TextIn): object => parseDocument(decodedText(text));

/** Parses a document, or a list of a document and its patches. */
export function parseDocument(json: string): object {
  const value = JSON.parse(json) as object | [object, ...object[]];
  return Array.isArray(value) ? value.reduce((document, patch) => mergePatch(document, patch) as object) : value;
}

/** The row of a line; undefined if any byte differs from what the store wrote. */
export function decodeRow(line: Buffer): StoredRow | undefined {
  const record = line.subarray(INDENT_BYTES, line.at(-1) === COMMA ? -1 : undefined);
  return unseal(record) && { key: keyIn(record, CONTENT_AT), record };
}

/** Parses the content of an unsealed row. */
export const decodeDocument = (content: Buffer): StoredDocument => ({
  key: keyIn(content, 0),
  json: jsonIn({ bytes: content, start: endOfKey(content, 0) + 1, end: content.length }),
});

/** The key that starts here. */
export const keyIn = (bytes: Buffer, start: number): string => JSON.parse(bytes.toString('utf8', start, endOfKey(bytes, start))) as string;

/** The index of the comma after the key that starts here. */
export function endOfKey(bytes: Buffer, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}
