import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type FileSystem, hasCode, nodeFileSystem, replaceFile } from '../../file-system.js';
import { NoData } from '../check/scan-data.js';
import { ERASURES_FILE, mergeErasureLists } from '../erasure-list.js';
import { RESTORING_FILE, readFormat } from '../files/data-folder.js';
import { assertNotInUse, lockFolder } from '../files/folder-lock.js';
import { type CopiedFolder, type CopyProgress, copyFolder } from './copy-folder.js';
import { CopyFailed } from './file-copier.js';

export interface BackupOptions {
  /** Called several times a second at most while files are copied and verified. */
  readonly onProgress?: (progress: CopyProgress) => void;
  /** The time in the name of the backup; now if not given. */
  readonly at?: Date;
  /** Of an encrypted folder: its secret keys, 64 hexadecimal digits each. */
  readonly secretKeys?: readonly string[];
}

export interface RestoreOptions extends Omit<BackupOptions, 'at'> {
  /** Lists of erased contacts, besides that in the folder of the backups. */
  readonly erasures?: readonly string[];
}

/** The result of a restore, and of a backup. */
export interface RestoreReport {
  readonly folder: string;
  /** The folder of the backup, which is a data folder itself. */
  readonly backup: string;
  readonly format: number;
  /** The last transaction in the backup. */
  readonly through: number;
  readonly files: number;
  readonly bytes: number;
  /** Bytes that this run wrote. */
  readonly copied_bytes: number;
  readonly media_files: number;
  /** Media files that are damaged in the source, and so not in the copy. */
  readonly damaged_media: readonly string[];
  /** The files besides documents and media: the key of the secrets, and the files of a sandbox. */
  readonly other_files: readonly string[];
}

/** The result of a backup. */
export interface BackupReport extends RestoreReport {
  /** The backup whose unchanged files it shares, by hard links; undefined for the first. */
  readonly earlier?: string;
  readonly linked_bytes: number;
}

const INCOMPLETE = 'incomplete';
const LOCK = 'lock';
/** A backup is named after its time, so that the names are in the order of the backups. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
const nameAt = (time: Date): string => time.toISOString().replaceAll(':', '-');

/** See `index.ts`. An interrupted backup stays in the subfolder `incomplete`, whose name changes when it is complete. */
export async function backupData(
  folder: string,
  backups: string,
  { onProgress, secretKeys, at = new Date() }: BackupOptions = {},
  fs: FileSystem = nodeFileSystem,
): Promise<BackupReport> {
  const format = await formatOf(fs, folder);
  if (format === 1)
    throw new CopyFailed(
      `${folder} has format 1, which does not list its files. Start a platform with it once, or stop it and copy the folder`,
    );
  if ((await readFormat(fs, backups)) !== undefined)
    throw new CopyFailed(`${backups} is a data folder itself, or a backup. Choose a folder for backups, such as its parent folder`);
  await assertApart(folder, backups);
  const to = join(backups, INCOMPLETE);
  await fs.makeFolder(to);
  return locked(fs, backups, async (assertLocked) => {
    const names = (await fs.listFolders(backups)).filter((name) => NAME.test(name));
    const earlier = names.at(-1) && join(backups, names.at(-1)!);
    const backup = join(backups, nameAt(at));
    if (names.includes(nameAt(at))) throw new CopyFailed(`${backup} exists already. Run the command again`);
    const copied = await copyFolder({ fs, secretKeys, from: folder, to, earlier, onProgress });
    assertLocked();
    await fs.rename(to, backup);
    await fs.syncFolder(backups);
    await mergeErasureLists(fs, join(backups, ERASURES_FILE), [join(backup, ERASURES_FILE)]);
    return { ...reportOf(folder, backup, copied), ...(earlier !== undefined && { earlier }), linked_bytes: copied.linkedBytes };
  });
}

/** See `index.ts`. No platform opens the folder before it is complete, because `format.json` comes last. */
export async function restoreData(
  backup: string,
  folder: string,
  { onProgress, secretKeys, erasures = [] }: RestoreOptions = {},
  fs: FileSystem = nodeFileSystem,
): Promise<RestoreReport> {
  await formatOf(fs, backup);
  await assertApart(backup, folder);
  await fs.makeFolder(folder);
  await assertNotInUse(fs, folder);
  await assertNew(fs, folder);
  return locked(fs, folder, async (assertLocked) => {
    await assertNew(fs, folder);
    await replaceFile(fs, folder, RESTORING_FILE, [Buffer.from(`${JSON.stringify({ backup })}\n`)]);
    const copied = await copyFolder({ fs, secretKeys, from: backup, to: folder, kept: [LOCK, RESTORING_FILE], onProgress });
    // So that the first start erases again who was erased after the backup.
    await mergeErasureLists(fs, join(folder, ERASURES_FILE), [join(dirname(backup), ERASURES_FILE), ...erasures]);
    assertLocked();
    await fs.remove(join(folder, RESTORING_FILE));
    await fs.syncFolder(folder);
    return reportOf(folder, backup, copied);
  });
}

const reportOf = (folder: string, backup: string, copied: CopiedFolder): RestoreReport => ({
  folder,
  backup,
  format: copied.format,
  through: copied.through,
  files: copied.files,
  bytes: copied.bytes,
  copied_bytes: copied.copiedBytes,
  media_files: copied.mediaFiles,
  damaged_media: copied.damagedMedia,
  other_files: copied.others,
});

/** @throws NoData */
async function formatOf(fs: FileSystem, folder: string): Promise<number> {
  const format = await readFormat(fs, folder);
  if (format !== undefined) return format;
  const folders = await fs.listFolders(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) throw new NoData(`${folder} does not exist`);
    throw error;
  });
  const newest = folders.findLast((name) => NAME.test(name));
  const hint = newest === undefined ? '' : `. It has backups; the newest is ${join(folder, newest)}`;
  throw new NoData(`${folder} is not a data folder: it has no format.json${hint}`);
}

/** @throws CopyFailed when the copy would be within the original */
async function assertApart(from: string, to: string): Promise<void> {
  const [outer, inner] = [await realPathOf(from), await realPathOf(to)];
  if (`${inner}${sep}`.startsWith(`${outer}${sep}`))
    throw new CopyFailed(`${to} is in ${from}. Choose a folder outside, best on another disk`);
}

/** Without symbolic links, as far as the path exists. */
async function realPathOf(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    return join(await realPathOf(dirname(absolute)), basename(absolute));
  }
}

/** @throws CopyFailed when the folder has data, unless a restore was interrupted */
async function assertNew(fs: FileSystem, folder: string): Promise<void> {
  const files = (await fs.list(folder)).map(({ name }) => name).filter((name) => name !== LOCK);
  if (files.includes(RESTORING_FILE)) return;
  const [found] = [...files, ...(await fs.listFolders(folder)).filter((name) => name === 'media')];
  if (found !== undefined)
    throw new CopyFailed(`${folder} is not empty: it has ${found}. Nothing was changed. Choose a new folder, or move this one away first`);
}

/** Runs work with the lock of a folder. */
async function locked<T>(fs: FileSystem, folder: string, work: (assertLocked: () => void) => Promise<T>): Promise<T> {
  let isLost = false;
  const unlock = await lockFolder(fs, folder, {
    onLost: () => {
      isLost = true;
    },
  });
  try {
    return await work(() => {
      if (isLost) throw new CopyFailed(`another process has taken over ${folder}. Run the command again`);
    });
  } finally {
    await unlock();
  }
}
