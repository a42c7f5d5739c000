import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf, startConsole } from './console.js';
import { opened, startWithNumber } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

/** The words on a page that are not in the language for tests, which marks each of its words. */
const unmarked = (page: Page, within: string): Promise<string[]> =>
  page
    .locator(within)
    .evaluateAll((all) =>
      all.map(({ textContent }) => textContent ?? '').filter((text) => /[a-z]{3}/.test(text) && !text.includes('\u202e')),
    );

const xOf = async (page: Page, selector: string): Promise<number> => (await page.locator(selector).first().boundingBox())!.x;

t.test('a language from right to left mirrors the pages, and has its own dates; English is as before', { skip }, async (t) => {
  const { open, admin, sandbox } = await startConsole(t, {
    seed: { numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }] },
  });
  const [number] = sandbox.numbers;
  await admin('POST', `/network/numbers/${number!.uuid}/messages`, { from: '+27820001001', type: 'text', text: { body: 'Is it open?' } });
  const { templates } = await admin('GET', '/flows/templates');
  const { flow } = await admin('POST', '/flows', { account: 'account-1', name: 'Survey', definition: templates[0].definition });
  const { page, failures } = await open(t, 'settings?lang=ar-XB', { width: 1280 });
  for (const path of ['settings', `numbers/${number!.uuid}`, 'inbox', 'why', 'audit', 'webhooks', '']) {
    const address = `${sandbox.console!.url}${path}`;
    if (path !== 'settings') await page.goto(address);
    await page.locator('#page').getByRole('heading').first().waitFor();
    await page.locator('#page .loading').first().waitFor({ state: 'detached' });
    t.strictSame(await page.locator('html').evaluate(({ lang, dir }) => [lang, dir]), ['ar-XB', 'rtl']);
    t.ok((await xOf(page, 'nav')) > (await xOf(page, '#page')), `the menu of ${path} is at the right`);
    t.strictSame(await unmarked(page, 'main :is(h1, h3, dt, label, .tab, .button), nav a'), [], path);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      t.equal(await overflowOf(page), 0, `${path} at ${width} pixels`);
    }
    t.strictSame(await violationsInBothThemes(page), [], path);
  }
  t.match(await page.locator('#page time').first().textContent(), /[٠-٩]/, 'a date has the digits of the language');

  await page.goto(`${sandbox.console!.url}flows/${flow.id}?view=editor`);
  const phone = page.frameLocator('iframe').locator('html');
  await phone.locator('.task-bar').waitFor();
  t.strictSame(await phone.evaluate(({ lang, dir, dataset }) => [lang, dir, dataset.theme]), ['ar-XB', 'rtl', 'light']);
  t.match(await phone.locator('.task-bar button').first().getAttribute('aria-label'), /\u202eP?/);
  await page.evaluate(`localStorage.setItem('posthorn-console-theme', 'dark')`);
  await page.goto(`${sandbox.console!.url}flows/${flow.id}?view=editor&lang=en`);
  await page.frameLocator('iframe').locator('html[data-theme=dark][lang=en][dir=ltr]').waitFor();
  t.ok((await xOf(page, 'nav')) < (await xOf(page, '#page')));
  t.strictSame(await page.locator('nav a').first().innerText(), 'Overview');
  t.strictSame(failures, []);
});

/** Pairs of labels of a drawing that cover each other. */
const overlaps = (page: Page, drawing: string): Promise<string[]> =>
  page.locator(`${drawing} text:not(.sign)`).evaluateAll((all) => {
    const labels = all.map((label) => ({ text: label.textContent ?? '', box: label.getBoundingClientRect() }));
    return labels.flatMap(({ text, box }, i) =>
      labels
        .slice(i + 1)
        .filter(
          (other) =>
            box.left < other.box.right && other.box.left < box.right && box.top + 2 < other.box.bottom && other.box.top + 2 < box.bottom,
        )
        .map((other) => `${text} and ${other.text}`),
    );
  });

t.test('the labels of a timeline do not cover each other on a phone', { skip }, async (t) => {
  // Nothing listens there: the longest labels are those of failures without a response.
  const box = await startWithNumber(t, 'http://127.0.0.1:9/hook');
  await box.write('Is my book in?');
  const { uuid } = await box.delivery(1);
  const { page } = await opened(box, t, `deliveries/${uuid}`);
  await page.setViewportSize({ width: 390, height: 844 });
  for (let attempts = 1; attempts <= 6; attempts++) {
    await page
      .locator('.timeline-drawing .attempt')
      .nth(attempts - 1)
      .waitFor();
    t.strictSame(await overlaps(page, '.timeline-drawing'), [], `after ${attempts} attempts`);
    if (attempts < 6) await box.admin('POST', '/clock', { next: true });
  }
});
