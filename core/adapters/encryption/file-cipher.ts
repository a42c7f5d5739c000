import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { keyIdOf } from '../secrets/sealed-secrets.js';

// An encrypted file has a header of 32 bytes, and frames that each contain up to 16 KiB of the file:
//
//   header: magic (8), version (1), layout (1), zeros (2), id of the secret key (4), random bytes (16)
//   frame:  length of the content (4, the highest bit marks the last frame of a file in blocks), its complement (4), nonce (12),
//           encrypted content, tag (16)
//
// Each file has a key of its own: HKDF (SHA-256) of the secret key, with the header as salt. A frame is encrypted with AES-256-GCM and a
// random nonce. Its position in the file, its length and the mark of the last frame are authenticated with it, so a frame is not accepted
// at another position or in another file.

/** Bytes of content in a frame, at most. */
export const BLOCK_BYTES = 16 * 1024;
export const HEADER_BYTES = 32;
export const HEAD_BYTES = 8;
const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** The bytes of a frame besides its content. */
export const OVERHEAD_BYTES = HEAD_BYTES + NONCE_BYTES + TAG_BYTES;
export const FRAME_BYTES = BLOCK_BYTES + OVERHEAD_BYTES;

/** No text in UTF-8 starts with the first byte. */
export const MAGIC = Buffer.from([0x8f, ...Buffer.from('POSTENC')]);
const VERSION = 1;
const LAST = 0x80000000;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;

/**
 * `blocks`: all frames are full except the last, which is marked, so any position can be found without reading what is before it.
 * `records`: each write ends with a frame of its own, so that the file can be appended to.
 */
export type Layout = 'blocks' | 'records';
const layouts: readonly Layout[] = ['blocks', 'records'];

/** The encryption of a data folder. */
export interface Encryption {
  /** 32 bytes each. New files are encrypted with the first; the others were used before. */
  readonly keys: readonly Uint8Array[];
  /** Whether new files are encrypted. */
  readonly isOn: boolean;
}

/** A folder or a file is encrypted with a key that was not given. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';

  constructor(path: string, keyId: string, advice = GIVE_KEY) {
    super(`${path} is encrypted with the key ${keyId}, which was not given. Nothing was changed. ${advice}`);
  }
}

const GIVE_KEY =
  'Set secretKey to this key, or add it to previousSecretKeys; for a command, set POSTHORN_SECRET_KEY or POSTHORN_PREVIOUS_SECRET_KEYS';

/** The header of an encrypted file. */
export interface Header {
  readonly bytes: Buffer;
  readonly layout: Layout | undefined;
  readonly keyId: string;
}

/** @returns undefined if these bytes are not a header */
export function headerIn(bytes: Buffer): Header | undefined {
  // A file with a damaged header must not pass for one that is not encrypted.
  const same = bytes.length < HEADER_BYTES ? 0 : MAGIC.filter((byte, i) => byte === bytes[i]).length;
  if (same < MAGIC.length - 1) return undefined;
  const layout = bytes[8] === VERSION ? layouts[bytes[9]!] : undefined;
  return { bytes, layout, keyId: bytes.toString('hex', 12, 16) };
}

/** The length of the content of the frame at a place; undefined if no frame starts there. */
export function lengthAt(bytes: Buffer, at: number): number | undefined {
  if (at + HEAD_BYTES > bytes.length) return undefined;
  const word = bytes.readUInt32BE(at);
  const length = word & ~LAST;
  return (word ^ bytes.readUInt32BE(at + 4)) === -1 && length <= BLOCK_BYTES ? length : undefined;
}

/** Encrypts and decrypts the frames of one file. */
export class FileCipher {
  readonly header: Buffer;
  readonly layout: Layout;
  readonly #key: KeyObject;

  private constructor(header: Buffer, layout: Layout, secretKey: Uint8Array) {
    this.header = header;
    this.layout = layout;
    this.#key = createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, header, 'posthorn data file', KEY_BYTES)));
  }

  /** For a new file. */
  static create(layout: Layout, { keys: [key] }: Encryption): FileCipher {
    const header = Buffer.alloc(HEADER_BYTES);
    MAGIC.copy(header);
    header[8] = VERSION;
    header[9] = layouts.indexOf(layout);
    header.write(keyIdOf(key!), 12, 'hex');
    randomBytes(16).copy(header, 16);
    return new FileCipher(header, layout, key!);
  }

  /** @returns undefined without the key, or if the header is damaged */
  static open({ bytes, layout, keyId }: Header, { keys }: Encryption): FileCipher | undefined {
    const key = keys.find((one) => keyIdOf(one) === keyId);
    return key && layout && new FileCipher(bytes, layout, key);
  }

  /** Encrypts content as frames, the first of which will be at a position of the file. @param isEnd marks the last frame */
  seal(content: Uint8Array, position: number, isEnd = false): Buffer {
    const frames = Math.max(1, Math.ceil(content.length / BLOCK_BYTES));
    const sealed = Buffer.allocUnsafe(content.length + frames * OVERHEAD_BYTES);
    let at = 0;
    for (let i = 0; i < frames; i++) {
      const block = content.subarray(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES);
      const word = block.length | (isEnd && i === frames - 1 ? LAST : 0);
      sealed.writeUInt32BE(word >>> 0, at);
      sealed.writeUInt32BE(~word >>> 0, at + 4);
      const nonce = randomBytes(NONCE_BYTES);
      nonce.copy(sealed, at + HEAD_BYTES);
      const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(bound(position + at, word));
      cipher.update(block).copy(sealed, at + HEAD_BYTES + NONCE_BYTES);
      cipher.final();
      at += OVERHEAD_BYTES + block.length;
      cipher.getAuthTag().copy(sealed, at - TAG_BYTES);
    }
    return sealed;
  }

  /** Decrypts a frame that is at a position of the file. @returns undefined if any byte differs from what was written */
  open(frame: Buffer, position: number): { readonly content: Buffer; readonly isLast: boolean } | undefined {
    if (lengthAt(frame, 0) !== frame.length - OVERHEAD_BYTES) return undefined;
    const word = frame.readInt32BE(0);
    const decipher = createDecipheriv(ALGORITHM, this.#key, frame.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(bound(position, word))
      .setAuthTag(frame.subarray(-TAG_BYTES));
    const content = decipher.update(frame.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES));
    try {
      decipher.final();
    } catch {
      // The error of node:crypto says nothing more than that.
      return undefined;
    }
    return { content, isLast: (word & LAST) !== 0 };
  }
}

/** The data that is authenticated with a frame. */
function bound(position: number, word: number): Buffer {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeDoubleBE(position, 0);
  bytes.writeInt32BE(word | 0, 8);
  return bytes;
}
