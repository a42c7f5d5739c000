import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../../ports/logger.js';
import { encryptedFiles, keyIdIn } from '../encryption/encrypted-files.js';
import type { Encryption } from '../encryption/file-cipher.js';
import { type FileSystem, hasCode, readChunks, readFully, replaceFile, TEMPORARY } from '../file-system.js';
import { KEY_FILE, keyIn } from '../secrets/key-file.js';
import { keyIdOf } from '../secrets/sealed-secrets.js';
import { CONTENTS_FILE } from './files/contents-file.js';
import { assertKeys, encryptionWith, FORMAT, type FolderEncryption, readEncryption, writeFormat } from './files/data-folder.js';
import { firstTxOf } from './files/journal-file.js';
import { partCollectionOf } from './files/part-file.js';
import { readLines } from './files/read-lines.js';
import { collectionOf } from './files/snapshot-file.js';

const MEDIA = 'media';
const SHA256 = /^[0-9a-f]{64}$/;
const SET_ASIDE = /^set-aside-\d+\.jsonl$/;
const FIRST_LOG_AFTER_MS = 1_000;
const LOG_EVERY_MS = 2_000;
const MIB = 1 << 20;

export interface ConversionOptions {
  /** Without encryption. */
  readonly disk: FileSystem;
  readonly folder: string;
  readonly encryption: Encryption;
  readonly log: Logger;
  /** Real milliseconds. */
  readonly now: () => number;
}

interface EncryptableFile {
  readonly folder: string;
  readonly name: string;
  readonly size: number;
}

/**
 * Rewrites the files of a data folder that are not encrypted with the current key; or decrypts all, if the encryption is off. Each file is
 * replaced atomically, and `format.json` names all keys until the last one is converted, so a start after a crash continues.
 */
export async function convertFolder(options: ConversionOptions): Promise<void> {
  const { disk, folder, encryption, log, now } = options;
  const stored = await readEncryption(disk, folder);
  const wanted = encryption.isOn ? keyIdOf(encryption.keys[0]!) : undefined;
  if (wanted !== undefined) await warnOfKeyFile(options, wanted);
  const isDone = wanted === undefined ? !stored : stored?.isComplete && stored.keys[0] === wanted;
  if (isDone) return;
  const keys = [...new Set([...(stored?.keys ?? []), ...(wanted === undefined ? [] : [wanted])])];
  await writeFormat(disk, folder, FORMAT, encryptionWith(keys, false));
  const files = await encryptableIn(disk, folder);
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const verb = wanted === undefined ? 'decrypting' : 'encrypting';
  const startedAt = now();
  let nextLogAt = startedAt + FIRST_LOG_AFTER_MS;
  let bytes = 0;
  const damaged: string[] = [];
  for (const file of files) {
    if (file.name.endsWith(TEMPORARY)) await disk.remove(join(file.folder, file.name));
    else if ((await keyIdIn(disk, join(file.folder, file.name))) !== wanted && !(await convert(options, file))) damaged.push(file.name);
    bytes += file.size;
    if (now() < nextLogAt) continue;
    nextLogAt = now() + LOG_EVERY_MS;
    const percent = Math.floor((100 * bytes) / Math.max(1, totalBytes));
    log.info(`${verb} the data folder: ${percent} % of ${(totalBytes / MIB).toFixed(1)} MiB`, { folder, percent });
  }
  if (damaged.length > 0) {
    log.error('damaged files keep their encryption; the next start tries again', { folder, files: damaged });
    return;
  }
  await writeFormat(disk, folder, FORMAT, wanted === undefined ? undefined : encryptionWith([wanted]));
  log.info(wanted === undefined ? 'the data folder was decrypted' : 'the data folder was encrypted', {
    folder,
    ...(wanted !== undefined && { key: wanted }),
    files: files.length,
    elapsedMs: Math.round(now() - startedAt),
  });
}

/**
 * Opens the files of a data folder for a command, which reads them, and writes as a platform would.
 * @param secretKeys 64 hexadecimal digits each
 * @throws KeyMissing when the folder is encrypted with another key
 */
