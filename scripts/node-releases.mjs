// Other releases of Node, from packages of the npm registry that consist of the binary.
import { join } from 'node:path';
import { installed } from './on-demand.mjs';

/**
 * Paths of Node's binary by release, such as `22` for the newest of that line, for the machine that runs this. Installs the releases on
 * first use.
 * @throws Error when the registry does not have them, or does not respond
 */
export function nodeReleases(releases) {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const binary = join('bin', process.platform === 'win32' ? 'node.exe' : 'node');
  return new Map(releases.map((release) => [release, join(installed(`${name}@${release}`), name, binary)]));
}
