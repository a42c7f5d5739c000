import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { testedPages } from './console-pages.js';
import { fillWithHostileContent } from './hostile.js';

const skip = withoutBrowser;
t.setTimeout(patient(300_000));
t.teardown(close);

/** A page with hostile content may take this many times as long as the same page with harmless content, and this much longer. */
const MAX_RATIO = 4;
const MAX_MORE_MS = patient(1_500);
const MAX_SELECTED = 25;
/** Long texts and lists are shown in parts. */
const MAX_ELEMENTS = 5_000;
/** A freeze repeats, a stall of the machine does not: what takes too long is measured again, and fails if it is too slow each time. */
const MEASUREMENTS = 3;
const seed = { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/connector' }] };

/** Opens a page within the console, and resolves when it is shown and idle. @returns milliseconds */
async function show(page: Page, path: string): Promise<number> {
  const began = performance.now();
  await page.evaluate(
    `(() => { history.pushState(null, '', ${JSON.stringify(`/console/${path}`)}); dispatchEvent(new PopStateEvent('popstate')); })()`,
  );
  await page.locator('#page h1, #page h2').first().waitFor({ state: 'attached' });
  await page.locator('#page .loading').first().waitFor({ state: 'detached' });
  // A frozen page would not run this.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))');
  return performance.now() - began;
}

/** Measures until a result is within the bound. @returns the shortest time, in milliseconds */
async function shortest(bound: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < MEASUREMENTS && least > bound; i++) least = Math.min(least, await measure());
  return least;
}

/** Moves the selection of a list by a key, and resolves when the row is shown. @returns milliseconds */
async function press(page: Page, key: 'j' | 'k'): Promise<number> {
  const began = performance.now();
  await page.keyboard.press(key);
  await page.locator('#page article').waitFor();
  await page.locator('#page .loading').first().waitFor({ state: 'detached' });
  return performance.now() - began;
}

const isShown = async (page: Page): Promise<boolean> => ((await page.locator('#page').textContent()) ?? '').trim().length > 20;

t.test('hostile content passes through every page: no blank page, no freeze, no markup executed', { skip: onlyLong || skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const { page, failures } = await console.open(t, '', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  await page.evaluate(
    "globalThis.violated = []; addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => violated.push(violatedDirective + ' ' + blockedURI))",
  );
  const none = { calls: [], messages: [], conversations: [], advice: [], number: '', journeys: [], webhooks: [], deliveries: [] };
  const harmless = new Map<string, number>();
  for (const { title, paths } of testedPages) {
    // Twice: the first time loads its script.
    for (const path of [paths(none, console)[0]!, paths(none, console)[0]!]) harmless.set(title, await show(page, path));
  }
  const filled = await fillWithHostileContent(t, console);
  for (const { title, paths, hasRows } of testedPages) {
    const bound = harmless.get(title)! * MAX_RATIO + MAX_MORE_MS;
    for (const path of paths(filled, console)) {
      const took = await shortest(bound, () => show(page, path));
      t.ok(await isShown(page), `${path} is not blank`);
      t.ok(took <= bound, `${path} takes ${Math.round(took)} ms, at most ${Math.round(bound)}`);
      const elements = await page.locator('#page *').count();
      t.ok(elements <= MAX_ELEMENTS, `${path} has ${elements} elements`);
    }
    if (!hasRows) continue;
    await show(page, paths(filled, console)[0]!);
    await page.getByRole('listbox').focus();
    for (let i = 0; i < MAX_SELECTED; i++) {
      let isFirst = true;
      const took = await shortest(bound, async () => {
        if (!isFirst) await press(page, 'k');
        isFirst = false;
        return press(page, 'j');
      });
      if (took > bound || !(await isShown(page))) t.fail(`row ${i} of ${title} takes ${Math.round(took)} ms`);
    }
    t.equal(await page.getByText('could not be shown').count(), 0, `no row of ${title} fails`);
    await page.setViewportSize({ width: 430, height: 800 });
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${title} at 430 px`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  t.equal(await page.evaluate('globalThis.__pwned'), undefined, 'no markup was executed');
  t.equal(await page.locator('#page script, #page img[onerror], #page svg[onload]').count(), 0);
  t.strictSame(await page.evaluate('violated'), [], 'no violation of the content security policy');
  t.strictSame(failures, []);
});
