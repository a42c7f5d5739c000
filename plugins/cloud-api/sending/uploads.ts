import { object, type PluginContext, string, type Transaction } from '#core';
import type { Graph } from '../graph/client.js';
import type { Connections } from '../numbers/connections.js';
import { uploads } from '../records.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The network deletes an upload after 30 days. */
const LIFE_MS = 25 * DAY_MS;
const EXPIRED_PER_UPLOAD = 20;

const uploadedFile = object({ id: string() });

/** An upload of a media file. */
export interface Upload {
  /** The id that the network gave the file. */
  readonly id: string;
  readonly key: string;
  /** Whether it was made earlier, so that the network may have deleted it since. */
  readonly isReused: boolean;
}

/** Uploads media files of the platform to the network: each file once for a number, while the network keeps it. */
export type Uploads = ReturnType<typeof createUploads>;

export function createUploads(
  { store, media, clock }: Pick<PluginContext, 'store' | 'media' | 'clock'>,
  connections: Connections,
  graph: Graph,
) {
  return {
    /** Uploads a media file, or returns its earlier upload. @throws NotFound, GraphError, ServiceUnreachable */
    async of(number: string, id: string, filename?: string): Promise<Upload> {
      const about = await media.about(id);
      const key = `${number}/${about?.sha256}/${about?.mime_type}`;
      const known = await store.open(uploads).get(key);
      const now = clock.now();
      if (known && known.until > now.toISOString()) return { id: known.network_media, key, isReused: true };
      const { media: file, bytes } = await media.get(id);
      const connection = await connections.of(number);
      const uploaded = await graph.call<{ id: string }>({
        method: 'POST',
        path: `/${connection?.phone_number_id}/media`,
        token: await connections.secret(number, 'accessToken'),
        form: [
          ['messaging_product', 'whatsapp'],
          ['type', file.mime_type],
          ['file', { bytes, type: file.mime_type, filename: filename ?? file.filename ?? 'file' }],
        ],
        // An upload that is made twice costs nothing.
        isRepeatable: true,
        reads: uploadedFile,
      });
      await store.transaction(async (tx) => {
        for (const { key } of await tx
          .in(uploads)
          .find('until', { equals: [number], before: [now.toISOString()], limit: EXPIRED_PER_UPLOAD })) {
          tx.in(uploads).delete(key);
        }
        tx.in(uploads).put({ key, number, network_media: uploaded.id, until: new Date(now.getTime() + LIFE_MS).toISOString() });
      });
      return { id: uploaded.id, key, isReused: false };
    },

    /** The network no longer has these uploads: they are made again when they are needed. */
    forget(tx: Transaction, keys: readonly string[]): void {
      for (const key of keys) tx.in(uploads).delete(key);
    },
  };
}
