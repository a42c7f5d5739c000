// `node scripts/publish.mjs`: publishes a release with provenance, from a GitHub Actions workflow with `permissions: id-token: write`.
// `--dry-run [TARBALL]` does everything except the upload, also without a network, and lists what a release still needs. `--prepare` sets
// `published` in package.json, after which pages and hints say `npm install posthorn`.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './compile.mjs';
import { SBOM, writeSbom } from './sbom.mjs';

const [flag, tarball] = process.argv.slice(2);
const isDryRun = flag === '--dry-run';
const packageFile = join(root, 'package.json');
const manifest = JSON.parse(readFileSync(packageFile, 'utf8'));
const { version } = manifest;
if (flag === '--prepare') {
  writeFileSync(packageFile, readFileSync(packageFile, 'utf8').replace('"published": false', '"published": true'));
  console.log('publish: "published" is true in package.json; now run node scripts/docs.mjs, which changes the pages, and commit');
  process.exit();
}
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const missing = [...missingRequirements()];
for (const one of missing) console.log(`publish: ${isDryRun ? 'a release needs' : 'refused, this needs'} ${one}`);
if (missing.length > 0 && !isDryRun) process.exit(1);

// The bill names the bundled packages, which the build knows.
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
console.log(`publish: ${SBOM} lists ${writeSbom()} packages`);
// A registry that does not respond must not delay a dry run: npm asks it only whether the version exists.
const options = isDryRun ? ['--dry-run', '--ignore-scripts', '--fetch-retries', '0', '--fetch-timeout', '5000'] : [];
const npm = ['publish', ...(tarball ? [tarball] : []), '--provenance', '--access', 'public', ...options];
const { status, stderr } = spawnSync('npm', npm, { cwd: root, encoding: 'utf8' });
if (status !== 0) {
  console.error(stderr.trim());
  process.exit(1);
}
console.log(`publish: ${manifest.name}@${version}${isDryRun ? ' passes a dry run' : ' is published'}`);

/** Requirements of npm and of our release procedure that the checkout does not meet. */
function* missingRequirements() {
  if (!manifest.repository?.url) yield '"repository" in package.json: npm compares it with the repository that the provenance names';
  for (const field of ['bugs', 'homepage', 'author']) if (!manifest[field]) yield `"${field}" in package.json`;
  if (!manifest.published) yield '"published": true in package.json, and pages that say so: node scripts/publish.mjs --prepare';
  if (manifest.publishConfig?.provenance !== true) yield '"publishConfig": { "provenance": true } in package.json';
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_URL) yield 'a workflow with permission id-token: write, which signs the provenance';
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  if (!changelog.includes(`\n## [${version}] - `)) yield `a section [${version}] with its date in CHANGELOG.md`;
  if (/## \[Unreleased\]\s+###/.test(changelog)) yield 'the entries under Unreleased in CHANGELOG.md moved to the version';
  if (git('status', '--porcelain') !== '') yield 'a checkout without changes';
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) yield `the tag v${version} on this commit`;
}
