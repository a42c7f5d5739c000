import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { anyString, integer, named, nullable, object, string, type TypeOf } from '../shape.js';

export const mediaSchema = named(
  'Media',
  object({
    id: string(),
    number: string(),
    mime_type: string(),
    sha256: string(),
    size: integer(),
    filename: nullable(anyString()),
    created_at: string(),
  }),
);

/** An image, audio, video or document. Its bytes are stored under their hash. */
export type MediaRecord = TypeOf<typeof mediaSchema>;

export const mediaRecords = collection<MediaRecord>({
  key: 'id',
  indexes: { number: ['number', 'created_at', 'id'], content: ['sha256', 'id'] },
});

/** Prefix of a reference to a stored medium in place of a link: `media:<id>`. */
export const MEDIA_SCHEME = 'media:';

/** Deletes media when they expire. */
export const mediaExpiries = queue<{ media: string; sha256: string }>('core.media-expiries');
