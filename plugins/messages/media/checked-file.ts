import type { IncomingHttpHeaders } from 'node:http';
import { BodyTooLarge, InvalidRequest, PlatformError, UnsupportedMediaType } from '#core';
import { bytesOf, classOf } from './media-types.js';

/** The bytes of a file and its type, if the network would take it. @throws PlatformError */
export function checkedFile(
  payload: unknown,
  { 'content-type': contentType = '', 'content-encoding': packing = 'identity' }: IncomingHttpHeaders,
): [bytes: Uint8Array, about: { mimeType: string }] {
  // Stored as they came, packed bytes would reach connectors as the file itself.
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
