import type { IncomingHttpHeaders } from 'node:http';
import {
  BodyTooLarge,
  fields,
  InvalidRequest,
  list,
  NotFound,
  PlatformError,
  type PluginContext,
  type Route,
  route,
  text,
  textUpTo,
  UnsupportedMediaType,
} from '#core';
import { metaOf } from './errors.js';
import { bytesOf, classOf, LARGEST_MEDIA_BYTES } from './media-types.js';
import { errorsWithMeta, metaSchema } from './schemas.js';

const uploaded = fields({ media: list(fields({ id: text() })).length(1), meta: metaSchema });

/** Media of a number: uploaded as raw bytes, named by an id of digits, kept by content. */
export function mediaRoutes({ media, dialect }: PluginContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/media',
      summary: 'Takes a file as raw bytes, and answers with the id to send it by.',
      maxBytes: LARGEST_MEDIA_BYTES,
      body: 'bytes',
      responses: { 200: uploaded, 400: errorsWithMeta, 413: errorsWithMeta, 415: errorsWithMeta },
      async handler({ payload, headers, caller: { number } }) {
        const { id } = await media.put(number.uuid, ...checkedFile(payload, headers));
        return { media: [{ id }], meta: metaOf(dialect) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/media/{id}',
      summary: 'Downloads a file that the number uploaded or received.',
      request: { params: fields({ id: textUpTo(64) }) },
      responses: { 200: { contentType: '*/*' }, 404: errorsWithMeta },
      async handler({ params: { id }, caller: { number } }, h) {
        const about = await media.about(id);
        if (about?.number !== number.uuid) throw new NotFound('medium', id);
        const { bytes } = await media.get(id);
        return h
          .response(Buffer.from(bytes))
          .type(about.mime_type)
          .etag(about.sha256)
          .header('content-disposition', 'attachment')
          .header('x-content-type-options', 'nosniff');
      },
    }),
  ];
}

/** The bytes of a file and its type, if the network would take it. @throws PlatformError */
export function checkedFile(
  payload: unknown,
  { 'content-type': contentType = '', 'content-encoding': packing = 'identity' }: IncomingHttpHeaders,
): [bytes: Uint8Array, about: { mimeType: string }] {
  // Kept as they came, packed bytes would be the file itself to whoever is given it.
  if (packing.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaType(`The body is packed as ${JSON.stringify(packing)}: send the file as it is, without Content-Encoding`);
  }
  const mimeType = contentType.split(';')[0]!.trim().toLowerCase();
  const name = classOf(mimeType);
  if (!name) {
    throw new PlatformError(
      415,
      'media_type_not_supported',
      `Media of type ${JSON.stringify(mimeType)} are not supported: say it in Content-Type`,
    );
  }
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  if (bytes.length === 0) throw new InvalidRequest([], 'The body is empty: it has to be the file itself');
  if (bytes.length > bytesOf(name)) throw new BodyTooLarge(bytesOf(name));
  return [bytes, { mimeType }];
}
