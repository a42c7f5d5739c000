import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { isLong } from '../forms.js';

/** The headless shell has the same engine without the windows around it, and takes a third less CPU time. POSTHORN_BROWSER names another one. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env.POSTHORN_BROWSER ?? BROWSERS.find((path) => existsSync(path));
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** The `skip` option of tests that need a browser: false if it is installed, else the reason. */
export const withoutBrowser: false | string = CHROMIUM === undefined ? `no browser at ${BROWSERS.join(' or ')}` : false;

let launched: Promise<Browser> | undefined;

/** One browser for all tests of a process; every test file closes it with `close`. */
export const browser = (): Promise<Browser> => (launched ??= chromium.launch({ executablePath: CHROMIUM!, args: FLAGS }));
export const close = async (): Promise<void> => (await launched)?.close();

export interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
}

/** Pages are reused, because each costs a browser process. The served pages store nothing in the browser. */
const free: Page[] = [];

async function newPage(): Promise<Page> {
  const page = await (await (await browser()).newContext()).newPage();
  page.setDefaultTimeout(patient(15_000));
  return page;
}

/** Opens a page for one test, or until `giveBack`. Records its errors and requests. */
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
    await page.unrouteAll();
    await page.goto('about:blank');
    free.push(page);
  };
  t.teardown(giveBack);
  await page.goto(url);
  return { page, failures, requests, giveBack };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The pages that the short form has checked. */
const checked = new Set<string>();

/**
 * Runs axe on the current state of a page; the short form only on the first state of each page, because most of the markup stays the same.
 * @returns one line per violated rule, of all rules, only of those about colours, or of all but those
 */
export async function violations(page: Page, only: keyof typeof RULES = 'everything'): Promise<string[]> {
  const state = `${new URL(page.url()).pathname.split('/').slice(0, 3).join('/')} ${only}`;
  if (!isLong && checked.has(state)) return [];
  checked.add(state);
  // An animation that is cancelled, because its element was removed, rejects.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  // Loaded once per page through the debugger, which the content security policy does not restrict.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as Axe;
    const { violations } = await axe.run({ resultTypes: ['violations'], ...rules });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }, RULES[only]);
}

interface Axe {
  readonly axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
}

/** Themes change only colours, whose rules take most of the time. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** Targets of at least 24 pixels or with space around them (WCAG 2.2, 2.5.8), a rule that axe leaves out unless it is asked for. */
const TARGET_SIZE = { 'target-size': { enabled: true } };
const RULES = {
  everything: { rules: TARGET_SIZE },
  colours: { runOnly: COLOURS },
  'all but colours': { rules: { ...TARGET_SIZE, ...Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) } },
} as const;

/** Runs all rules of axe in the light theme, and those about colours in the dark theme. */
export async function violationsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const inTheLight = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const inTheDark = await violations(page, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  return [...inTheLight, ...inTheDark.map((line) => `in the dark, ${line}`)];
}

/** Runs `work` with up to four items concurrently, because pages mostly wait. */
export async function severalAtOnce<T>(things: readonly T[], work: (thing: T) => Promise<void>): Promise<void> {
  const waiting = [...things];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}
