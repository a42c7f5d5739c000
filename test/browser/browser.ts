import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Tap } from '#core/testing';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** What a test that needs a browser gives as its `skip`: false where there is one, else why it is skipped. */
export const withoutBrowser: false | string = existsSync(CHROMIUM) ? false : `there is no browser at ${CHROMIUM}`;

let launched: Promise<Browser> | undefined;

/** One browser for all the tests of a process; who starts it first closes it with `close`. */
export const browser = (): Promise<Browser> => (launched ??= chromium.launch({ executablePath: CHROMIUM, args: FLAGS }));
export const close = async (): Promise<void> => (await launched)?.close();

export interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** A page of its own, closed with the test. What goes wrong in it, and what it fetches, is kept. */
export async function openPage(t: Tap, url: string, { scheme = 'light', width = 430, height = 800 }: PageOptions = {}) {
  const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: scheme });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const failures: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text());
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url())) requests.push(request.url());
  });
  await page.goto(url);
  return { page, failures, requests };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page as it stands, one line for each rule that is broken. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the browser's debugger, to which the page's policy does not apply.
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
  return found;
}
