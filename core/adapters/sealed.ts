import { crc32 } from 'node:zlib';

// A record on disk is the JSON array `["<checksum>",<content>]`. The checksum is the CRC-32 of the content's bytes.

const CONTENT_AT = '["00000000",'.length;

export const hex = (crc: number): string => crc.toString(16).padStart(8, '0');

export const seal = (content: string): string => `["${hex(crc32(content))}",${content}]`;

/** The content of a record, or undefined when not every byte is as it was written. */
export function unseal(record: Buffer): Buffer | undefined {
  const content = record.subarray(CONTENT_AT, -1);
  if (record.length <= CONTENT_AT || record.at(-1) !== 0x5d) return undefined;
  return record.toString('latin1', 0, CONTENT_AT) === `["${hex(crc32(content))}",` ? content : undefined;
}
