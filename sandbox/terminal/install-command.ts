import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoted } from '../../core/own-command.js';
import { published, version } from '../version.js';

/**
 * The command that installs the new package's dependencies. From a checkout it first packs Posthorn, which also builds the types that `npm
 * start` does not. A Posthorn that was installed from a tarball is packed again, because the registry may not have this version.
 */
export const installCommand = (root = fileURLToPath(new URL('../../../', import.meta.url))): string => {
  const pack = (more: string): string => `npm pack --silent${more} ${quoted(root)} && npm install -D ./posthorn-${version}.tgz`;
  if (existsSync(join(root, 'scripts/start.mjs'))) return pack('');
  // Its build scripts are not part of the package.
  return published && isFromRegistry(root) ? 'npm install' : pack(' --ignore-scripts');
};

/** Whether npm installed this copy from a registry. Without its lock file, such as with other package managers, it is taken as one. */
function isFromRegistry(root: string): boolean {
  try {
    const { packages } = JSON.parse(readFileSync(join(root, '../.package-lock.json'), 'utf8'));
    return !String(packages['node_modules/posthorn']?.resolved ?? '').startsWith('file:');
  } catch {
    return true;
  }
}
