import { badRequest } from './api-error.js';
import { type Files, photoSize } from './files.js';
import type { PhotoSize, TelegramMedia } from './types.js';

export type MediaKind = keyof TelegramMedia;

const MEGABYTE = 1024 * 1024;

interface KindRules {
  /** The folder in the paths of its files. */
  readonly folder: string;
  readonly extension: string;
  readonly mimeType: string;
  readonly maxBytes: number;
  /** For files that the network fetches. */
  readonly maxFetchedBytes: number;
  /** How errors name it. */
  readonly name: string;
}

const rules = (name: string, folder: string, extension: string, mimeType: string): KindRules => ({
  ...{ name, folder, extension, mimeType, maxBytes: 50 * MEGABYTE, maxFetchedBytes: 20 * MEGABYTE },
});

export const mediaKinds: Readonly<Record<MediaKind, KindRules>> = {
  photo: { ...rules('Photo', 'photos', '.jpg', 'image/jpeg'), maxBytes: 10 * MEGABYTE, maxFetchedBytes: 5 * MEGABYTE },
  video: rules('Video', 'videos', '.mp4', 'video/mp4'),
  animation: rules('Animation', 'animations', '.mp4', 'video/mp4'),
  audio: rules('Audio', 'music', '.mp3', 'audio/mpeg'),
  voice: rules('VoiceNote', 'voice', '.oga', 'audio/ogg'),
  video_note: rules('VideoNote', 'video_notes', '.mp4', 'video/mp4'),
  document: rules('Document', 'documents', '', 'application/octet-stream'),
  sticker: rules('Sticker', 'stickers', '.webp', 'image/webp'),
};

export const isMediaKind = (name: string): name is MediaKind => Object.hasOwn(mediaKinds, name);

/** The fields of a file that are in its object, by kind. */
const FIELDS: Readonly<Record<MediaKind, readonly (keyof GivenFile)[]>> = {
  photo: [],
  video: ['duration', 'width', 'height', 'mime_type', 'file_name'],
  animation: ['duration', 'width', 'height', 'mime_type', 'file_name'],
  audio: ['duration', 'title', 'performer', 'mime_type', 'file_name'],
  voice: ['duration', 'mime_type'],
  video_note: ['duration'],
  document: ['mime_type', 'file_name'],
  sticker: ['emoji', 'set_name'],
};

/** A file with fields of its object in a message. A `file_size` above the bytes plays a larger file. */
export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly mime_type?: string;
  readonly file_name?: string;
  readonly file_size?: number;
  readonly duration?: number;
  readonly width?: number;
  readonly height?: number;
  readonly title?: string;
  readonly performer?: string;
  readonly emoji?: string;
  readonly set_name?: string;
  readonly is_animated?: boolean;
  readonly is_video?: boolean;
}

/** Makes the objects of files in messages, and finds them again by their id. */
export class Media {
  readonly #files: Files;
  readonly #known = new Map<string, { readonly kind: MediaKind; readonly media: TelegramMedia }>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Keeps a file as a part of a message. @throws ApiError for a photo that is none */
  add(kind: MediaKind, given: GivenFile): TelegramMedia {
    const media = this.#made(kind, given);
    this.#known.set(idOf(kind, media), { kind, media });
    return media;
  }

  /** The part of a message with a file that was sent before. @throws ApiError */
  byId(kind: MediaKind, id: string): TelegramMedia {
    const known = this.#known.get(id);
    if (!known || !this.#files.bytes(id)) throw badRequest('wrong file identifier/HTTP URL specified');
    if (known.kind !== kind) throw badRequest(`can't use file of type ${mediaKinds[known.kind].name} as ${mediaKinds[kind].name}`);
    return known.media;
  }

  /** The bytes of the file of a message. */
  bytesOf(media: TelegramMedia): Uint8Array | undefined {
    const kind = (Object.keys(mediaKinds) as MediaKind[]).find((one) => media[one] !== undefined);
    return kind && this.#files.bytes(idOf(kind, media));
  }

  #made(kind: MediaKind, given: GivenFile): TelegramMedia {
    const { bytes, file_size: size, is_animated: isAnimated = false, is_video: isVideo = false } = given;
    const { folder, mimeType, ...rules } = mediaKinds[kind];
    const usual = isAnimated ? '.tgs' : isVideo ? '.webm' : rules.extension;
    const extension = /\.\w+$/.exec(given.file_name ?? '')?.[0] ?? usual;
    const file = this.#files.add(bytes, { kind: folder, extension, ...(size !== undefined && { size }) });
    if (kind === 'photo') return { photo: [this.#reduced(bytes), { ...file, ...photoSize(bytes) }] };
    const fields = Object.fromEntries(FIELDS[kind].flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
    if (kind === 'sticker') {
      const about = { type: 'regular', width: 512, height: 512, is_animated: isAnimated, is_video: isVideo } as const;
      return { sticker: { ...file, ...about, thumbnail: this.#reduced(bytes), ...fields } };
    }
    if (kind === 'video_note') return { video_note: { length: 240, duration: 1, ...fields, ...file } };
    const named = { mime_type: mimeType, ...fields, ...file };
    if (kind === 'document') return { document: named };
    if (kind === 'voice') return { voice: { duration: 1, ...named } };
    if (kind === 'audio') return { audio: { duration: 1, ...named } };
    const moving = { duration: 1, width: 320, height: 240, ...named };
    if (kind === 'video') return { video: moving };
    // An animation is also there as a document, for clients that do not know animations.
    const { duration: _, width: __, height: ___, ...document } = moving;
    return { animation: moving, document };
  }

  /** The small picture beside a photo or a sticker: a file of its own. */
  #reduced(bytes: Uint8Array): PhotoSize {
    const file = this.#files.add(bytes.subarray(0, Math.ceil(bytes.length / 2)), { kind: 'thumbnails', extension: '.jpg' });
    return { ...file, width: 90, height: 90 };
  }
}

const idOf = (kind: MediaKind, media: TelegramMedia): string => {
  const object = media[kind]!;
  return Array.isArray(object) ? object.at(-1)!.file_id : object.file_id;
};
