import type { IncomingHttpHeaders } from 'node:http';
import { BodyTooLarge, InvalidRequest, PlatformError, UnsupportedMediaType } from '#core';
import { bytesOf, classOf } from './media-types.js';

/** The bytes and type of an uploaded file. @throws PlatformError when the network would not accept it */
export function checkedFile(
  payload: unknown,
  { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders,
): [bytes: Uint8Array, about: { mimeType: string }] {
  // The bytes are stored as received: compressed ones would reach connectors as if they were the file.
  if (encoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaType(`Content-Encoding ${JSON.stringify(encoding)} is not supported here; send the file uncompressed`);
  }
  const mimeType = contentType.split(';')[0]!.trim().toLowerCase();
  const name = classOf(mimeType);
  if (!name) {
    throw new PlatformError(
      415,
      'media_type_not_supported',
      `Media of type ${JSON.stringify(mimeType)} are not supported; set Content-Type to a type that the network accepts`,
    );
  }
  const bytes = payload instanceof Uint8Array ? payload : new Uint8Array();
  if (bytes.length === 0) throw new InvalidRequest([], 'The body is empty; send the bytes of the file');
  if (bytes.length > bytesOf(name)) throw new BodyTooLarge(bytesOf(name));
  return [bytes, { mimeType }];
}
