import type { Clock } from '../ports/clock.js';
import type { HttpClient } from '../ports/http-client.js';
import type { Database } from '../ports/transaction.js';
import type { Inlined } from './inlined.js';
import type { Media } from './media.js';
import type { TurnFile } from './turn-parts.js';
import { uploads } from './upload.js';

/** The bytes of a file to upload. */
export type FileBytes = Inlined<{
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly filename: string;
}>;

/** Files of messages, for channels that upload them to their service. */
export type Uploads = ReturnType<typeof createUploads>;

interface UploadPorts {
  readonly store: Database;
  readonly media: Pick<Media, 'get'>;
  readonly http: Pick<HttpClient, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
}

export function createUploads({ store, media, http, clock }: UploadPorts) {
  const keyOf = (number: string, kind: string, file: string): string => `${number}/${kind}/${file}`;

  return {
    /**
     * Reads a file of a message: one of the platform, or a foreign one by its link, under the address rules of the platform.
     * @returns undefined if a foreign file cannot be fetched, or has more than `maxBytes` @throws NotFound for a deleted file of the platform
     */
    async read({ id, link, filename }: Pick<TurnFile, 'id' | 'link' | 'filename'>, limits: { maxBytes: number; deadlineMs: number }) {
      if (id !== undefined) {
        const { media: file, bytes } = await media.get(id);
        return { bytes, type: file.mime_type, filename: filename ?? file.filename ?? 'file' } satisfies FileBytes;
      }
      const outcome = await http.send({ method: 'GET', url: link, deadlineMs: limits.deadlineMs, maxResponseBytes: limits.maxBytes });
      if (outcome.kind !== 'response' || outcome.status !== 200 || outcome.cut) return undefined;
      const type = outcome.headers['content-type']?.split(';')[0]?.trim() || 'application/octet-stream';
      return { bytes: outcome.body, type, filename: filename ?? (new URL(link).pathname.split('/').at(-1) || 'file') } satisfies FileBytes;
    },

    /** The id that the service gave a file of the platform earlier. */
    known: async (number: string, kind: string, file: string | undefined): Promise<string | undefined> =>
      file === undefined ? undefined : (await store.open(uploads).get(keyOf(number, kind, file)))?.id,

    /** Keeps the id that the service gave a file of the platform. Changes nothing without a file or an id. */
    async remember(number: string, kind: string, file: string | undefined, id: string | undefined): Promise<void> {
      if (file === undefined || id === undefined || (await this.known(number, kind, file)) === id) return;
      await store.transaction((tx) =>
        tx.in(uploads).put({ key: keyOf(number, kind, file), number, file, id, at: clock.now().toISOString() }),
      );
    },

    /** The service does not have a file any more. @returns whether an id was kept, so that another upload can help */
    forget: (number: string, kind: string, file: string | undefined): Promise<boolean> =>
      store.transaction(async (tx) => {
        const known = file === undefined ? undefined : await tx.in(uploads).get(keyOf(number, kind, file));
        if (known) tx.in(uploads).delete(known.key);
        return known !== undefined;
      }),
  };
}
