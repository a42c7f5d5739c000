import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { anyString, integer, nullable, object, string, type TypeOf } from '../shape.js';

/** A medium as it is kept, without its bytes. */
export const mediaSchema = object({
  id: string(),
  number: string(),
  mime_type: string(),
  sha256: string(),
  size: integer(),
  filename: nullable(anyString()),
  created_at: string(),
});

/** A picture, sound, video or document; its bytes are kept by content. */
export type MediaRecord = TypeOf<typeof mediaSchema>;

export const mediaRecords = collection<MediaRecord>({
  key: 'id',
  indexes: { number: ['number', 'created_at', 'id'], content: ['sha256', 'id'] },
});

/** What stands before the id of a medium of ours where a link could stand. */
export const MEDIA_SCHEME = 'media:';

/** Media whose time is over. */
export const mediaExpiries = queue<{ media: string; sha256: string }>('core.media-expiries');
