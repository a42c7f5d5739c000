import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { BodyTooLarge, InvalidRequest, UnsupportedMediaType } from '../errors.js';

/** How long a body may take to arrive. */
const ARRIVAL_MS = 10_000;
/** Read at most this much of the body of a refused request. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;

/** Requests whose body exceeded its time: their connections are closed without reading the rest. */
const tooSlow = new WeakSet<IncomingMessage>();

export interface BodyLimits {
  readonly maxBytes: number;
  readonly arrivalMs?: number;
}

/**
 * Reads the body that hapi hands over as a stream, which is not the request itself where the body comes packed. A body too
 * large, cut off or too slow gets an answer, with or without a length in its header.
 * @throws BodyTooLarge, InvalidRequest
 */
export function readBody(request: Request, { maxBytes, arrivalMs = ARRIVAL_MS }: BodyLimits): Promise<Buffer> {
  const source = request.payload as Readable;
  const whole = request.raw.req;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      over();
      reject(error);
    };
    const late = (): void => {
      tooSlow.add(whole);
      fail(unreadable(`it did not arrive within ${arrivalMs / 1000} seconds`));
    };
    // A packed body is still being unpacked when the last of it has come.
    const cutOff = (): void => {
      if (!whole.readableEnded) fail(unreadable('it ended early'));
    };
    const broken = (error: Error): void => fail(unreadable(error.message));
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) fail(new BodyTooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const done = (): void => {
      over();
      resolve(Buffer.concat(chunks));
    };
    const over = (): void => {
      clearTimeout(timer);
      source.off('data', take).off('end', done).off('error', broken);
      whole.off('close', cutOff);
      // Nobody listens any more, but what is still on its way may fail.
      source.on('error', () => undefined);
    };
    const timer = setTimeout(late, arrivalMs);
    source.on('data', take).once('end', done).once('error', broken);
    whole.once('close', cutOff);
  });
}

export interface DiscardLimits {
  readonly maxBytes?: number;
  readonly arrivalMs?: number;
}

/**
 * Reads the rest of a body and discards it, so that a client that writes the whole body before it reads gets the answer. Without
 * this, hapi closes the connection with the answer, and `fetch` of Node fails with EPIPE. Ends with the body, with the connection,
 * or after `maxBytes` or `arrivalMs`; hapi then closes the connection with the answer.
 * @returns undefined if there is nothing to discard, the usual case
 */
export function discardRest(
  { raw: { req }, payload }: Request,
  { maxBytes = MAX_DISCARDED_BYTES, arrivalMs = ARRIVAL_MS }: DiscardLimits = {},
): Promise<void> | undefined {
  const { expect, 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if (req.complete || req.destroyed || (length === undefined && encoding === undefined)) return undefined;
  // hapi sends 100 Continue when it hands over the body; before that, the client sends nothing.
  const isNotAskedFor = payload === undefined && expect?.toLowerCase() === '100-continue';
  if (isNotAskedFor || tooSlow.has(req) || Number(length) > maxBytes) return undefined;
  return new Promise((resolve) => {
    let size = 0;
    const over = (): void => {
      clearTimeout(timer);
      req.off('data', count).off('end', over).off('close', over).pause();
      resolve();
    };
    const count = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) over();
    };
    const timer = setTimeout(over, arrivalMs);
    req.unpipe();
    req.on('data', count).once('end', over).once('close', over).resume();
  });
}

const JSON_TYPES = ['application/json', 'application/vnd.v1+json'];
const MEDIA_TYPE = /^\s*([^\s/;,]+\/[^\s/;,]+)\s*(?:;.*)?$/;

/** Why a body cannot be JSON by its headers, if so. Without a Content-Type it is taken for JSON. */
export function notJson({ headers }: Request): InvalidRequest | UnsupportedMediaType | undefined {
  const [, type] = MEDIA_TYPE.exec(String(headers['content-type'] ?? JSON_TYPES[0])) ?? [];
  if (type === undefined) return unreadable('Invalid content-type header');
  if (!JSON_TYPES.includes(type.toLowerCase())) return new UnsupportedMediaType('Send the body as application/json');
  return unknownPacking(headers);
}

const PACKINGS: readonly unknown[] = [undefined, 'identity', 'gzip', 'deflate'];

/** hapi hands over what it cannot unpack as it came, and what is in it would be called broken. */
function unknownPacking(headers: Request['headers']): UnsupportedMediaType | undefined {
  const packing: unknown = headers['content-encoding'];
  if (PACKINGS.includes(packing)) return undefined;
  return new UnsupportedMediaType(`The body is packed as ${JSON.stringify(packing)}: send it as it is, or packed with gzip or deflate`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON is UTF-8 (RFC 8259): bytes that are none would turn different texts into the same one. No bytes are null. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw unreadable('Invalid request payload JSON format');
  }
}

const unreadable = (why: string): InvalidRequest => new InvalidRequest([], `The body cannot be read: ${why}`);
