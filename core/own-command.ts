import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command as messages and pages name it. It works in a checkout, and in folders in which Posthorn is installed. */
const NAMED = 'npx posthorn';

/** A path as a word of a shell. */
export function quoted(path: string): string {
  if (process.platform === 'win32') return /^[\w./:\\-]+$/.test(path) ? path : `"${path}"`;
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/**
 * The command that runs this copy of Posthorn in a folder: `npx posthorn` where npm finds this copy, otherwise `node` with the path of
 * this copy. Elsewhere, `npx posthorn` would ask the registry for the package.
 */
export function ownCommand(folder: string = process.cwd()): string {
  const bin = fileURLToPath(new URL('../../bin/posthorn.mjs', import.meta.url));
  // Absent if the host application was bundled with Posthorn.
  if (!existsSync(bin)) return NAMED;
  if (isFoundByNpx(folder, bin)) return NAMED;
  return isOnPath(process.argv[1] ?? '') ? 'posthorn' : `node ${quoted(bin)}`;
}

/** Replaces `npx posthorn` in a text by the command that works in a folder. */
export const withOwnCommand = (text: string, folder?: string): string => text.replaceAll(NAMED, () => ownCommand(folder));

/** Looks where npx looks: at the package of the folder, then into `node_modules` of it and of the folders above it, then into its cache. */
function isFoundByNpx(folder: string, bin: string): boolean {
  const root = dirname(dirname(bin));
  const above = [resolve(folder)];
  while (dirname(above.at(-1)!) !== above.at(-1)) above.push(dirname(above.at(-1)!));
  const nearest = above.findIndex((at) => existsSync(join(at, 'package.json')) || existsSync(join(at, 'node_modules')));
  if (nearest >= 0 && realpathSync(above[nearest]!) === root) return true;
  const installed = above.slice(Math.max(nearest, 0)).find((at) => existsSync(join(at, 'node_modules/.bin/posthorn')));
  const copy = installed && join(installed, 'node_modules/posthorn/bin/posthorn.mjs');
  if (copy) return existsSync(copy) && realpathSync(copy) === bin;
  return root.split(/[\\/]/).includes('_npx') && JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).published === true;
}

/** Whether a person typed `posthorn`, which a global installation puts on the path. npm adds its own folders to the path of its children. */
const isOnPath = (script: string): boolean =>
  basename(script) === 'posthorn' &&
  basename(dirname(script)) !== '.bin' &&
  (process.env.PATH ?? '').split(delimiter).includes(dirname(script));
