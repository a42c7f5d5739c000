import type { CheckOptions, DataReport, RepairReport } from './repair-data.js';

// Who imports the platform seldom mends a folder: what that takes comes when it is asked for.

/**
 * Looks at every record of a data folder in which nobody works, and at the files beside them. Changes nothing. Of a platform that
 * is given `secretKey`, say `hasOwnKey`: otherwise the key is missed in the folder.
 * @throws FolderInUse, NoData, FormatTooNew
 */
export async function checkData(folder: string, options?: CheckOptions): Promise<DataReport> {
  const late = await import('./repair-data.js');
  return late.checkData(folder, undefined, options);
}

/**
 * Makes a damaged data folder one that can be opened: every document and every transaction that can be read is kept, and
 * the rest goes into a file of its own. A folder that is whole is left as it is. Can be done again wherever it is stopped. Say
 * `hasOwnKey` as for `checkData`.
 * @throws FolderInUse, NoData, FormatTooNew
 */
export async function repairData(folder: string, options?: CheckOptions): Promise<RepairReport> {
  const late = await import('./repair-data.js');
  return late.repairData(folder, undefined, options);
}
