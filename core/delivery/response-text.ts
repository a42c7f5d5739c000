import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { type HttpOutcome, isPacked } from '../ports/http-client.js';

type Response = Extract<HttpOutcome, { kind: 'response' }>;

/** A larger text stays compressed: a small response must not take much memory. */
const MAX_BYTES = 64 * 1024;

const decompress: Readonly<Record<string, (body: Uint8Array) => Buffer>> = {
  // The body may be cut.
  gzip: (body) => gunzipSync(body, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH }),
  deflate: (body) => inflateSync(body, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH }),
  br: (body) => brotliDecompressSync(body, { maxOutputLength: MAX_BYTES }),
};

const decoder = new TextDecoder();

/** The bytes of a response, without compression: some servers compress although the request asks for none. */
export function plainBody({ headers, body }: Response): Uint8Array {
  if (body.length === 0 || !isPacked(headers)) return body;
  const codings = headers['content-encoding']!.split(',').map((coding) => coding.trim().toLowerCase().replace(/^x-/, ''));
  try {
    return codings.reduceRight((bytes, coding) => (coding === 'identity' ? bytes : decompress[coding]!(bytes)), body);
  } catch {
    // Another coding, too large, or not compressed at all: the body is shown as it is.
    return body;
  }
}

/** The body of a response as text, without compression. */
export const bodyText = (response: Response): string => decoder.decode(plainBody(response));
