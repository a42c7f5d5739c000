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

/** The MIME type of a file by its link, or by the name beside it where the link says nothing. */
export function fileTypeOf(kind: FileKind, link: string, name = ''): string {
  const family = kind === 'document' ? '' : `${USUAL[kind].split('/')[0]}/`;
  const types = [fileNameOf(link) ?? '', name].map((file) => (file.includes('.') ? mime.getType(file) : null));
  return types.find((type) => type?.startsWith(family)) ?? USUAL[kind];
}

/** The name of a file in its link, as people read it; undefined where there is none. */
export function fileNameOf(link: string): string | undefined {
  const last = /^https?:/i.test(link) && URL.canParse(link) ? new URL(link).pathname.split('/').at(-1)! : '';
  return last === '' ? undefined : last.replace(/(?:%[0-9a-f]{2})+/gi, decoded);
}

/** What is no text stays as it is, and so does what would be more than a name: a path, or a sign that is not seen. */
function decoded(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    return /[/\\\p{Cc}]/u.test(text) ? encoded : text;
  } catch {
    return encoded;
  }
}
