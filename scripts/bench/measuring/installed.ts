import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Builds the checkout that is the working directory, and packs it into `folder`. Returns the path of the tarball. */
export function packed(folder: string): string {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', npm, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  return join(folder, filename);
}

/** Installs packages, such as a name with a range or a tarball, in a new project, and returns its folder. */
export function installed(folder: string, packages: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'scratch', private: true, type: 'module' }));
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'ignore' });
  return folder;
}
