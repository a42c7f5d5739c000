import { createHash } from 'node:crypto';
import { anyOf, type JsonObject, number, object, type PluginContext, string } from '#core';
import { type FileKind, NETWORK_FILES } from '#core/basics';
import { type NotificationError, ServiceUnreachable } from '#core/messaging';
import type { Graph } from '../graph/client.js';
import { GraphError, graphUnreachable, notificationErrorOf } from '../graph/errors.js';
import { ruleOf } from '../graph/remedies.js';
import type { Connections } from '../numbers/connections.js';

/** The fields of a look-up that are read. */
const lookedUp = object(
  { url: string().uri({ scheme: ['http', 'https'] }) },
  { mime_type: string(), file_size: anyOf(number(), string()) },
);

/** The MIME types that a file may have, by kind of message: wider than those that the network accepts, because phones send others. */
const RECEIVED_TYPES: Readonly<Record<FileKind, RegExp>> = {
  image: /^image\//,
  audio: /^audio\//,
  video: /^video\//,
  document: /./,
  sticker: /^image\//,
};
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const NO_TYPE = 'application/octet-stream';

/** A received file in our store, or why there is none. */
export type ReceivedFile = { readonly part: JsonObject } | { readonly part: JsonObject; readonly error: NotificationError };

/**
 * Fetches the file of a received message into the platform's store: the network's address is valid for five minutes, and the file for a few
 * days. @throws GraphError, ServiceUnreachable for a temporary failure
 */
export function createMediaFetch({ media }: Pick<PluginContext, 'media'>, connections: Connections, graph: Graph) {
  return {
    isFile: (type: string): type is FileKind => Object.hasOwn(RECEIVED_TYPES, type),

    async download(number: string, type: FileKind, part: JsonObject): Promise<ReceivedFile> {
      const { id, url: _, sha256: _hash, ...kept } = part;
      const types = RECEIVED_TYPES[type];
      const { maxBytes } = NETWORK_FILES[type];
      try {
        const { bytes, types: given } = await bytesOf(number, part, maxBytes);
        const mimeType = given.find((one) => types.test(one)) ?? NO_TYPE;
        const other = given.find((one) => one !== NO_TYPE);
        if (mimeType === NO_TYPE && other !== undefined)
          throw new FileRefused(`the file of a message of type ${type} has the type ${other}`);
        const filename = typeof part.filename === 'string' ? part.filename : undefined;
        const stored = await media.put(number, bytes, { mimeType, ...(filename !== undefined && { filename }) });
        return { part: { ...kept, ...media.partOf(stored) } };
      } catch (error) {
        const reason = permanentReason(error);
        if (reason === undefined) throw error;
        return { part: { ...kept, id: id ?? '' }, error: notFetched(reason) };
      }
    },

    /** The part of a message whose file could not be fetched in time. */
    missing: ({ id, url: _, sha256: _hash, ...kept }: JsonObject, reason: string): ReceivedFile => ({
      part: { ...kept, id: id ?? '' },
      error: notFetched(reason),
    }),
  };

  /** The bytes of a file, and the types that the webhook, the look-up and the download give it, as far as they are MIME types. */
  async function bytesOf(uuid: string, { id, url, mime_type, sha256 }: JsonObject, maxBytes: number) {
    if (typeof id !== 'string' || id === '') throw new FileRefused('the network sent no id of the file');
    const token = await connections.secret(uuid, 'accessToken');
    const connection = await connections.of(uuid);
    const lookUp = async () => {
      const { file_size: size, ...about } = await graph.call<{ url: string; mime_type?: string; file_size?: number | string }>({
        method: 'GET',
        path: `/${encodeURIComponent(id)}`,
        token,
        query: { phone_number_id: connection?.phone_number_id },
        reads: lookedUp,
      });
      if (Number(size) > maxBytes) throw new FileRefused(`the file has ${size} bytes; at most ${maxBytes} are taken`);
      return about;
    };
    let about = typeof url === 'string' && URL.canParse(url) ? { url, mime_type: undefined } : await lookUp();
    const file = await graph.download(about.url, token, maxBytes).catch(async (error: unknown) => {
      // The address has expired, or the job ran late: it is looked up once more.
      if (!(error instanceof GraphError)) throw error;
      about = await lookUp();
      return graph.download(about.url, token, maxBytes);
    });
    if (file.isCut) throw new FileRefused(`the file has more than ${maxBytes} bytes`);
    if (typeof sha256 === 'string' && !hasHash(file.bytes, sha256)) throw graphUnreachable('the file is damaged');
    const given = [mime_type, about.mime_type, file.type].map((one) =>
      String(one ?? '')
        .split(';')[0]!
        .trim()
        .toLowerCase(),
    );
    return { bytes: file.bytes, types: given.filter((one) => MIME_TYPE.test(one)) };
  }
}

/** The file is not taken, whatever the network says. */
class FileRefused extends Error {}

/** Webhooks have the hash in base64, look-ups in hexadecimal. */
function hasHash(bytes: Uint8Array, expected: string): boolean {
  const hash = createHash('sha256').update(bytes).digest();
  return expected === hash.toString('base64') || expected.toLowerCase() === hash.toString('hex');
}

function permanentReason(error: unknown): string | undefined {
  if (error instanceof FileRefused) return error.message;
  if (error instanceof GraphError && ruleOf(error.code, error.status).remedy === 'refuse') return error.message;
  if (error instanceof ServiceUnreachable && error.isPermanent) return error.message;
  return undefined;
}

const notFetched = (details: string): NotificationError =>
  notificationErrorOf({ code: 131052, title: 'Media download error', error_data: { details } });
