import { createHash } from 'node:crypto';
import type { Clock } from '#core/ports';
import type { Reply } from '#core/testing';
import { badRequest } from './api-error.js';
import type { TelegramFile } from './types.js';

const MEGABYTE = 1024 * 1024;
export const MAX_DOWNLOAD_BYTES = 20 * MEGABYTE;
const MAX_PHOTO_SIDES = 10_000;
const MAX_PHOTO_RATIO = 20;
/** At least this long the address of a file is valid. */
const LINK_MS = 60 * 60 * 1_000;
/** A file whose size in pixels is not known gets this. */
const SIDE = 100;

interface StoredFile {
  readonly bytes: Uint8Array;
  readonly uniqueId: string;
  /** As the network says it, which a test can set to more than the bytes. */
  readonly size: number;
  readonly path: string;
  /** Until when its address is valid. */
  linkedUntil: number;
}

/** The files that people and the bot have sent, by their id. */
export class Files {
  readonly #clock: Clock;
  readonly #files = new Map<string, StoredFile>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Keeps a file. `kind` names its folder, such as `photos`. */
  add(bytes: Uint8Array, about: { kind: string; extension: string; size?: number }) {
    const count = this.#files.size + 1;
    const id = `${Buffer.from(`stand-in file ${String(count).padStart(6, '0')}`).toString('base64url')}AAQ`;
    const path = `${about.kind}/file_${count}${about.extension}`;
    const size = about.size ?? bytes.length;
    const uniqueId = createHash('sha256').update(bytes).digest('base64url').slice(0, 15);
    this.#files.set(id, { bytes, uniqueId, size, path, linkedUntil: 0 });
    return { file_id: id, file_unique_id: uniqueId, file_size: size };
  }

  /** The bytes of a file; undefined for an id that the network does not know. */
  bytes(id: string): Uint8Array | undefined {
    return this.#files.get(id)?.bytes;
  }

  /** The network loses a file. */
  lose(id: string): void {
    if (!this.#files.delete(id)) throw new Error(`there is no file ${id}`);
  }

  /** `getFile`. @throws ApiError */
  lookUp(id: string): TelegramFile {
    const file = this.#files.get(id);
    if (id === '') throw badRequest('file_id not specified');
    if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
    if (file.size > MAX_DOWNLOAD_BYTES) throw badRequest('file is too big');
    file.linkedUntil = this.#clock.now().getTime() + LINK_MS;
    return { file_id: id, file_unique_id: file.uniqueId, file_size: file.size, file_path: file.path };
  }

  /** `/file/bot<token>/<path>`, after `getFile`. */
  download(path: string): Reply {
    const file = [...this.#files.values()].find((one) => one.path === path);
    if (!file || file.linkedUntil < this.#clock.now().getTime())
      return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } };
    return { headers: { 'content-type': 'application/octet-stream' }, body: file.bytes };
  }
}

/** The size of a picture in pixels. @throws ApiError for bytes that are none, or that no photo may have */
export function photoSize(bytes: Uint8Array): { width: number; height: number } {
  const size = pixelsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!size) throw badRequest('IMAGE_PROCESS_FAILED');
  const { width, height } = size;
  if (width + height > MAX_PHOTO_SIDES || Math.max(width, height) > MAX_PHOTO_RATIO * Math.min(width, height))
    throw badRequest('PHOTO_INVALID_DIMENSIONS');
  return size;
}

function pixelsOf(bytes: Buffer): { width: number; height: number } | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG')) return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (head.startsWith('\xff\xd8')) return jpegPixels(bytes);
  return /^GIF8|^BM|^RIFF.{4}WEBP/s.test(head) ? { width: SIDE, height: SIDE } : undefined;
}

/** The size in the first frame header; the default one for a picture that ends before it. */
function jpegPixels(bytes: Buffer): { width: number; height: number } {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1]!;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return { width: SIDE, height: SIDE };
}
