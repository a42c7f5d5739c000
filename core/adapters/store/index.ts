/** The face of the store. Other folders import this file and none of the others beside it. */

import { lazy } from '../../lazy.js';
import type { CheckOptions, DataReport, RepairReport } from './check/repair-data.js';

export type { CheckOptions, DataProblem, DataReport, RepairReport } from './check/repair-data.js';
export { compaction } from './compaction.js';
export { JsonStore, type JsonStoreOptions } from './json-store.js';
export { MemoryStore } from './memory-store.js';

const repair = lazy(() => import('./check/repair-data.js'));

/**
 * Reads every record of a data folder that no process has open, and the files beside them. Changes nothing. Of a platform that
 * is given `secretKey`, say `hasOwnKey`: otherwise the key is missed in the folder.
 * @throws FolderInUse, NoData, FormatTooNew
 */
export async function checkData(folder: string, options?: CheckOptions): Promise<DataReport> {
  return (await repair.get()).checkData(folder, undefined, options);
}

/**
 * Repairs a damaged data folder so that a platform opens it: every document and every transaction that can be read is kept, and
 * the rest goes into a file of its own. An undamaged folder is left as it is. Where it is interrupted, it can be run again. Say
 * `hasOwnKey` as for `checkData`.
 * @throws FolderInUse, NoData, FormatTooNew
 */
export async function repairData(folder: string, options?: CheckOptions): Promise<RepairReport> {
  return (await repair.get()).repairData(folder, undefined, options);
}
