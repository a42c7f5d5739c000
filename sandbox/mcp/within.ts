import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { UsageError } from '../terminal/flags.js';

/**
 * The path of a file below the folder. Tools read and write no other files, also not through links: a caller with the admin key of a
 * sandbox must not reach the whole machine.
 * @throws UsageError for a path outside the folder
 */
export function within(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  if (isOutside(path, cwd) || isOutside(realPath(path), realpathSync(cwd)))
    throw new UsageError(`${file} is outside ${cwd}; name files of this folder`);
  return relative(cwd, path) || '.';
}

function isOutside(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === '..' || /^\.\.[\\/]/.test(from) || isAbsolute(from);
}

/** The path without links. A file that is to be written need not exist. @throws UsageError for a link to a file that does not exist */
function realPath(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return join(realPath(dirname(path)), basename(path));
  try {
    return realpathSync(path);
  } catch (error) {
    throw found.isSymbolicLink() ? new UsageError(`${path} is a broken link`) : error;
  }
}
