import mime from 'mime';

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

/** The MIME type of a file by the name that its sender gave it, or else by its link, which may be that of a program. */
export function fileTypeOf(kind: FileKind, link: string, name = ''): string {
  const family = kind === 'document' ? '' : `${USUAL[kind].split('/')[0]}/`;
  const types = [name, fileNameOf(link) ?? ''].map((file) => (file.includes('.') ? mime.getType(file) : null));
  return types.find((type) => type?.startsWith(family)) ?? USUAL[kind];
}

/** What no file name has to have: the signs of a path, and those that are not seen or turn the others around. Emoji have variants. */
const UNSEEN = /(?!\p{Variation_Selector})[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

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
