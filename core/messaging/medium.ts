import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { anyText, fields, nullable, type TypeOf, text, whole } from '../shape.js';

/** A medium as it is kept, without its bytes. */
export const mediaSchema = fields({
  id: text(),
  number: text(),
  mime_type: text(),
  sha256: text(),
  size: whole(),
  filename: nullable(anyText()),
  created_at: text(),
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
