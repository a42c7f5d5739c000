import { basename } from 'node:path';
import { type FileSystem, hasCode, type OpenFile } from '../file-system.js';
import {
  BLOCK_BYTES,
  type Encryption,
  FileCipher,
  FRAME_BYTES,
  HEAD_BYTES,
  HEADER_BYTES,
  type Header,
  headerIn,
  lengthAt,
  MAGIC,
  OVERHEAD_BYTES,
  TAG_BYTES,
} from './file-cipher.js';

/** Called for each damage that a read finds. */
export type OnDamage = (path: string, damage: string) => void;

/** Files that a process has to read without the key. They contain nothing about messages. */
const PLAIN = /^(lock|lock\.taking-over|(format|moving|restoring)\.json)(\.tmp)?$/;
/** Files that are appended to. A crash may leave a part of their header. */
const APPENDED = /\.jsonl(\.tmp)?$/;
/** Frames of one read or write, at most. */
const FRAMES_AT_ONCE = 64;
const LINE_END = 0x0a;

/**
 * A file system that encrypts new files if the encryption is on, and decrypts those that are encrypted. The header of a file says whether it
 * is, so a folder may have both. Files opened with `append` are in records, those opened with `replace` in blocks.
 *
 * A frame that fails authentication reads as zeros, also all of a file whose key is not given. No file of the store contains zeros, so its
 * checksums report the damage with its place, and the rest of the file can be read. A record of which a crash has written a part reads as
 * zeros without a line end, like an incomplete line. `list` has the sizes on the disk, which are larger than the contents.
 */
export function encryptedFiles(fs: FileSystem, encryption: Encryption, onDamage: OnDamage = () => {}): FileSystem {
  return {
    // The methods of a file system may need their `this`.
    rename: (from, to) => fs.rename(from, to),
    link: (from, to) => fs.link(from, to),
    remove: (path) => fs.remove(path),
    touch: (path) => fs.touch(path),
    list: (folder) => fs.list(folder),
    listFolders: (folder) => fs.listFolders(folder),
    makeFolder: (path) => fs.makeFolder(path),
    syncFolder: (path) => fs.syncFolder(path),
    async open(path, how) {
      const name = basename(path);
      if (how === 'create' || PLAIN.test(name)) return fs.open(path, how);
      if (how === 'replace') {
        const file = await fs.open(path, how);
        return encryption.isOn ? new BlockWriter(file, FileCipher.create('blocks', encryption)) : file;
      }
      if (how === 'read') return openReader(await fs.open(path, how), path, encryption, onDamage);
      const start = await startOf(fs, path);
      const isEncrypted = start.length === 0 ? encryption.isOn : headerIn(start) !== undefined || isPartOfHeader(start, name);
      const file = await fs.open(path, how);
      return isEncrypted ? new RecordWriter(fs, path, encryption, file) : file;
    },
  };
}

/** The id of the key of a file; undefined if it is not encrypted, or does not exist. */
export async function keyIdIn(fs: FileSystem, path: string): Promise<string | undefined> {
  return headerIn(await startOf(fs, path))?.keyId;
}

async function startOf(fs: FileSystem, path: string): Promise<Buffer> {
  try {
    const file = await fs.open(path, 'read');
    return await readUpTo(file, 0, HEADER_BYTES).finally(() => file.close());
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return Buffer.alloc(0);
    throw error;
  }
}