export async function openFolderFiles(
  disk: FileSystem,
  folder: string,
  secretKeys: readonly string[] = [],
): Promise<{ readonly fs: FileSystem; readonly encryption: FolderEncryption | undefined }> {
  const keys = secretKeys.map((key) => Buffer.from(key, 'hex'));
  // If `format.json` is damaged, the other files still say it.
  const ofContents = await keyIdIn(disk, join(folder, CONTENTS_FILE));
  const stored = (await readEncryption(disk, folder)) ?? (ofContents === undefined ? undefined : encryptionWith([ofContents], false));
  if (stored) assertKeys(folder, stored, keys);
  // Only a start gives a folder another key.
  const own = keys.filter((key) => keyIdOf(key) === stored?.keys[0]);
  return { fs: encryptedFiles(disk, { keys: [...own, ...keys], isOn: stored !== undefined }), encryption: stored };
}

/** By id of the key, the number of files that are encrypted with it; those that are not, under `none`. */
export async function keysOfFiles(disk: FileSystem, folder: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const file of await encryptableIn(disk, folder)) {
    const id = (await keyIdIn(disk, join(file.folder, file.name))) ?? 'none';
    if (file.size > 0) counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

/** The files that an encryption covers. */
async function encryptableIn(disk: FileSystem, folder: string): Promise<EncryptableFile[]> {
  const isEncryptable = (name: string): boolean =>
    name === CONTENTS_FILE ||
    SET_ASIDE.test(name) ||
    collectionOf(name) !== undefined ||
    partCollectionOf(name) !== undefined ||
    firstTxOf(name) !== undefined;
  const files = (await disk.list(folder)).filter(({ name }) => isEncryptable(name.replace(TEMPORARY, '')));
  return [...files.map(({ name, size }) => ({ folder, name, size })), ...(await mediaIn(disk, join(folder, MEDIA)))];
}

async function mediaIn(disk: FileSystem, folder: string): Promise<EncryptableFile[]> {
  try {
    const files = (await disk.list(folder)).filter(({ name }) => SHA256.test(name.replace(TEMPORARY, '')));
    const found = files.map(({ name, size }) => ({ folder, name, size }));
    for (const name of await disk.listFolders(folder)) found.push(...(await mediaIn(disk, join(folder, name))));
    return found;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** @returns false if the file is damaged, and stays as it is */
async function convert({ disk, encryption }: ConversionOptions, { folder, name }: EncryptableFile): Promise<boolean> {
  const path = join(folder, name);
  let isDamaged = false;
  const fs = encryptedFiles(disk, encryption, () => {
    isDamaged = true;
  });
  const undamaged = async function* (): AsyncGenerator<Buffer, void> {
    yield* readChunks(fs, path);
    if (isDamaged) throw new FileDamaged();
  };
  try {
    if (firstTxOf(name) === undefined) await replaceFile(fs, folder, name, undamaged());
    else await convertSegment(fs, folder, name, () => isDamaged);
    return true;
  } catch (error) {
    if (!(error instanceof FileDamaged)) throw error;
    await disk.remove(`${path}${TEMPORARY}`);
    // A media file that a client uploaded may look like an encrypted file.
    const isPlain = SHA256.test(name) && hashOf(await readFully(disk, path)) === name;
    if (isPlain && encryption.isOn) await replaceFile(fs, folder, name, readChunks(disk, path));
    return isPlain;
  }
}

class FileDamaged extends Error {}

/** Its records have to end at the end of a line, so that an incomplete line at the end can be removed. */
async function convertSegment(fs: FileSystem, folder: string, name: string, isDamaged: () => boolean): Promise<void> {
  const path = join(folder, name);
  const temporary = `${path}${TEMPORARY}`;
  await fs.remove(temporary);
  const file = await fs.open(temporary, 'append');
  try {
    for await (const lines of readLines(fs, path)) {
      for (const ended of [true, false]) {
        const some = lines.filter((line) => line.ended === ended);
        await file.write(Buffer.concat(some.flatMap(({ bytes }) => (ended ? [bytes, LINE_END] : [bytes]))));
      }
    }
    if (isDamaged()) throw new FileDamaged();
    await file.sync();
  } finally {
    await file.close();
  }
  await fs.rename(temporary, path);
  await fs.syncFolder(folder);
}

const LINE_END = Buffer.from('\n');

const hashOf = (bytes: Buffer | undefined): string | undefined => bytes && createHash('sha256').update(bytes).digest('hex');

async function warnOfKeyFile({ disk, folder, log }: ConversionOptions, wanted: string): Promise<void> {
  const key = keyIn((await readFully(disk, join(folder, KEY_FILE)))?.toString() ?? '');
  if (key && keyIdOf(key) === wanted)
    log.warn('the key with which the data folder is encrypted is in the folder itself; remove the file', { file: join(folder, KEY_FILE) });
}
