import { createHash, createHmac } from 'node:crypto';
import { Forbidden, NotFound, PlatformError } from '../errors.js';
import type { HeldNumbers } from '../memory/history.js';
import type { Blobs } from '../ports/blobs.js';
import type { Clock } from '../ports/clock.js';
import type { Ids } from '../ports/ids.js';
import type { Logger } from '../ports/logger.js';
import { type Consumer, consume } from '../ports/queue.js';
import type { Database, Transaction } from '../ports/transaction.js';
import { isSameSecret } from '../signature.js';
import type { ContactRecord } from './contact.js';
import { forgetLinks, lastLink, mediaLinks } from './media-link.js';
import { MEDIA_SCHEME, type MediaRecord, mediaExpiries, mediaRecords } from './medium.js';
import { forgetUploads } from './upload.js';

/** A signed media link is valid for two minutes (Limits, "Signed media URL validity"). */
const MEDIA_LINK_MS = 2 * 60 * 1000;

const ID_DIGITS = 16;
const TOKEN_BYTES = 16;

/** Default of the option `mediaKeptDays`. */
const DEFAULT_RETENTION_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The media service: stores media files, signs links to them, and deletes them when they expire. The plugin `messages` checks which types
 * and sizes the network accepts.
 */
export type Media = ReturnType<typeof createMedia>;

