import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { fileTypeOf, typeOfBytes } from '#core/basics';

const ZIP = 'PK\x03\x04';
/** Extensions that tell the type of a ZIP archive, and of a text. */
const ARCHIVES = /^\.(docx|xlsx|pptx|odt|ods|zip)$/;
const TEXTS = /^\.(txt|csv)$/;

/**
 * The type of a file by its bytes: what the sender says counts only where bytes do not tell, such as a voice message of a browser (`audio/webm`), an
 * office document or a text. @returns undefined for types that are not accepted, such as HTML and SVG
 */
export function sniffedType(bytes: Uint8Array, name: string, stated: string): string | undefined {
  const found = typeOfBytes(bytes);
  if (found === 'video/webm' && stated.startsWith('audio/')) return 'audio/webm';
  if (found) return found;
  const extension = extname(name).toLowerCase();
  const isArchive = Buffer.from(bytes.subarray(0, ZIP.length)).toString('latin1') === ZIP;
  const isAccepted = isArchive ? ARCHIVES.test(extension) : TEXTS.test(extension) && isUtf8(bytes) && !bytes.includes(0);
  return isAccepted ? fileTypeOf('document', '', name) : undefined;
}
