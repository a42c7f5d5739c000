import { createRequire } from 'node:module';

// Loaded with the first file: its tables are a tenth of what importing the platform costs.
const require = createRequire(import.meta.url);
const mimeTypes = (): typeof import('mime-types') => require('mime-types');

/** What a file is sent as. */
export type FileKind = 'image' | 'audio' | 'video' | 'document' | 'sticker';

/** What a file of a kind is where its name does not say it. Of a document nothing can be known. */
const USUAL: Readonly<Record<FileKind, string>> = {
  image: 'image/jpeg',
  audio: 'audio/ogg',
  video: 'video/mp4',
  document: 'application/octet-stream',
  sticker: 'image/webp',
};

/**
 * The MIME type of a file by its link, or by the name that its sender gave it where the link does not say: it may be that of a
 * program that gives out the file.
 */
export function fileTypeOf(kind: FileKind, link: string, name = ''): string {
  const family = kind === 'document' ? '' : `${USUAL[kind].split('/')[0]}/`;
  const types = [fileNameOf(link) ?? '', name].flatMap((file) => (file.includes('.') && mimeTypes().lookup(file)) || []);
  const ofKind = types.filter((type) => type.startsWith(family));
  return ofKind.find((type) => !UNSURE.test(type)) ?? ofKind[0] ?? USUAL[kind];
}

/** Types that nobody has registered are often those of programs, and this one says nothing. */
const UNSURE = /^application\/(x-|octet-stream$)/;

/**
 * What no file name has to have: the signs of a path, and those that are not seen or turn the others around. Joiners stay: Persian
 * and Indic scripts and many emoji are written with them.
 */
const UNSEEN = /[/\\\p{Cc}\p{Zl}\p{Zp}\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** The name of a file in its link, as people read it; undefined where there is none. */
export function fileNameOf(link: string): string | undefined {
  const last = /^https?:/i.test(link) && URL.canParse(link) ? new URL(link).pathname.split('/').at(-1)! : '';
  return last === '' ? undefined : last.replace(/(?:%[0-9a-f]{2})+/gi, decoded);
}

/** What is no text stays as it is, and so does what would be more than a name: a path, or what is not seen. */
function decoded(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    return UNSEEN.test(text) ? encoded : text;
  } catch {
    return encoded;
  }
}
