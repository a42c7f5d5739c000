import type { IncomingHttpHeaders } from 'node:http';
import { BodyTooLarge, InvalidRequest, PlatformError, UnsupportedMediaType } from '#core';
import { bytesOf, classOf } from './media-types.js';

/** Returns the bytes and type of an uploaded file. @throws PlatformError if the network would not accept the file */
export function checkedFile(
  payload: unknown,
  { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders,
): [bytes: Uint8Array, metadata: { mimeType: string }] {
  // Bytes are stored as received, so connectors would get the compressed bytes as the file.
  if (encoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaType(`Content-Encoding ${JSON.stringify(encoding)} is not supported here; send the file uncompressed`);
  }
  const mimeType = contentType.split(';')[0]!.trim().toLowerCase();
  const name = classOf(mimeType);
  if (!name) {
    throw new PlatformError(
      415,
      'media_type_not_supported',
      `Files of type ${JSON.stringify(mimeType)} are not supported; set Content-Type to a type that the network accepts`,
    );
  }
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  if (bytes.length === 0) throw new InvalidRequest([], 'The body is empty; send the bytes of the file');
  if (bytes.length > bytesOf(name)) throw new BodyTooLarge(bytesOf(name));
  return [bytes, { mimeType }];
}
