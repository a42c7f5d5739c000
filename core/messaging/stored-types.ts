import { MEDIA_SCHEME, type MediaRecord } from './medium.js';

/**
 * Sets the `mime_type` of every file that refers to a stored media file of the number (`link: 'media:<id>'`) to the stored type. A sender
 * such as a journey may know only the kind of message, and the link has no file name from which to guess the type.
 */
export async function withStoredTypes<T extends object>(
  number: string,
  message: T,
  metadataOf: (id: string) => Promise<MediaRecord | undefined>,
): Promise<T> {
  const named = await Promise.all([...new Set(filesIn(message).map(idOf))].map(metadataOf));
  const types = new Map(named.flatMap((media) => (media?.number === number ? [[media.id, media.mime_type] as const] : [])));
  return types.size === 0 ? message : (typed(message, types) as T);
}

/** Whether a message refers to a stored media file. */
export function namesStoredMedia(message: object): boolean {
  if (isNamedFile(message)) return true;
  for (const value of Object.values(message)) if (typeof value === 'object' && value !== null && namesStoredMedia(value)) return true;
  return false;
}

interface NamedFile {
  readonly link: string;
  readonly mime_type: string;
}

function isNamedFile(value: object): value is NamedFile {
  const { link, mime_type } = value as Partial<NamedFile>;
  return typeof link === 'string' && link.startsWith(MEDIA_SCHEME) && typeof mime_type === 'string';
}

const idOf = ({ link }: NamedFile): string => link.slice(MEDIA_SCHEME.length);

function filesIn(value: unknown): readonly NamedFile[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...(isNamedFile(value) ? [value] : []), ...Object.values(value).flatMap(filesIn)];
}

function typed(value: unknown, types: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => typed(item, types));
  const type = isNamedFile(value) ? types.get(idOf(value)) : undefined;
  const inside = Object.entries(value).map(([key, inner]) => [key, key === 'mime_type' && type ? type : typed(inner, types)] as const);
  return Object.fromEntries(inside);
}
