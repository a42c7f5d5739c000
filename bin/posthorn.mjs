#!/usr/bin/env node
// The command line. Source and not build output, so that npx finds it in a checkout that is not built yet.
import { existsSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/sandbox/main.js', import.meta.url);
const freshness = new URL('../scripts/freshness.mjs', import.meta.url);

/** An npm command for this checkout, which may be called from elsewhere. */
function npm(command) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  return `${process.cwd()}${sep}`.startsWith(root) ? `npm ${command}` : `npm ${command} --prefix "${root}"`;
}

/** The Node version that package.json requires, if this one is older. Otherwise some dependency would fail with an obscure error. */
function neededNode() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const needed = engines.node.replace('>=', '');
  const [major, minor] = needed.split('.').map(Number);
  const [ours, oursMinor] = process.versions.node.split('.').map(Number);
  return ours < major || (ours === major && oursMinor < minor) ? needed : undefined;
}

const needed = neededNode();
if (needed) {
  process.stderr.write(`posthorn: Node ${process.versions.node} is too old; install Node ${needed} or newer\n`);
  process.exitCode = 2;
} else if (existsSync(main)) {
  const isChanged = existsSync(freshness) && !(await import(freshness.href)).isBuilt();
  if (isChanged) process.stderr.write(`posthorn: the build is older than the sources; rebuild with: ${npm('run build')}\n`);
  await import(main.href);
} else {
  process.stderr.write(`posthorn: this checkout is not built yet; build it with: ${npm('ci')} && ${npm('run build')}\n`);
  process.exitCode = 2;
}
