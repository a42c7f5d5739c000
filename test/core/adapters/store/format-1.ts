import { crc32 } from 'node:zlib';

// A frozen writer of the first format of the data folder. It shares no code with the store, and never changes.

type Document = readonly [key: string, document: object];
type Change = readonly [collection: string, key: string, document?: object];

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
const sealed = (content: string): string => `["${checksum(content)}",${content}]`;

export const format1 = (): [string, string] => ['format.json', '{"format":1}\n'];

export function snapshot1(collection: string, through: number, documents: readonly Document[]): [string, string] {
  const rows = documents.map(
    ([key, document], at) => `    ${sealed(`${JSON.stringify(key)},${JSON.stringify(document)}`)}${at < documents.length - 1 ? ',' : ''}`,
  );
  const lines = ['{', `  "collection": "${collection}",`, `  "through": ${through},`, '  "documents": [', ...rows];
  const footer = ['  ],', `  "count": ${documents.length},`, `  "checksum": "${checksum(lines.join(''))}"`, '}', ''];
  return [`${collection}.json`, [...lines, ...footer].join('\n')];
}

export function segment1(firstTx: number, transactions: readonly (readonly Change[])[]): [string, string] {
  const lines = transactions.map((changes, at) => `${sealed(JSON.stringify({ tx: firstTx + at, changes }))}\n`);
  return [`journal-${String(firstTx).padStart(12, '0')}.jsonl`, lines.join('')];
}
