import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { typeOfBytes } from '#core/basics';

const ZIP = 'PK\x03\x04';
const OFFICE: Readonly<Record<string, string>> = {
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.zip': 'application/zip',
};
const TEXTS: Readonly<Record<string, string>> = { '.txt': 'text/plain', '.csv': 'text/csv' };

/**
 * The type of a file by its bytes: what the sender says counts only where bytes do not tell, such as a voice message of a browser (`audio/webm`), an
 * office document or a text. @returns undefined for types that are not accepted, such as HTML and SVG
 */
export function sniffedType(bytes: Uint8Array, name: string, stated: string): string | undefined {
  const found = typeOfBytes(bytes);
  if (found === 'video/webm' && stated.startsWith('audio/')) return 'audio/webm';
  if (found) return found;
  const extension = extname(name).toLowerCase();
  if (Buffer.from(bytes.subarray(0, ZIP.length)).toString('latin1') === ZIP) return OFFICE[extension];
  return TEXTS[extension] && isUtf8(bytes) && !bytes.includes(0) ? TEXTS[extension] : undefined;
}
