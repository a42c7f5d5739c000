import { isAbsolute, relative, resolve } from 'node:path';
import { UsageError } from '../terminal/flags.js';

/**
 * The path of a file below the folder. Tools read no other files: a caller with the admin key of a sandbox must not read the whole machine.
 * @throws UsageError for a path outside the folder
 */
export function within(file: string, cwd: string): string {
  const path = relative(cwd, resolve(cwd, file));
  if (path.startsWith('..') || isAbsolute(path)) throw new UsageError(`${file} is outside ${cwd}; name files of this folder`);
  return path || '.';
}
