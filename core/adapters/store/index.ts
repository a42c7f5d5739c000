/** The public part of the store. Other folders import only this file. */

import { lazy } from '../../lazy.js';
import { encryptedFiles, keyIdIn } from '../encryption/encrypted-files.js';
import { KeyMissing } from '../encryption/file-cipher.js';
import { nodeFileSystem, readFully } from '../file-system.js';
import { keyIdOf } from '../secrets/sealed-secrets.js';
import type { BackupOptions, BackupReport, RestoreOptions, RestoreReport } from './backup/backup-data.js';
import type { CheckOptions, DataReport, RepairReport } from './check/repair-data.js';

export type { BackupOptions, BackupReport, RestoreOptions, RestoreReport } from './backup/backup-data.js';
export type { CheckOptions, DataProblem, DataReport, RepairReport } from './check/repair-data.js';
export { type CompactionInput, type CompactionOutput, compaction } from './compaction.js';
export { emptyCommit } from './files/journal-file.js';
export { sealed } from './files/sealed.js';
export { JsonStore, type JsonStoreOptions } from './json-store.js';
export { liveOverStore } from './live-over-store.js';
export { LogStore } from './log-store.js';
export type { LogStoreOptions } from './log-store-options.js';
export { MemoryStore } from './memory-store.js';
export { documentsInLogFiles, FolderSource, FolderTarget, placingsOf } from './moved-folder.js';
export { documentsIn, LinePacker, Overlay } from './moved-lines.js';
export { TenantsMixed, tenantChecked } from './tenant-check.js';
export { Tenure } from './tenure.js';

/**
 * The content of a file of a data folder, encrypted or not; undefined if it does not exist. Damaged data is replaced by zeros.
 * @param secretKeys 64 hexadecimal digits each
 * @throws KeyMissing
 */
export async function readEncrypted(
  path: string,
  secretKeys: readonly string[],
): Promise<{ readonly bytes: Buffer | undefined; readonly damages: readonly string[] }> {
  const keys = secretKeys.map((key) => Buffer.from(key, 'hex'));
  const keyId = await keyIdIn(nodeFileSystem, path);
  if (keyId !== undefined && !keys.some((key) => keyIdOf(key) === keyId)) throw new KeyMissing(path, keyId);
  const damages: string[] = [];
  const fs = encryptedFiles(nodeFileSystem, { keys, isOn: false }, (_path, damage) => damages.push(damage));
  return { bytes: await readFully(fs, path), damages };
}

const backup = lazy(() => import('./backup/backup-data.js'));
const repair = lazy(() => import('./check/repair-data.js'));

/**
 * Checks every record and every other file of a data folder. Changes nothing. No other process may have the folder open. Set
 * `hasOwnKey` if the platform is started with `secretKey`; otherwise a missing key file is reported as a problem.
 * @throws FolderInUse, NoData, FormatTooNew, KeyMissing
 */
export async function checkData(folder: string, options?: CheckOptions): Promise<DataReport> {
  return (await repair.get()).checkData(folder, undefined, options);
}

/**
 * Repairs a damaged data folder so that a platform opens it: keeps every readable document and transaction, and moves the rest
 * to a separate file. Leaves an undamaged folder unchanged. Safe to run again after an interruption. Set `hasOwnKey` as for
 * `checkData`.
 * @throws FolderInUse, NoData, FormatTooNew, KeyMissing
 */
export async function repairData(folder: string, options?: CheckOptions): Promise<RepairReport> {
  return (await repair.get()).repairData(folder, undefined, options);
}

/**
 * Adds a backup of a data folder, as of one transaction, to a folder of backups. A platform may use the data folder meanwhile. The
 * backup is a data folder itself, with media files and keys. It shares unchanged files with the previous backup, by hard links. An
 * interrupted backup is never among the complete ones, and the next one continues it.
 * @throws NoData, FormatTooNew, DataDamaged, CopyFailed, KeyMissing; FolderInUse while another process makes a backup in the same folder
 */
export async function backupData(folder: string, backups: string, options?: BackupOptions): Promise<BackupReport> {
  return (await backup.get()).backupData(folder, backups, options);
}

/**
 * Copies a backup to a new folder, with which a platform then starts. Verifies every checksum. Safe to run again after an interruption.
 * @throws NoData, FormatTooNew, DataDamaged, CopyFailed, KeyMissing; FolderInUse while a platform uses the folder
 */
export async function restoreData(from: string, folder: string, options?: RestoreOptions): Promise<RestoreReport> {
  return (await backup.get()).restoreData(from, folder, options);
}
export { erasureListIn } from './erasure-list.js';
