import { MEDIA_SCHEME, mediaRecords } from '../messaging/medium.js';
import type { Transaction } from '../ports/transaction.js';
import type { MediaLink } from './delivery.js';

/**
 * Finds every `link: 'media:<id>'` in a body, which attempts replace by a signed link. Ignores media files of other numbers: naming one in
 * a body must not give access to it.
 */
export async function ownMediaLinks(tx: Transaction, number: string, body: object): Promise<MediaLink[]> {
  const own: MediaLink[] = [];
  for (const link of mediaLinksIn(body)) {
    if ((await tx.in(mediaRecords).get(link.media))?.number === number) own.push(link);
  }
  return own;
}

function mediaLinksIn(value: unknown, path: readonly (string | number)[] = []): MediaLink[] {
  if (typeof value === 'string') {
    return path.at(-1) === 'link' && value.startsWith(MEDIA_SCHEME) ? [{ path, media: value.slice(MEDIA_SCHEME.length) }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => mediaLinksIn(inner, [...path, key]));
}
