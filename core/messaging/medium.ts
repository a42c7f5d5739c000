import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { anyString, integer, named, nullable, object, string, type TypeOf } from '../shape.js';

/** The schema of a media file as the APIs show it. */
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

/** The metadata of a media file: an image, audio, video or document. The bytes are stored under their hash. */
export type MediaRecord = TypeOf<typeof mediaSchema>;

export const mediaRecords = collection<MediaRecord>({
  key: 'id',
  tenant: { number: 'number' },
  indexes: { number: ['number', 'created_at', 'id'], content: ['sha256', 'id'] },
  cold: { after: 0 },
});

/** Prefix of a reference to a stored media file, used instead of a link: `media:<id>`. */
export const MEDIA_SCHEME = 'media:';

/** Jobs that delete media files when they expire. */
export const mediaExpiries = queue<{ media: string; sha256: string }>('core.media-expiries', ({ media }) => ({
  kind: 'media',
  id: media,
  title: `deletion of media file ${media}`,
}));
