// `npm run docs` takes the pictures of the pages from a running sandbox: `sandbox/pictures/*.webp`.
// `--review FOLDER` also writes each as PNG in both themes and as wide as a phone; words select pictures.
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { adminGet, adminSend } from '../sandbox/client/admin-client.js';
import { signInUrl } from '../sandbox/client/console.js';
import { startSandbox } from '../sandbox/compose.js';
import { takeChannels } from './pictures/channels.js';
import { takeConsole } from './pictures/console.js';
import { capture, type Receiver, type Stage } from './pictures/stage.js';

const CHROMIUM = '/usr/bin/chromium';
const FOLDER = 'sandbox/pictures';
const MAX_BYTES = 850_000;
const { review } = parseArgs({ options: { review: { type: 'string' } } }).values;

if (!existsSync(CHROMIUM)) {
  console.log(`pictures: skipped, no browser at ${CHROMIUM}`);
  process.exit(0);
}
if (review !== undefined) mkdirSync(review, { recursive: true });

// A fixed seed key and a manual clock, so that ids and times in the pictures change only with the demo.
const sandbox = await startSandbox({ seed: 'demo', seedKey: 'pictures', clock: 'manual', logLevel: 'error' });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' });
// Pictures in the format WebP have a third of the size, and Playwright takes only PNG and JPEG itself.
const debug = await page.context().newCDPSession(page);
const server = createServer(({ url = '' }, response) => {
  const file = receiver.files.get(url);
  if (file) response.writeHead(200, { 'content-type': 'image/png' }).end(file);
  else if (receiver.isDown) response.writeHead(500, { 'content-type': 'text/plain' }).end('database is locked');
  else setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'), receiver.delayMs);
});
await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
const receiver: Receiver = {
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  isDown: false,
  delayMs: 0,
  files: new Map(),
};
const run = { pid: process.pid, startedAt: '', api: sandbox.api, admin: sandbox.admin };
const sizes = new Map<string, number>();
const stage: Stage = {
  sandbox,
  page,
  debug,
  receiver,
  number: sandbox.numbers.find(({ kind }) => kind === 'network')!.uuid,
  get: (path) => adminGet(run, path),
  post: (path, body) => adminSend(run, 'POST', path, body),
  put: (path, body) => adminSend(run, 'PUT', path, body),
  async open(path) {
    await page.goto(`${sandbox.console!.url}${path}`);
  },
  async take(name) {
    sizes.set(name, await capture({ page, debug }, FOLDER, name, review));
  },
};

try {
  await page.goto(await signInUrl(run));
  await takeConsole(stage);
  await takeChannels(stage);
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  console.log(`pictures: ${sizes.size} in ${FOLDER}, ${Math.round(bytes / 1000)} kB`);
  if (bytes > MAX_BYTES) throw new Error(`the pictures have ${bytes} bytes together; at most ${MAX_BYTES} are allowed`);
} finally {
  await browser.close();
  server.close();
  await sandbox.stop();
}
