#!/usr/bin/env node
// The command line. It is a file of the checkout, so that npx finds it there before anything is built.
import { existsSync, readFileSync } from 'node:fs';

const main = new URL('../dist/sandbox/main.js', import.meta.url);
const freshness = new URL('../scripts/freshness.mjs', import.meta.url);

/** The Node that package.json asks for, when this one is older: some module deep inside would say it in words of its own. */
function neededNode() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const needed = engines.node.replace('>=', '');
  const [major, minor] = needed.split('.').map(Number);
  const [ours, oursMinor] = process.versions.node.split('.').map(Number);
  return ours < major || (ours === major && oursMinor < minor) ? needed : undefined;
}

const needed = neededNode();
if (needed) {
  process.stderr.write(`posthorn: this is Node ${process.versions.node}; it needs ${needed} or newer\n`);
  process.exitCode = 2;
} else if (existsSync(main)) {
  const isChanged = existsSync(freshness) && !(await import(freshness.href)).isBuilt();
  if (isChanged) process.stderr.write('posthorn: the sources have changed since they were built; npm start builds them\n');
  await import(main.href);
} else {
  process.stderr.write('posthorn: this checkout is not built yet; build it with: npm ci && npm run build (npm start builds, too)\n');
  process.exitCode = 2;
}
