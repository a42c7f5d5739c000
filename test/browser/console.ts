import type { Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { adminGet, adminSend } from '../../sandbox/client/admin-client.js';
import { signInUrl } from '../../sandbox/client/console.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { openPage, type PageOptions } from './browser.js';

export interface ConsoleUnderTest {
  readonly sandbox: Sandbox;
  /** Calls the admin API with the admin key. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
  admin(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: unknown): Promise<any>;
  /** Opens a page of the console, such as `deliveries`, in a browser that is signed in. */
  open(t: Tap, path?: string, options?: PageOptions): Promise<Awaited<ReturnType<typeof openPage>>>;
}

/** Starts a sandbox with the console. */
export async function startConsole(t: Tap, options: SandboxOptions = {}): Promise<ConsoleUnderTest> {
  const sandbox = await startSandbox({ seed: 'empty', ...options });
  t.teardown(() => sandbox.stop());
  const run = { pid: process.pid, startedAt: new Date().toISOString(), api: sandbox.api, admin: sandbox.admin };
  return {
    sandbox,
    admin: (method, path, payload) => (method === 'GET' ? adminGet(run, path) : adminSend(run, method, path, payload as never)),
    async open(t, path = '', pageOptions) {
      const code = new URL(await signInUrl(run)).search;
      return openPage(t, `${sandbox.console!.url}${path}${path.includes('?') ? code.replace('?', '&') : code}`, pageOptions);
    },
  };
}

/** The bytes of scripts and style sheets that a page has loaded so far, compressed with gzip. */
export async function loadedBytes(page: Page): Promise<number> {
  const { gzipSync } = await import('node:zlib');
  const urls = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => /\.(js|css)$/.test(name)),
  );
  const sizes = await Promise.all(
    [...new Set(urls)].map(async (url) => {
      const size = compressed.get(url) ?? gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
      compressed.set(url, size);
      return size;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The compressed sizes of files by their URLs. */
const compressed = new Map<string, number>();

/** Waits until the page has loaded no script or style sheet for a while. The stream of events never ends, so the network is never idle. */
export const scriptsLoaded = (page: Page) =>
  page.waitForFunction((quietMs) => {
    const ends = performance
      .getEntriesByType('resource')
      .map((entry) => (/\.(js|css)$/.test(entry.name) ? entry.startTime + entry.duration : 0));
    return performance.now() - Math.max(...ends) > quietMs;
  }, patient(500));

/** Closes the open menu with Escape. A menu that does not have the focus yet leaves the key to the dialog around it, which would close. */
export async function closeMenu(page: Page): Promise<void> {
  await page.locator('[role="menu"]:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[role="menu"]').waitFor({ state: 'detached' });
}

const OVERFLOW = `(() => {
  const { scrollWidth, clientWidth } = document.querySelector('#page');
  const { scrollWidth: width, scrollHeight: height } = document.documentElement;
  return Math.max(scrollWidth - clientWidth, width - innerWidth, height - innerHeight, 0);
})()`;

/** By how many pixels the page is wider than its window, or all of the console higher. */
export const overflowOf = (page: Page): Promise<number> => page.evaluate<number>(OVERFLOW);

/** The same with the text spacing that WCAG 1.4.12 asks pages to allow, which is also like a wider font. */
export const overflowWithWideText = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const own = [...document.adoptedStyleSheets];
    const wide = new CSSStyleSheet();
    wide.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }');
    document.adoptedStyleSheets = [...own, wide];
    const overflow = ${OVERFLOW};
    document.adoptedStyleSheets = own;
    return overflow;
  })()`);
