import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';

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

/** A page costs the browser a process, so those that are done with are used again; nothing that we serve keeps anything in them. */
const free: Page[] = [];

async function newPage(): Promise<Page> {
  const page = await (await (await browser()).newContext()).newPage();
  page.setDefaultTimeout(patient(15_000));
  return page;
}

/** A page for one test, or until it is given back. What goes wrong in it, and what it fetches, is kept. */
export async function openPage(t: Tap, url: string, { scheme = 'light', width = 430, height = 800 }: PageOptions = {}) {
  const page = free.pop() ?? (await newPage());
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  const failures: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text());
  });
  page.on('request', (request) => {
    if (/^https?:/.test(request.url())) requests.push(request.url());
  });
  let isOpen = true;
  const giveBack = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    page.removeAllListeners();
    await page.goto('about:blank');
    free.push(page);
  };
  t.teardown(giveBack);
  await page.goto(url);
  return { page, failures, requests, giveBack };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with a page as it stands, one line for each rule that is broken; or only what it finds wrong with its colours. */
export async function violations(page: Page, only: 'everything' | 'colours' = 'everything'): Promise<string[]> {
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))');
  // Evaluated by the browser's debugger, to which the page's policy does not apply; once for each page.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as Axe;
    const { violations } = await axe.run({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }, COLOUR_RULES[only]);
}

interface Axe {
  readonly axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
}

/** A theme changes nothing but colours. */
const COLOUR_RULES = { everything: undefined, colours: ['color-contrast', 'link-in-text-block'] } as const;

/** What axe finds wrong with a page in the light, and with its colours in the dark. */
export async function violationsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inTheLight = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inTheDark = await violations(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  return [...inTheLight, ...inTheDark.map((line) => `in the dark, ${line}`)];
}

/** Does its work with a few things at a time: pages wait for themselves more than they work. */
export async function severalAtOnce<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const waiting = [...things];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}
