// Packages that only few scripts and tests need, 120 MB and more that a checkout does without: they are installed into a cache folder on first use.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LIMIT_MS = 180_000;
const versions = {
  '@arethetypeswrong/cli': '0.18.5',
  '@floip/expression-evaluator': '2.1.4',
  '@floip/flow-runner': '1.0.11',
  bullmq: '5.81.5',
  libsql: '0.5.29',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '7.13.2',
  'pg-boss': '10.4.2',
  vitest: '4.1.12',
};
/** The newest of it has no binary for each platform, so `npm install` would fail. */
const overrides = { 'msgpackr-extract': '3.0.4' };

/** The folder of a package of `versions`, which is beside its dependencies. @throws Error when it cannot be installed */
export const packageFolder = (name) => join(installed(`${name}@${versions[name]}`), name);

/** The exports of the main file of a package, for packages in CommonJS. @throws Error when it cannot be installed */
export const required = (name) => createRequire(join(packageFolder(name), 'package.json'))(name);

/**
 * Installs a package, given as to `npm install`, unless an earlier call has.
 * @returns the folder `node_modules` that contains it
 * @throws Error when the registry does not have it, or does not respond
 */
export const installed = (specifier) =>
  join(
    prepared(specifier, 'the registry of npm', (draft, run) => {
      writeFileSync(join(draft, 'package.json'), JSON.stringify({ name: 'on-demand', private: true, overrides }));
      run('npm', ['install', '--ignore-scripts', '--no-package-lock', '--prefer-offline', '--no-audit', '--no-fund', specifier]);
    }),
    'node_modules',
  );

/**
 * Installs packages of PyPI, given as to `pip install`, unless an earlier call has.
 * @returns the environment of the command `python3` that finds them
 * @throws Error when there is no Python, or the registry does not have them or does not respond
 */
export const pythonPath = (...specifiers) => ({
  PYTHONPATH: prepared(`pip-${specifiers.join('-')}`, 'pip', (draft, run) =>
    run('python3', ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--target', draft, ...specifiers]),
  ),
});

/**
 * A folder of the cache, which `install` fills unless an earlier call has.
 * @param install gets the folder, and a function that runs a command in it
 * @throws Error that says why it could not be filled
 */
export function prepared(name, registry, install) {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'posthorn-packages', name.replace(/[^\w.-]+/g, '-'));
  if (existsSync(folder)) return folder;
  console.error(`installing ${name} into ${folder}`);
  // Renamed when it is complete: an installation can be interrupted, or run twice at a time.
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const run = (command, args, env = {}) =>
    execFileSync(command, args, { cwd: draft, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS });
  try {
    install(draft, run);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(folder)) return folder;
    const isMissing = error.code === 'ENOENT' && error.path !== undefined;
    const reason = isMissing ? `${error.path} is not installed` : error.stderr?.toString().trim().split('\n').at(-1) || error.message;
    throw new Error(`${name} is not installed, and ${registry} did not provide it: ${reason}`);
  }
  return folder;
}