export function createMedia({
  store,
  blobs,
  ids,
  clock,
  log,
  key,
  publicUrl,
  holds,
  mediaKeptDays = DEFAULT_RETENTION_DAYS,
}: {
  store: Database;
  blobs: Blobs;
  ids: Ids;
  clock: Clock;
  log: Pick<Logger, 'error'>;
  key: () => string;
  publicUrl: () => string;
  holds?: Pick<HeldNumbers, 'isHeld'> | undefined;
  mediaKeptDays?: number | undefined;
}) {
  const records = store.open(mediaRecords);
  /**
   * The last operation by content hash. Operations on the same hash run in sequence, so that an expiry never deletes bytes that an upload
   * has just stored.
   */
  const busy = new Map<string, Promise<unknown>>();

  return {
    /** Stores a file of a number. Files with equal bytes are stored once. */
    async put(number: string, bytes: Uint8Array, metadata: { mimeType: string; filename?: string }): Promise<MediaRecord> {
      return exclusively(createHash('sha256').update(bytes).digest('hex'), async () => {
        const { sha256, size } = await blobs.put(bytes);
        const now = clock.now();
        const media: MediaRecord = {
          id: ids.digits(ID_DIGITS),
          number,
          mime_type: metadata.mimeType,
          sha256,
          size,
          filename: metadata.filename ?? null,
          created_at: now.toISOString(),
        };
        await store.transaction((tx) => {
          tx.in(mediaRecords).put(media);
          const notBefore = new Date(now.getTime() + mediaKeptDays * DAY_MS);
          tx.push(mediaExpiries, { media: media.id, sha256 }, { id: media.id, notBefore });
        });
        return media;
      });
    },

    /** A stored file as the part of a received message: its path, its id, also as `link`, type and hash. */
    partOf: ({ id, mime_type, sha256 }: MediaRecord) => ({
      file: `${new URL(publicUrl()).pathname.replace(/\/+$/, '')}/v1/media/${id}`,
      id,
      link: `${MEDIA_SCHEME}${id}`,
      mime_type,
      sha256,
    }),

    /** Metadata of a media file, without its bytes. */
    about: (id: string): Promise<MediaRecord | undefined> => records.get(id),

    /** Metadata and bytes of a media file. @throws NotFound */
    get,

    /** A link that needs no token and expires after two minutes, or has `expired` already. The caller checks ownership. */
    link,

    /** A link to a media file of this number; undefined if the file is unknown or belongs to another number. */
    async linkOf(number: string, id: string): Promise<string | undefined> {
      return (await records.get(id))?.number === number ? link(id) : undefined;
    },

    /**
     * A link to a file for one contact, who can open it until this time, without a token: for texts that people read later. Payloads have links of
     * two minutes. The file is kept at least as long as the link. A client with the link can open the file.
     * @throws NotFound if the number of the contact has no such file
     */
    async publish(
      tx: Transaction,
      id: string,
      { contact, until }: { readonly contact: Pick<ContactRecord, 'uuid' | 'number'>; readonly until: Date },
    ): Promise<string> {
      const { uuid, number } = contact;
      if ((await tx.in(mediaRecords).get(id))?.number !== number) throw new NotFound('media file', id, 'medium_not_found');
      const token = ids.secret(TOKEN_BYTES);
      tx.in(mediaLinks).put({ token, media: id, number, contact: uuid, until: until.toISOString(), opened: 0 });
      return `${publicUrl()}/media/${id}/${token}`;
    },

    /** Makes the published links to a file invalid, or only those of a contact. */
    revoke: (tx: Transaction, id: string, contact?: string): Promise<void> => forgetLinks(tx, id, contact),

    /** Opens a published link, and counts that. @throws NotFound, PlatformError 410 when it has expired */
    async opened(id: string, token: string): Promise<{ media: MediaRecord; bytes: Uint8Array }> {
      const link = await store.open(mediaLinks).get(token);
      if (link?.media !== id) throw new NotFound('link to this media file', id, 'media_link_not_found');
      if (Date.parse(link.until) <= clock.now().getTime())
        throw new PlatformError(410, 'media_link_expired', `The link to this file expired at ${link.until}`);
      const file = await get(id);
      await store.transaction(async (tx) => {
        const current = await tx.in(mediaLinks).get(token);
        if (current) tx.in(mediaLinks).put({ ...current, opened: current.opened + 1, opened_at: clock.now().toISOString() });
      });
      return file;
    },

    /**
     * Deletes expired media files, and their bytes unless another media file has the same content. Those with a published link are looked at again
     * when it ends, those of an account on hold after a day.
     */
    expiries: (): Consumer =>
      consume(mediaExpiries, async ({ payload: { media, sha256 } }) => {
        await exclusively(sha256, async () => {
          const isKept = await store.transaction(async (tx) => {
            const record = await tx.in(mediaRecords).get(media);
            const now = clock.now().getTime();
            const linked = record ? Date.parse((await lastLink(tx, media)) ?? '') : 0;
            const isHeld = record !== undefined && (await holds?.isHeld(tx, record.number));
            if (!(linked > now) && !isHeld) return void (await forget(tx, media));
            tx.push(mediaExpiries, { media, sha256 }, { id: media, notBefore: new Date(linked > now ? linked : now + DAY_MS) });
            return true;
          });
          if (isKept) return;
          if ((await records.find('content', { equals: [sha256], limit: 1 })).length === 0) await blobs.delete(sha256);
        });
      }),

    /** Deletes a media file immediately, and its bytes unless another media file has the same content. @returns false if there is none */
    async erase(id: string): Promise<boolean> {
      const media = await records.get(id);
      if (!media) return false;
      await exclusively(media.sha256, async () => {
        // First the bytes: if this is interrupted, the record says that they are to be deleted.
        const same = await records.find('content', { equals: [media.sha256], limit: 2 });
        if (same.length < 2) await blobs.delete(media.sha256);
        await store.transaction(async (tx) => {
          await forget(tx, id);
          tx.cancel(mediaExpiries, id);
        });
      });
      return true;
    },

    /** @throws Forbidden when the signature is wrong or the link has expired */
    checkLink(id: string, expires: number, signature: string): void {
      if (!isSameSecret(signature, sign(id, expires))) throw new Forbidden('The signature of this media link is not valid');
      if (expires <= clock.now().getTime()) throw new Forbidden('This media link has expired: links are valid for two minutes');
    },
  };

  async function get(id: string): Promise<{ media: MediaRecord; bytes: Uint8Array }> {
    const media = await records.get(id);
    const bytes = media && (await blobs.get(media.sha256));
    if (media && !bytes) log.error('the bytes of a media file are missing or damaged', { media: id, sha256: media.sha256 });
    if (!bytes) throw new NotFound('media file', id, 'medium_not_found');
    return { media, bytes };
  }

  /** Deletes the record of a file, and what is known of its uploads and links. */
  async function forget(tx: Transaction, id: string): Promise<void> {
    await forgetUploads(tx, id);
    await forgetLinks(tx, id);
    tx.in(mediaRecords).delete(id);
  }

  async function exclusively<T>(sha256: string, work: () => Promise<T>): Promise<T> {
    const previous = busy.get(sha256);
    const current = (previous ?? Promise.resolve()).catch(() => undefined).then(work);
    busy.set(sha256, current);
    try {
      return await current;
    } finally {
      if (busy.get(sha256) === current) busy.delete(sha256);
    }
  }

  function link(id: string, { expired = false } = {}): string {
    const expires = clock.now().getTime() + (expired ? -1 : MEDIA_LINK_MS);
    if (!expired) clock.noteExpiry?.(new Date(expires), { kind: 'media_link', id, title: `expiry of a link to media file ${id}` });
    return `${publicUrl()}/v1/media/${encodeURIComponent(id)}/content?expires=${expires}&signature=${sign(id, expires)}`;
  }

  function sign(id: string, expires: number): string {
    return createHmac('sha256', key()).update(`${id}.${expires}`).digest('base64url');
  }
}
