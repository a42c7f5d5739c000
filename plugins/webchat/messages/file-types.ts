import { extname } from 'node:path';

/** The type of message for a file of this type. */
export const kindOf = (type: string): string => {
  const [family] = type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
};

/** Types by the bytes with which files begin; `at` is their offset. */
const SIGNATURES: readonly { readonly type: string; readonly bytes: string; readonly at?: number }[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF8' },
  { type: 'image/webp', bytes: 'WEBP', at: 8 },
  { type: 'audio/wav', bytes: 'WAVE', at: 8 },
  { type: 'audio/ogg', bytes: 'OggS' },
  { type: 'audio/mpeg', bytes: 'ID3' },
  { type: 'audio/mpeg', bytes: '\xff\xfb' },
  { type: 'audio/aac', bytes: '\xff\xf1' },
  { type: 'audio/mp4', bytes: 'ftypM4A', at: 4 },
  { type: 'video/quicktime', bytes: 'ftypqt', at: 4 },
  { type: 'video/mp4', bytes: 'ftyp', at: 4 },
  { type: 'video/webm', bytes: '\x1a\x45\xdf\xa3' },
  { type: 'application/pdf', bytes: '%PDF-' },
];
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
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const found = SIGNATURES.find(({ bytes: signature, at = 0 }) => head.startsWith(signature, at))?.type;
  if (found === 'video/webm' && stated.startsWith('audio/')) return 'audio/webm';
  if (found) return found;
  const extension = extname(name).toLowerCase();
  if (head.startsWith(ZIP)) return OFFICE[extension];
  return TEXTS[extension] && isText(bytes) ? TEXTS[extension] : undefined;
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    // Not UTF-8.
    return false;
  }
}
