import { createHmac, timingSafeEqual } from 'node:crypto';
import { Forbidden, NotFound } from '../errors.js';
import type { Blobs } from '../ports/blobs.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import { collection } from '../ports/store.js';
import type { Database } from '../ports/transaction.js';
import { anyText, fields, nullable, type TypeOf, text, whole } from '../shape.js';

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

export const mediaRecords = collection<MediaRecord>({ key: 'id', indexes: { number: ['number', 'created_at', 'id'] } });

/** A signed media link is valid for two minutes (Limits, "Signed media URL validity"). */
export const MEDIA_LINK_MS = 2 * 60 * 1000;

const ID_DIGITS = 16;

export type Media = ReturnType<typeof createMedia>;

export function createMedia({
  store,
  blobs,
  ids,
  clock,
  key,
  publicUrl,
}: {
  store: Database;
  blobs: Blobs;
  ids: Ids;
  clock: Clock;
  /** Signs links. */
  key: () => string;
  publicUrl: () => string;
}) {
  const records = store.open(mediaRecords);

  return {
    /** Keeps the bytes, then the record. */
    async put(number: string, bytes: Uint8Array, about: { mimeType: string; filename?: string }): Promise<MediaRecord> {
      const { sha256, size } = await blobs.put(bytes);
      const media: MediaRecord = {
        id: ids.digits(ID_DIGITS),
        number,
        mime_type: about.mimeType,
        sha256,
        size,
        filename: about.filename ?? null,
        created_at: clock.now().toISOString(),
      };
      await store.transaction((tx) => tx.in(mediaRecords).put(media));
      return media;
    },

    /** @throws NotFound */
    async get(id: string): Promise<{ media: MediaRecord; bytes: Uint8Array }> {
      const media = await records.get(id);
      const bytes = media && (await blobs.get(media.sha256));
      if (!bytes) throw new NotFound('medium', id);
      return { media, bytes };
    },

    /** A link that needs no token and dies after two minutes. */
    link(id: string): string {
      const expires = clock.now().getTime() + MEDIA_LINK_MS;
      return `${publicUrl()}/v1/media/${encodeURIComponent(id)}/content?expires=${expires}&signature=${sign(id, expires)}`;
    },

    /** @throws Forbidden when the signature is not ours or the link has died */
    checkLink(id: string, expires: number, signature: string): void {
      const [given, right] = [Buffer.from(signature), Buffer.from(sign(id, expires))];
      if (given.length !== right.length || !timingSafeEqual(given, right)) throw new Forbidden('This media link was not signed here');
      if (expires <= clock.now().getTime()) throw new Forbidden('This media link has expired; links live for two minutes');
    },
  };

  function sign(id: string, expires: number): string {
    return createHmac('sha256', key()).update(`${id}.${expires}`).digest('base64url');
  }
}
