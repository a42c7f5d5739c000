// Bench: longest tasks, rows and calls of the pages of the console while 1,000 events a second arrive, and with 100,000 events in memory
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { type PageLoad, watchTasks } from './measuring/console-tasks.js';
import { printTable } from './measuring/table.js';

const CHROMIUM = '/usr/bin/chromium';
const PAGES = ['events', 'calls', 'advice', 'why', 'deliveries', ''];

interface Started {
  readonly admin: { readonly url: string; readonly key: string };
  readonly console: string;
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rate: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '10' },
      rows: { type: 'string', default: '100000' },
    },
  });
  const [rate, seconds, rows] = [Number(values.rate), Number(values.seconds), Number(values.rows)];
  if (!existsSync(CHROMIUM)) {
    console.log(`not measured: no browser at ${CHROMIUM}`);
    return;
  }
  const child = fork(fileURLToPath(new URL('./measuring/console-sandbox.js', import.meta.url)), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [sandbox] = (await once(child, 'message')) as [Started];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(await signInUrl(sandbox));
    const measured: string[][] = [];
    const watched = async (name: string, act: () => Promise<unknown>): Promise<void> => {
      const watch = await watchTasks(page);
      const began = performance.now();
      await act();
      // Events that arrived last are shown with the next batch.
      await page.waitForTimeout(500);
      measured.push(row(name, await watch.stop(), (performance.now() - began) / 1_000));
    };
    for (const path of PAGES) {
      await openPage(page, sandbox, path);
      await watched(`/${path}, ${rate} events a second for ${seconds} s`, () => emit(sandbox, rate * seconds, rate));
    }
    await openPage(page, sandbox, 'events');
    // Faster, and in parts, so that the stream never drops an event before the browser has read it.
    await watched(`/events, ${rows} events at ${2 * rate} a second`, () => emit(sandbox, rows, 2 * rate));
    const filter = page.getByRole('searchbox', { name: 'Filter of events' });
    await watched('/events, typing state:failed', async () => {
      await filter.pressSequentially('state:failed', { delay: 60 });
      await searched(page);
    });
    await watched('/events, searching for "open today"', async () => {
      await filter.fill('"open today"');
      await searched(page);
    });
    await filter.fill('');
    await searched(page);
    await watched('/events, scrolling from end to end', async () => {
      await page.getByRole('listbox').focus();
      await page.keyboard.press('End');
      await page.waitForTimeout(300);
      await page.keyboard.press('Home');
    });
    console.log(`heap of the page: ${Math.round(Number(await page.evaluate('performance.memory.usedJSHeapSize')) / 1e6)} MB`);
    printTable(['page', 'longest task ms', 'tasks over 200 ms', 'tasks over 50 ms', 'rows', 'calls per second'], measured);
  } finally {
    await browser.close();
    child.disconnect();
    await once(child, 'exit');
  }
}

const row = (name: string, { tasks, rows, requests }: PageLoad, seconds: number): string[] => [
  name,
  String(Math.round(tasks[0] ?? 0)),
  String(tasks.filter((ms) => ms > 200).length),
  String(tasks.length),
  String(rows),
  (requests / seconds).toFixed(1),
];

const searched = (page: Page): Promise<void> =>
  page
    .locator('.count-of-events')
    .getByText(/^[0-9]/)
    .waitFor();

async function openPage(page: Page, { console: url }: Started, path: string): Promise<void> {
  await page.goto(`${url}${path}`);
  await page.locator('.pill.ok').waitFor();
  await page.waitForTimeout(1_000);
}

async function post({ admin: { url, key } }: Started, path: string, payload: object): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  if (!response.ok) throw new Error(`${path} responded ${response.status}: ${await response.text()}`);
  return response;
}

const signInUrl = async (sandbox: Started): Promise<string> => {
  const { url } = (await (await post(sandbox, '/console/sessions', {})).json()) as { url: string };
  return url;
};

const emit = (sandbox: Started, total: number, rate: number): Promise<Response> => post(sandbox, '/load', { total, rate });

if (process.argv[1] === import.meta.filename) await run();
