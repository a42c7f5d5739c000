import { crc32 } from 'node:zlib';

// A record on disk is the JSON array `["<checksum>",<content>]`. The checksum is the CRC-32 of the content's bytes.

const CONTENT_AT = '["00000000",'.length;

export const hex = (crc: number): string => crc.toString(16).padStart(8, '0');

/** The record of a content as a line of bytes. */
export function sealedLine(content: string): Buffer {
  const end = CONTENT_AT + Buffer.byteLength(content);
  const line = Buffer.allocUnsafe(end + 2);
  line.write(content, CONTENT_AT);
  line.write(`["${hex(crc32(line.subarray(CONTENT_AT, end)))}",`, 'latin1');
  line.write(']\n', end, 'latin1');
  return line;
}

export const seal = (content: string): string => `["${hex(crc32(content))}",${content}]`;

/** The content of a record, or undefined when not every byte is as it was written. */
export function unseal(record: Buffer): Buffer | undefined {
  const content = record.subarray(CONTENT_AT, -1);
  if (record.length <= CONTENT_AT || record.at(-1) !== 0x5d) return undefined;
  return record.toString('latin1', 0, CONTENT_AT) === `["${hex(crc32(content))}",` ? content : undefined;
}
