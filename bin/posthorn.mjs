#!/usr/bin/env node
// The command line. It is a file of the checkout, so that npx finds it there before anything is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/sandbox/main.js', import.meta.url);
const freshness = new URL('../scripts/freshness.mjs', import.meta.url);

if (existsSync(main)) {
  const isChanged = existsSync(freshness) && !(await import(freshness.href)).isBuilt();
  if (isChanged) process.stderr.write('posthorn: the sources have changed since they were built; npm start builds them\n');
  await import(main.href);
} else {
  process.stderr.write('posthorn: this checkout is not built yet; build it with: npm ci && npm run build (npm start builds, too)\n');
  process.exitCode = 2;
}
