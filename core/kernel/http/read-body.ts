import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { BodyTooLarge, BodyTooSlow, InvalidRequest, UnsupportedMediaType } from '../../errors.js';
import { withExactIntegers } from '../../json.js';

const ARRIVAL_MS = 10_000;
/** Read at most this much of the body of a refused request. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;

/** Requests whose body exceeded the time limit: their connections are closed without reading the rest. */
const tooSlow = new WeakSet<IncomingMessage>();

export interface BodyLimits {
  readonly maxBytes: number;
  readonly arrivalMs?: number | undefined;
}

/**
 * Reads the body from hapi's stream, which for a compressed body is not the request itself. A body that is too large, incomplete or too slow
 * is refused, with or without a length in its header.
 * @returns a promise unless the whole body has arrived
 * @throws BodyTooLarge, BodyTooSlow, InvalidRequest
 */
export function readBody(request: Request, { maxBytes, arrivalMs = ARRIVAL_MS }: BodyLimits): Promise<Buffer> | Buffer {
  const source = request.payload as Readable;
  const incoming = request.raw.req;
  // A small body arrives with its headers: it needs no timer and no listeners, which cost as much as its validation.
  if (source === incoming && hasArrived(incoming)) return arrivedBody(incoming, maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      cleanUp();
      reject(error);
    };
    const onTimeout = (): void => {
      tooSlow.add(incoming);
      fail(new BodyTooSlow(arrivalMs));
    };
    // A compressed body is still being decompressed when its last bytes have arrived.
    const onClose = (): void => {
      if (!incoming.readableEnded) fail(unreadable('it ended early'));
    };
    const onError = (error: Error): void => fail(unreadable(error.message));
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) fail(new BodyTooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      cleanUp();
      resolve(Buffer.concat(chunks));
    };
    const cleanUp = (): void => {
      clearTimeout(timer);
      source.off('data', onData).off('end', onEnd).off('error', onError);
      incoming.off('close', onClose);
      ignoreLateError(source);
    };
    const timer = setTimeout(onTimeout, arrivalMs);
    source.on('data', onData).once('end', onEnd).once('error', onError);
    incoming.once('close', onClose);
  });
}

/** Node runs the first handlers of a request between the last byte of its body and the end of the message. */
const hasArrived = (incoming: IncomingMessage): boolean =>
  !incoming.destroyed && (incoming.complete || incoming.readableLength === Number(incoming.headers['content-length']));

/** Reads a body that has arrived. @throws BodyTooLarge */
function arrivedBody(incoming: IncomingMessage, maxBytes: number): Buffer {
  ignoreLateError(incoming);
  if (incoming.readableLength > maxBytes) throw new BodyTooLarge(maxBytes);
  const bytes = (incoming.read() as Buffer | null) ?? NOTHING;
  // Without its end, Node would keep the request for as long as the connection.
  incoming.resume();
  return bytes;
}

const NOTHING = Buffer.alloc(0);
const ignore = (): void => undefined;

/** Without a listener, a late error of the stream would end the process. */
const ignoreLateError = (source: Readable): void => void source.on('error', ignore);

export interface DiscardLimits {
  readonly maxBytes?: number;
  readonly arrivalMs?: number;
}

/**
 * Reads and discards the rest of a body, so that a client that writes the whole body before it reads gets the response. Otherwise hapi
 * closes
 * the connection with the response, and Node's `fetch` fails with EPIPE. Ends with the body, with the connection, or after `maxBytes` or
 * `arrivalMs`; hapi then closes the connection.
 * @returns undefined if there is nothing to discard
 */
export function discardRest(
  { raw: { req }, payload }: Request,
  { maxBytes = MAX_DISCARDED_BYTES, arrivalMs = ARRIVAL_MS }: DiscardLimits = {},
): Promise<void> | undefined {
  const { expect, 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if (req.complete || req.destroyed || (length === undefined && encoding === undefined)) return undefined;
  // hapi sends 100 Continue when it hands over the body; before that, the client sends nothing.
  const isAwaitingContinue = payload === undefined && expect?.toLowerCase() === '100-continue';
  if (isAwaitingContinue || tooSlow.has(req) || Number(length) > maxBytes) return undefined;
  return new Promise((resolve) => {
    let size = 0;
    const finish = (): void => {
      clearTimeout(timer);
      req.off('data', count).off('end', finish).off('close', finish).pause();
      resolve();
    };
    const count = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) finish();
    };
    const timer = setTimeout(finish, arrivalMs);
    req.unpipe();
    req.on('data', count).once('end', finish).once('close', finish).resume();
  });
}

const JSON_TYPES = ['application/json', 'application/vnd.v1+json'];
const MEDIA_TYPE = /^\s*([^\s/;,]+\/[^\s/;,]+)\s*(?:;.*)?$/;

const mediaTypeOf = ({ headers }: Request): string | undefined =>
  MEDIA_TYPE.exec(String(headers['content-type'] ?? JSON_TYPES[0]))?.[1]?.toLowerCase();

/** Whether the body has this content type, whatever its parameters. */
export const hasType = (request: Request, contentType: string): boolean => mediaTypeOf(request) === contentType;

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/**
 * The error for a body that cannot be read by its headers; otherwise undefined. A missing Content-Type counts as JSON.
 * @param isText the route takes this content type as text
 */
export function notReadable(request: Request, isText: boolean): InvalidRequest | UnsupportedMediaType | undefined {
  const { headers } = request;
  const type = mediaTypeOf(request);
  if (type === undefined) return unreadable('Invalid content-type header');
  if (!isText && !JSON_TYPES.includes(type)) return new UnsupportedMediaType('Send the body as application/json');
  const [, charset = 'utf-8'] = CHARSET.exec(String(headers['content-type'])) ?? [];
  if (isText && !/^utf-?8$/i.test(charset)) return new UnsupportedMediaType('Send the text as UTF-8');
  return unsupportedEncoding(headers);
}

const ENCODINGS: readonly unknown[] = [undefined, 'identity', 'gzip', 'deflate'];

/** Without this check the error would say that the JSON is invalid: hapi passes a body with an unknown encoding through unchanged. */
function unsupportedEncoding(headers: Request['headers']): UnsupportedMediaType | undefined {
  const encoding: unknown = headers['content-encoding'];
  if (ENCODINGS.includes(encoding)) return undefined;
  return new UnsupportedMediaType(`The content encoding ${JSON.stringify(encoding)} is not supported: send gzip, deflate or none`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a body; an empty one is null. Refuses invalid UTF-8 (RFC 8259): decoding it leniently would map different texts to the same one.
 */
export function parseJson(bytes: Buffer, exactIntegers = false): unknown {
  if (bytes.length === 0) return null;
  try {
    const text = utf8.decode(bytes);
    return JSON.parse(exactIntegers ? withExactIntegers(text) : text);
  } catch {
    throw unreadable('Invalid request payload JSON format');
  }
}

/** Decodes a text and keeps its byte order mark. @throws InvalidRequest when it is not UTF-8 */
export function parseText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw unreadable('it is not UTF-8');
  }
}

const unreadable = (why: string): InvalidRequest => new InvalidRequest([], `The body cannot be read: ${why}`);
