const KB = 1024;
const MB = 1024 * KB;

/** Types of files that the messaging network accepts, and their maximum sizes; the media service in the core accepts any. */
const classes = {
  image: { types: /^image\/(jpeg|png)$/, bytes: 5 * MB },
  sticker: { types: /^image\/webp$/, bytes: 500 * KB },
  audio: { types: /^audio\/(aac|mp4|mpeg|amr|ogg|opus)$/, bytes: 16 * MB },
  video: { types: /^video\/(mp4|3gpp)$/, bytes: 16 * MB },
  document: { types: /^(application\/[\w.+-]+|text\/(plain|csv))$/, bytes: 100 * MB },
} as const;

export type MediaClass = keyof typeof classes;

export const MAX_MEDIA_BYTES = Math.max(...Object.values(classes).map(({ bytes }) => bytes));

/** Returns the type of message for a file of this MIME type; undefined if the network does not accept it. */
export const classOf = (mimeType: string): MediaClass | undefined =>
  (Object.keys(classes) as MediaClass[]).find((name) => classes[name].types.test(mimeType));

export const bytesOf = (name: MediaClass): number => classes[name].bytes;
