import { acceptsType, NETWORK_FILES } from '#core/basics';

/** The type of message for a file that the messaging network accepts; the media service in the core accepts any. */
export type MediaClass = keyof typeof NETWORK_FILES;

export const MAX_MEDIA_BYTES = Math.max(...Object.values(NETWORK_FILES).map(({ maxBytes }) => maxBytes));

/** Returns the type of message for a file of this MIME type; undefined if the network does not accept it. */
export const classOf = (mimeType: string): MediaClass | undefined =>
  (Object.keys(NETWORK_FILES) as MediaClass[]).find((name) => acceptsType(NETWORK_FILES[name], mimeType));

export const bytesOf = (name: MediaClass): number => NETWORK_FILES[name].maxBytes;
