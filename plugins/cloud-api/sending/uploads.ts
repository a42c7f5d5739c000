import type { PluginContext } from '#core';
import type { Graph } from '../graph/client.js';
import type { Connections } from '../numbers/connections.js';
import { uploads } from '../records.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The network deletes an upload after 30 days. */
const LIFE_MS = 25 * DAY_MS;
const EXPIRED_PER_UPLOAD = 20;

/** Uploads media files of the platform to the network: each file once for a number, while the network keeps it. */
export type Uploads = ReturnType<typeof createUploads>;

export function createUploads(
  { store, media, clock }: Pick<PluginContext, 'store' | 'media' | 'clock'>,
  connections: Connections,
  graph: Graph,
) {
  return {
    /** The id that the network gave a media file. @throws NotFound, GraphError, GraphUnreachable */
    async idOf(number: string, id: string, filename?: string): Promise<string> {
      const about = await media.about(id);
      const key = `${number}/${about?.sha256}/${about?.mime_type}`;
      const known = await store.open(uploads).get(key);
      const now = clock.now();
      if (known && known.until > now.toISOString()) return known.network_media;
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
      });
      await store.transaction(async (tx) => {
        for (const { key } of await tx
          .in(uploads)
          .find('until', { equals: [number], before: [now.toISOString()], limit: EXPIRED_PER_UPLOAD })) {
          tx.in(uploads).delete(key);
        }
        tx.in(uploads).put({ key, number, network_media: uploaded.id, until: new Date(now.getTime() + LIFE_MS).toISOString() });
      });
      return uploaded.id;
    },
  };
}
