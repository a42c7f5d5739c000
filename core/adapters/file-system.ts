import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** The extension of an incomplete file; a leftover can be deleted. */
export const TEMPORARY = '.tmp';
const CHUNK_BYTES = 1 << 20;
const FIRST_CHUNK_BYTES = 1 << 14;

/** File operations of the embedded store and the blobs. Tests replace it to simulate disk faults. */
export interface FileSystem {
  /** `create` fails with `EEXIST` if the file exists; `append` creates it if missing. Only the owner can access the files. */
  open(path: string, how: 'read' | 'append' | 'create' | 'replace'): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name, a hard link. Fails where the disk has no hard links. */
  link(from: string, to: string): Promise<void>;
  /** Does nothing if the file does not exist. */
  remove(path: string): Promise<void>;
  /** Sets the modification time of a file to now. */
  touch(path: string): Promise<void>;
  /** The files in a folder, in name order, without subfolders. Another process may delete files meanwhile. */
  list(folder: string): Promise<readonly ListedFile[]>;
  /** The names of the subfolders, in order. */
  listFolders(folder: string): Promise<readonly string[]>;
  /** Creates a folder and its parents, accessible only to their owner. Does nothing if it exists. */
  makeFolder(path: string): Promise<void>;
  /** Makes creations, renames and deletions in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

export interface ListedFile {
  readonly name: string;
  readonly size: number;
  readonly changedAt: Date;
}

export interface OpenFile {
  /** @returns the number of bytes read, 0 at the end */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Appends all bytes. */
  write(bytes: Uint8Array): Promise<void>;
  /** Set if a write is durable when it resolves, so that it needs no `sync`. */
  readonly writesDurably?: boolean;
  truncate(size: number): Promise<void>;
  /** Makes the content durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * On Linux an appended write syncs its data in the same system call: one trip to the thread pool instead of two. Elsewhere the flag is
 * missing, or leaves the data in the cache of the disk.
 */
const APPENDS_DURABLY = process.platform === 'linux';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_TRUNC, O_DSYNC } = constants;
const flags = {
  read: O_RDONLY,
  append: O_WRONLY | O_APPEND | O_CREAT | (APPENDS_DURABLY ? O_DSYNC : 0),
  create: O_WRONLY | O_CREAT | O_EXCL,
  replace: O_WRONLY | O_CREAT | O_TRUNC,
};

export const nodeFileSystem: FileSystem = {
  open: async (path, how) => openFile(await open(path, flags[how], 0o600), how === 'append' && APPENDS_DURABLY),
  rename,
  link,
  remove: (path) => rm(path, { force: true }),
  touch: (path) => utimes(path, new Date(), new Date()),
  list: async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
    const files = await Promise.all(names.sort().map((name) => fileAt(folder, name)));
    return files.filter((file) => file !== undefined);
  },
  listFolders: async (folder) => {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  },
  makeFolder: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
  syncFolder: async (path) => {
    // Windows cannot open a folder to sync it, and does not need to.
    if (process.platform === 'win32') return;
    const folder = await open(path, O_RDONLY);
    await folder.sync().finally(() => folder.close());
  },
};

/** A file, also through a symbolic link; undefined if it does not exist any more, or is something else. */
async function fileAt(folder: string, name: string): Promise<ListedFile | undefined> {
  try {
    const found = await stat(join(folder, name));
    return found.isFile() ? { name, size: found.size, changedAt: found.mtime } : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function openFile(file: FileHandle, writesDurably: boolean): OpenFile {
  return {
    writesDurably,
    read: async (into, position) => (await file.read(into, 0, into.length, position)).bytesRead,
    write: async (bytes) => {
      for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
    },
    truncate: (size) => file.truncate(size),
    sync: () => file.datasync(),
    close: () => file.close(),
  };
}

/** Reads a complete file; undefined if it does not exist. */
export async function readFully(fs: FileSystem, path: string): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of readChunks(fs, path)) chunks.push(chunk);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  return Buffer.concat(chunks);
}

export async function* readChunks(fs: FileSystem, path: string, chunkBytes = CHUNK_BYTES): AsyncGenerator<Buffer, void> {
  const file = await fs.open(path, 'read');
  try {
    yield* chunksOf(file, chunkBytes);
  } finally {
    await file.close();
  }
}

/** The content of an open file. */
export async function* chunksOf(file: OpenFile, chunkBytes = CHUNK_BYTES): AsyncGenerator<Buffer, void> {
  // Most files are small. Chunks outside of the heap make V8 collect garbage often, so the first is small, and what is left is used.
  let chunk = Buffer.allocUnsafeSlow(Math.min(FIRST_CHUNK_BYTES, chunkBytes));
  let used = 0;
  for (let position = 0; ; ) {
    if (used === chunk.length) {
      chunk = Buffer.allocUnsafeSlow(Math.min(2 * chunk.length, chunkBytes));
      used = 0;
    }
    const bytes = await file.read(chunk.subarray(used), position);
    if (bytes === 0) return;
    yield chunk.subarray(used, used + bytes);
    position += bytes;
    used += bytes;
  }
}

/** Replaces a file atomically: after a crash it has either the old or the new content. */
export async function replaceFile(
  fs: FileSystem,
  folder: string,
  name: string,
  content: AsyncIterable<Uint8Array> | Uint8Array[],
): Promise<void> {
  const temporary = join(folder, `${name}${TEMPORARY}`);
  const file = await fs.open(temporary, 'replace');
  try {
    try {
      for await (const bytes of content) await file.write(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(temporary, join(folder, name));
  } catch (error) {
    // A full disk needs the space. The next start removes a file that this cannot remove.
    await fs.remove(temporary).catch(() => undefined);
    throw error;
  }
  await fs.syncFolder(folder);
}

export const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
