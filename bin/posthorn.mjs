#!/usr/bin/env node
// The command line. It is a file of the checkout, so that npx finds it there before anything is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/sandbox/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('posthorn: this checkout is not built yet; build it with: npm ci && npm run build (npm start builds, too)\n');
  process.exitCode = 2;
}
