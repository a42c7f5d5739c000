import type { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { BodyTooLarge, InvalidRequest, UnsupportedMediaType } from '../errors.js';

/** How long a body may take to arrive. */
const ARRIVAL_MS = 10_000;
/** What is read and thrown away of a body that is too large: whoever still writes would otherwise never see the answer. */
const THROWN_AWAY_BYTES = 32 * 1024 * 1024;

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
  let thrownAway = 0;
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      over();
      reject(error);
    };
    const tooSlow = (): void =>
      fail(size > maxBytes ? new BodyTooLarge(maxBytes) : unreadable(`it did not arrive within ${arrivalMs / 1000} seconds`));
    // A packed body is still being unpacked when the last of it has come.
    const cutOff = (): void => {
      if (!whole.readableEnded) fail(unreadable('it ended early'));
    };
    const broken = (error: Error): void => fail(unreadable(error.message));
    const tooLarge = (): void => fail(new BodyTooLarge(maxBytes));
    const throwAway = (chunk: Buffer): void => {
      thrownAway += chunk.length;
      if (thrownAway > THROWN_AWAY_BYTES) tooLarge();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      source.off('data', take).off('end', done);
      whole.unpipe();
      if (whole.readableEnded) tooLarge();
      else whole.on('data', throwAway).once('end', tooLarge).resume();
    };
    const done = (): void => {
      over();
      resolve(Buffer.concat(chunks));
    };
    const over = (): void => {
      clearTimeout(timer);
      source.off('data', take).off('end', done).off('error', broken);
      whole.off('data', throwAway).off('end', tooLarge).off('close', cutOff);
      // Nobody listens any more, but what is still on its way may fail.
      source.on('error', () => undefined);
    };
    const timer = setTimeout(tooSlow, arrivalMs);
    source.on('data', take).once('end', done).once('error', broken);
    whole.once('close', cutOff);
  });
}

const PACKINGS: readonly unknown[] = [undefined, 'identity', 'gzip', 'deflate'];

/** hapi hands over what it cannot unpack as it came, and what is in it would be called broken. */
export function unknownPacking({ headers }: Request): UnsupportedMediaType | undefined {
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