async function openReader(file: OpenFile, path: string, encryption: Encryption, onDamage: OnDamage): Promise<OpenFile> {
  try {
    const start = await readUpTo(file, 0, HEADER_BYTES);
    const header = headerIn(start);
    if (!header) return isPartOfHeader(start, basename(path)) ? { ...refusing, ...zerosOf(start.length), close: () => file.close() } : file;
    const cipher = FileCipher.open(header, encryption);
    if (cipher) return new Reader(file, path, cipher, onDamage);
    onDamage(path, `it is encrypted with the key ${header.keyId}, which was not given, or its first bytes were changed`);
    return { ...refusing, ...damagedLine(file), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const isPartOfHeader = (start: Buffer, name: string): boolean =>
  start.length > 0 && start.length < HEADER_BYTES && APPENDED.test(name) && start.subarray(0, 8).equals(MAGIC.subarray(0, start.length));

const zerosOf = (size: number): Pick<OpenFile, 'read'> => ({
  async read(into, position) {
    const bytes = Math.max(0, Math.min(into.length, size - position));
    into.fill(0, 0, bytes);
    return bytes;
  },
});

/** Zeros after a line end, without which they would look like an interrupted write. */
const damagedLine = (file: OpenFile): Pick<OpenFile, 'read'> => ({
  async read(into, position) {
    const bytes = await file.read(into, position);
    into.fill(0, 0, bytes);
    if (position === 0 && bytes > 0) into[0] = LINE_END;
    return bytes;
  },
});

/** Fills a buffer from a position, up to the end of the file. */
async function readUpTo(file: OpenFile, position: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  let size = 0;
  for (let read = -1; read !== 0 && size < bytes; size += read) read = await file.read(buffer.subarray(size), position + size);
  return buffer.subarray(0, size);
}

const refuse = () => Promise.reject(new Error('an encrypted file is either read or written'));
const refusing = { read: refuse, write: refuse, truncate: refuse, sync: async () => {} };

/** A place between two frames: a position on the disk, and one in the content. */
interface Place {
  readonly position: number;
  readonly content: number;
}

const FIRST: Place = { position: HEADER_BYTES, content: 0 };

/** A frame, or what is in the place of one. */
interface Piece {
  /** Bytes on the disk. */
  readonly size: number;
  /** Bytes of content. */
  readonly length: number;
  open(): Buffer;
}

class Reader implements OpenFile {
  readonly #file: OpenFile;
  readonly #path: string;
  readonly #cipher: FileCipher;
  readonly #onDamage: OnDamage;
  /** Of a file in records: where the last read ended. */
  #next = FIRST;
  #hasReadLast = false;

  constructor(file: OpenFile, path: string, cipher: FileCipher, onDamage: OnDamage) {
    [this.#file, this.#path, this.#cipher, this.#onDamage] = [file, path, cipher, onDamage];
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    if (into.length === 0) return 0;
    let place = this.#placeBefore(position);
    for (;;) {
      const { raw, isEnd } = await this.#readFrom(place, position + into.length - place.content);
      let copied = 0;
      while (copied < into.length) {
        const piece = this.#pieceIn(raw, place, isEnd);
        if (!piece) break;
        const skipped = position + copied - place.content;
        if (skipped < piece.length) copied += piece.open().copy(into, copied, skipped);
        if (place.content + piece.length > position + copied) break;
        place = { position: place.position + piece.size, content: place.content + piece.length };
      }
      this.#next = place;
      if (copied === 0 && isEnd && this.#cipher.layout === 'blocks' && !this.#hasReadLast) this.#onDamage(this.#path, 'the end is missing');
      if (copied > 0 || isEnd) return copied;
    }
  }

  /** The frame with a position of the content, and its content up to there; or the end of the file. */
  async find(content: number): Promise<{ readonly place: Place; readonly before: Buffer }> {
    let place = FIRST;
    for (;;) {
      const { raw, isEnd } = await this.#readFrom(place, content - place.content);
      for (let piece = this.#pieceIn(raw, place, isEnd); piece; piece = this.#pieceIn(raw, place, isEnd)) {
        if (place.content + piece.length > content) return { place, before: piece.open().subarray(0, content - place.content) };
        place = { position: place.position + piece.size, content: place.content + piece.length };
      }
      if (isEnd) return { place, before: Buffer.alloc(0) };
    }
  }

  readonly write = refuse;
  readonly truncate = refuse;
  sync = (): Promise<void> => this.#file.sync();
  close = (): Promise<void> => this.#file.close();

  #placeBefore(content: number): Place {
    if (this.#cipher.layout === 'records') return content < this.#next.content ? FIRST : this.#next;
    const block = Math.floor(content / BLOCK_BYTES);
    return { position: HEADER_BYTES + block * FRAME_BYTES, content: block * BLOCK_BYTES };
  }

  /** Reads frames with so much content, as far as one read has it. */
  async #readFrom(place: Place, content: number): Promise<{ raw: Chunk; isEnd: boolean }> {
    const frames = Math.max(1, Math.min(FRAMES_AT_ONCE, Math.ceil(content / BLOCK_BYTES)));
    const bytes = await readUpTo(this.#file, place.position, frames * FRAME_BYTES);
    return { raw: { bytes, position: place.position }, isEnd: bytes.length < frames * FRAME_BYTES };
  }

  /** The piece at a place; undefined at the end of what was read. */
  #pieceIn({ bytes, position }: Chunk, place: Place, isEnd: boolean): Piece | undefined {
    const at = place.position - position;
    const rest = bytes.length - at;
    if (rest === 0) return undefined;
    const frameOf = (size: number): Buffer => bytes.subarray(at, at + size);
    if (this.#cipher.layout === 'blocks') {
      const size = Math.min(rest, FRAME_BYTES);
      if (size < FRAME_BYTES && !isEnd) return undefined;
      return this.#frame(frameOf(size), place);
    }
    const length = lengthAt(bytes, at);
    if (length !== undefined) {
      const size = length + OVERHEAD_BYTES;
      const isUnwritten = isEnd && size === rest && isZero(bytes.subarray(-TAG_BYTES));
      if (size <= rest && !isUnwritten) return this.#frame(frameOf(size), place);
      return isEnd ? unwritten(rest) : undefined;
    }
    if (rest < HEAD_BYTES) return isEnd ? unwritten(rest) : undefined;
    if (isEnd && isZero(bytes.subarray(at))) return unwritten(rest);
    // The head of a frame is damaged: the next one that is found shows where it ends.
    let next = at + 1;
    while (next + HEAD_BYTES <= bytes.length && lengthAt(bytes, next) === undefined) next++;
    const size = next + HEAD_BYTES <= bytes.length || !isEnd ? next - at : rest;
    return this.#damaged(size, Math.max(1, size - OVERHEAD_BYTES), place);
  }

  #frame(frame: Buffer, place: Place): Piece {
    const length = Math.max(0, frame.length - OVERHEAD_BYTES);
    const open = (): Buffer => {
      const opened = this.#cipher.open(frame, place.position);
      if (!opened) return this.#damaged(frame.length, length, place).open();
      if (opened.isLast) this.#hasReadLast = true;
      return opened.content;
    };
    // An empty frame has no content that a read could ask for.
    if (length === 0) open();
    return { size: frame.length, length, open };
  }

  #damaged(size: number, length: number, { position }: Place): Piece {
    const open = (): Buffer => {
      this.#onDamage(this.#path, `the encrypted data at byte ${position} was changed, or is of another file`);
      const zeros = Buffer.alloc(length);
      // A complete record ends with a line end: without it, damage would look like an interrupted write.
      if (this.#cipher.layout === 'records' && length > 0) zeros[length - 1] = LINE_END;
      return zeros;
    };
    return { size, length, open };
  }
}

interface Chunk {
  readonly bytes: Buffer;
  readonly position: number;
}

/** The rest of a record that a crash interrupted. */
const unwritten = (size: number): Piece => {
  const length = Math.max(1, size - OVERHEAD_BYTES);
  return { size, length, open: () => Buffer.alloc(length) };
};

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/** Writes a file from its start. It is complete after `sync`. */
class BlockWriter implements OpenFile {
  readonly #file: OpenFile;
  readonly #cipher: FileCipher;
  #pending: Buffer = Buffer.alloc(0);
  #position = 0;
  #isComplete = false;

  constructor(file: OpenFile, cipher: FileCipher) {
    [this.#file, this.#cipher] = [file, cipher];
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isComplete) throw new Error('an encrypted file cannot be written after its sync');
    const content = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    // The last block has a mark, so a full one waits until there is more. In pieces, because encrypting occupies the thread.
    let done = 0;
    while (content.length - done > BLOCK_BYTES) {
      const blocks = Math.min(FRAMES_AT_ONCE, Math.ceil((content.length - done) / BLOCK_BYTES) - 1);
      await this.#append(content.subarray(done, done + blocks * BLOCK_BYTES), false);
      done += blocks * BLOCK_BYTES;
    }
    this.#pending = Buffer.from(content.subarray(done));
  }

  async sync(): Promise<void> {
    if (!this.#isComplete) await this.#append(this.#pending, true);
    this.#isComplete = true;
    await this.#file.sync();
  }

  readonly read = refuse;
  readonly truncate = refuse;
  close = (): Promise<void> => this.#file.close();

  async #append(content: Uint8Array, isEnd: boolean): Promise<void> {
    const { header } = this.#cipher;
    const isFirst = this.#position === 0;
    const sealed = this.#cipher.seal(content, isFirst ? header.length : this.#position, isEnd);
    await this.#file.write(isFirst ? Buffer.concat([header, sealed]) : sealed);
    this.#position += sealed.length + (isFirst ? header.length : 0);
  }
}

/** Appends records to a file. */
class RecordWriter implements OpenFile {
  readonly #fs: FileSystem;
  readonly #path: string;
  readonly #encryption: Encryption;
  readonly #file: OpenFile;
  /** Undefined for an empty file. */
  #cipher: FileCipher | undefined;
  /** Undefined until it is needed. */
  #end: Place | undefined;
  /** After a failed write, which may have left a part of a record. */
  #isTorn = false;

  constructor(fs: FileSystem, path: string, encryption: Encryption, file: OpenFile) {
    [this.#fs, this.#path, this.#encryption, this.#file] = [fs, path, encryption, file];
  }

  get writesDurably(): boolean {
    return this.#file.writesDurably ?? false;
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    const end = this.#end ?? (await this.#open());
    if (this.#isTorn) await this.#file.truncate(end.position);
    this.#isTorn = true;
    const isNew = end.position === 0;
    if (isNew) this.#cipher = FileCipher.create('records', this.#encryption);
    const { header } = this.#cipher!;
    const sealed = this.#cipher!.seal(bytes, isNew ? header.length : end.position);
    const written = isNew ? Buffer.concat([header, sealed]) : sealed;
    await this.#file.write(written);
    this.#isTorn = false;
    this.#end = { position: end.position + written.length, content: end.content + bytes.length };
  }

  async truncate(size: number): Promise<void> {
    const end = this.#end ?? (await this.#open());
    if (size > end.content) return;
    if (size === end.content) return this.#cut(end);
    const { place, before } = await this.#reading((reader) => reader.find(size));
    await this.#cut(place.content === 0 ? EMPTY : place);
    // A record that is cut in the middle is written again. Callers cut between records, or in one that was not acknowledged.
    await this.write(before);
  }

  readonly read = refuse;
  sync = (): Promise<void> => this.#file.sync();
  close = (): Promise<void> => this.#file.close();

  async #cut(end: Place): Promise<void> {
    await this.#file.truncate(end.position);
    this.#end = end;
    this.#isTorn = false;
  }

  /** Finds the end of a file that has records already. */
  async #open(): Promise<Place> {
    const start = await startOf(this.#fs, this.#path);
    const header = headerIn(start);
    // A part of a header is removed by the next write.
    this.#isTorn = !header && start.length > 0;
    this.#cipher = header && this.#cipherOf(header);
    this.#end = header ? (await this.#reading((reader) => reader.find(Number.POSITIVE_INFINITY))).place : EMPTY;
    return this.#end;
  }

  #cipherOf(header: Header): FileCipher {
    const cipher = FileCipher.open(header, this.#encryption);
    if (cipher?.layout !== 'records') throw new Error(`nothing can be appended to ${this.#path}: its header is not that of a journal`);
    return cipher;
  }

  async #reading<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const file = await this.#fs.open(this.#path, 'read');
    return work(new Reader(file, this.#path, this.#cipher!, () => {})).finally(() => file.close());
  }
}

const EMPTY: Place = { position: 0, content: 0 };
