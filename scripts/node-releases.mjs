// Other releases of Node, from packages of the npm registry that consist of the binary. They stay in a cache folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LIMIT_MS = 120_000;

/**
 * Paths of Node's binary by release, such as `22` for the newest of that line, for the machine that runs this. Installs the releases on
 * first use.
 * @throws Error when the registry does not have them, or does not respond
 */
export function nodeReleases(releases) {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'posthorn-node-releases');
  const binary = join('bin', process.platform === 'win32' ? 'node.exe' : 'node');
  const paths = new Map(releases.map((release) => [release, join(folder, 'node_modules', `node-${release}`, binary)]));
  const missing = releases.filter((release) => !existsSync(paths.get(release)));
  if (missing.length > 0) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'node-releases', private: true }));
    const system = process.platform === 'win32' ? 'win' : process.platform;
    const packages = releases.map((release) => `node-${release}@npm:node-${system}-${process.arch}@${release}`);
    const npm = ['install', '--ignore-scripts', '--no-save', '--prefer-offline', '--no-audit', '--no-fund', ...packages];
    execFileSync('npm', npm, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS });
  }
  return paths;
}
