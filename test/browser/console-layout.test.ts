import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf } from './console.js';
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

/** Goes to a page as a link does, without loading the console again. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console/${path}`)})`);
  await page.locator('#page').getByRole('heading').first().waitFor();
  await page.locator('#page .loading').first().waitFor({ state: 'detached' });
}

/** Controls of the page that are cut off, that cover each other, or that need a scroll bar below them. */
const faultsOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const boxes = all('#page :is(a, button, input, select, textarea, summary, [role=tab])')
    .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .map((one) => ({ one, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 2 && box.height > 2);
  const nameOf = (one) => one.textContent.trim().slice(0, 30) || one.getAttribute('aria-label') || one.className;
  const isWide = (one) => one.scrollWidth > one.clientWidth + 1;
  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && !one.matches('.table-scroll, .scrolled, [role=tablist]');
  const cut = boxes.filter(({ one }) => one.matches('button, a.button, summary') && isWide(one));
  const wide = all('#page, #page :is(div, section, article, main)').filter((one) => scrolls(one) && isWide(one));
  const doCover = (a, b) =>
    !a.one.contains(b.one) &&
    !b.one.contains(a.one) &&
    Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left) > 2 &&
    Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top) > 2;
  return [
    ...cut.map(({ one }) => nameOf(one) + ' is cut'),
    ...wide.map((one) => one.className + ' scrolls sideways'),
    ...boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => doCover(a, b)).map((b) => nameOf(a.one) + ' covers ' + nameOf(b.one))),
  ];
})()`);

t.test('pages fit 390, 1280 and 1440 pixels, in both themes and from right to left', { skip }, async (t) => {
  const box = await startWithNumber(t, 'http://127.0.0.1:9/hook');
  const { open, admin, sandbox, number, webhook } = box;
  const { message } = await box.write('Is it open?');
  const { uuid: delivery } = await box.delivery(1);
  const { templates } = await admin('GET', '/flows/templates');
  const { flow } = await admin('POST', '/flows', { account: 'account-1', name: 'Survey', definition: templates[0].definition });
  await fetch(`${sandbox.api}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sandbox.numbers[0]!.token}` },
    body: '{',
  });
  const { page, failures } = await open(t, '', { width: 1280 });
  const records = [
    `inbox/${message.conversation}`,
    `numbers/${number}`,
    `webhooks/${webhook!.uuid}`,
    `deliveries/${delivery}`,
    `why?message=${message.uuid}`,
  ];
  const pages = await page.locator('nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href')!.replace('/console/', '')));
  t.ok(pages.length >= 15, `${pages.length} pages in the menu`);
  let checks = 0;
  for (const path of [...pages, ...records]) {
    await goTo(page, path);
    const more = page.getByText('More filters', { exact: true });
    const hasMore = await more.isVisible();
    if (hasMore) await more.click();
    for (const width of hasMore ? [1440, 1300, 1280, 390] : [1440, 1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      t.equal(await overflowOf(page), 0, `${path} at ${width} pixels`);
      t.strictSame(await faultsOf(page), [], `${path} at ${width} pixels`);
      checks += 2;
    }
    t.strictSame(await violationsInBothThemes(page), [], path);
    checks += 2;
  }
  t.comment(`${checks} checks of ${pages.length + records.length} pages`);

  const home = sandbox.console!.url;
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${home}settings?lang=ar-XB`);
  for (const path of ['settings', `numbers/${number}`, 'inbox', 'why', 'audit', 'webhooks', '']) {
    await goTo(page, path);
    t.strictSame(await page.locator('html').evaluate(({ lang, dir }) => [lang, dir]), ['ar-XB', 'rtl']);
    t.ok((await xOf(page, 'nav')) > (await xOf(page, '#page')), `the menu of ${path} is at the right`);
    t.strictSame(await unmarked(page, 'main :is(h1, h3, dt, label, .tab, .button), nav a'), [], path);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      t.equal(await overflowOf(page), 0, `${path} at ${width} pixels`);
    }
  }
  t.match(await page.locator('#page time').first().textContent(), /[٠-٩]/, 'a date has the digits of the language');

  await page.goto(`${home}flows/${flow.id}?view=editor`);
  const phone = page.frameLocator('iframe').locator('html');
  await phone.locator('.task-bar').waitFor();
  t.strictSame(await phone.evaluate(({ lang, dir, dataset }) => [lang, dir, dataset.theme]), ['ar-XB', 'rtl', 'light']);
  t.match(await phone.locator('.task-bar button').first().getAttribute('aria-label'), /\u202eP?/);
  await page.evaluate(`localStorage.setItem('posthorn-console-theme', 'dark')`);
  await page.goto(`${home}flows/${flow.id}?view=editor&lang=en`);
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
