import { createRequire } from 'node:module';

// Loaded with the first file: its tables take a tenth of the platform's import time.
const require = createRequire(import.meta.url);
const mimeTypes = (): typeof import('mime-types') => require('mime-types');

/** The message type of a file. */
export type FileKind = 'image' | 'audio' | 'video' | 'document' | 'sticker';

/** The type of message for a file of a MIME type. */
export const fileKindOf = (mimeType: string): 'image' | 'audio' | 'video' | 'document' =>
  (/^(image|audio|video)\//.exec(mimeType)?.[1] as 'image' | undefined) ?? 'document';

/** The default MIME type of each kind, for files whose name has no known extension. */
const DEFAULT_TYPES: Readonly<Record<FileKind, string>> = {
  image: 'image/jpeg',
  audio: 'audio/ogg',
  video: 'video/mp4',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

/**
 * Guesses the MIME type of a file from its link, then from the name that its sender gave. Prefers a specific type of the right kind, because
 * a link may have the extension of the program that serves the file, such as `.php`.
 */
export function fileTypeOf(kind: FileKind, link: string, name = ''): string {
  const family = kind === 'document' ? '' : `${DEFAULT_TYPES[kind].split('/')[0]}/`;
  const types = [fileNameOf(link) ?? '', name].flatMap((file) => (file.includes('.') && mimeTypes().lookup(file)) || []);
  const ofKind = types.filter((type) => type.startsWith(family));
  return ofKind.find((type) => !UNSPECIFIC.test(type)) ?? ofKind[0] ?? DEFAULT_TYPES[kind];
}

/** Unspecific types: unregistered ones are often those of programs, and `octet-stream` can be anything. */
const UNSPECIFIC = /^application\/(x-|octet-stream$)/;

/**
 * Characters that are unsafe in a file name: path separators, control characters, invisible and bidirectional formatting characters.
 * Joiners are allowed: Persian, Indic scripts and many emoji need them.
 */
const UNSAFE = /[/\\\p{Cc}\p{Zl}\p{Zp}\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** The decoded file name in a link; undefined when there is none. */
export function fileNameOf(link: string): string | undefined {
  const last = /^https?:/i.test(link) && URL.canParse(link) ? new URL(link).pathname.split('/').at(-1)! : '';
  return last === '' ? undefined : last.replace(/(?:%[0-9a-f]{2})+/gi, decoded);
}

/** Decodes a percent-encoded part of a name. Leaves it encoded when it is not UTF-8 or contains unsafe characters. */
function decoded(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    return UNSAFE.test(text) ? encoded : text;
  } catch {
    return encoded;
  }
}

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
/** The MIME type of a file by the bytes with which it begins; undefined for types that these do not tell. */
export function typeOfBytes(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return SIGNATURES.find(({ bytes: signature, at = 0 }) => head.startsWith(signature, at))?.type;
}
