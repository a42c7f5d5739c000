import { MEDIA_SCHEME } from '../messaging/media.js';
import type { MediaLink } from './delivery.js';

/** Wherever a body names a medium of ours as `link: 'media:<id>'`, its receiver gets a signed link in its place. */
export function mediaLinksIn(value: unknown, path: readonly (string | number)[] = []): MediaLink[] {
  if (typeof value === 'string') {
    return path.at(-1) === 'link' && value.startsWith(MEDIA_SCHEME) ? [{ path, media: value.slice(MEDIA_SCHEME.length) }] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => mediaLinksIn(inner, [...path, key]));
}
