import type { Page } from 'playwright-core';
import t from 'tap';
import type { Tap } from '#core/testing';
import { startSandbox } from '../../sandbox/compose.js';
import { isLong, onlyLong, sampled } from '../forms.js';
import { browser, close, openPage, violations, violationsInBothThemes, withoutBrowser } from './browser.js';

const skip = withoutBrowser;
t.teardown(close);

let sandbox: ReturnType<typeof startSandbox> | undefined;
async function urlOf(path: string): Promise<string> {
  sandbox ??= startSandbox({ port: 0 });
  return `${(await sandbox).api}${path}`;
}
t.teardown(async () => (await sandbox)?.stop());

/** Every route is shown by an article of the same parts. */
const SAMPLE = 12;

/** Checks a part of the articles with all rules of axe in both themes: those about colours would take half a minute for all of them. */
async function checkSample(t: Tap, page: Page, path: string): Promise<void> {
  await page.evaluate(
    `[...document.querySelectorAll('main article')].forEach((article, i) => { if (i % ${SAMPLE} !== 0) article.remove(); })`,
  );
  t.ok((await page.locator('main article').count()) > 2, `a sample of ${path} is left`);
  t.strictSame(await violationsInBothThemes(page), [], `a sample of ${path}`);
}

const DESK = { width: 1280, height: 900 };
const openReference = async (t: Tap, path = '/docs', options: Parameters<typeof openPage>[2] = DESK) =>
  openPage(t, await urlOf(path), options);

t.test('both pages load nothing else, break no rule of axe in either theme, and report no error', { skip }, async (t) => {
  for (const path of sampled(['/docs', '/docs/admin'], 2)) {
    const { page, failures, requests } = await openReference(t, path);
    t.strictSame(requests, [await urlOf(path)], 'one request');
    if (isLong) t.strictSame(await violations(page, 'all but colours'), [], path);
    await checkSample(t, page, path);
    t.strictSame(failures, []);
  }
});

t.test('the search shows what has all of its words, in the contents and on the page', { skip }, async (t) => {
  const { page } = await openReference(t);
  const all = await page.locator('main article:visible').count();
  await page.keyboard.press('/');
  await page.keyboard.type('sticker POST');
  const found = page.getByRole('status');
  t.match(await found.textContent(), /^\d+ found$/);
  const shown = await page.locator('main article:visible').count();
  t.ok(shown > 0 && shown < all, `${shown} of ${all}`);
  t.ok(await page.locator('#postV1Messages').isVisible());
  t.notOk(await page.locator('#getV1Flows').isVisible());
  t.notOk(await page.locator('#index a[href="#getV1Flows"]').isVisible());
  await page.keyboard.type(' nothing-has-this');
  t.ok(await page.getByText('Nothing matches.').isVisible());
  await page.keyboard.press('Escape');
  t.equal(await page.locator('main article:visible').count(), all);
});

t.test('a link to what the search has hidden shows it', { skip }, async (t) => {
  const { page } = await openReference(t);
  await page.getByLabel('Search').fill('postV1Messages sticker');
  await page.evaluate("location.hash = '#getV1Flows'");
  await page.locator('#getV1Flows').waitFor({ state: 'visible' });
  t.equal(await page.getByLabel('Search').inputValue(), '');
});

t.test('samples are shown in three languages, with a key that is pasted or created', { skip }, async (t) => {
  const { page, failures } = await openReference(t);
  const { api, admin, channels } = await sandbox!;
  const sample = page.locator('#postV1Messages pre', { hasText: '/v1/messages' }).first();
  const shown = async (): Promise<string> => (await sample.textContent())!;
  t.match(await shown(), `curl "${api}/v1/messages"`);
  await page.getByLabel('Samples in').selectOption('JavaScript');
  t.match(await shown(), `await fetch("${api}/v1/messages", {`);
  await page.getByLabel('Samples in').selectOption('Python');
  t.match(await shown(), `urllib.request.Request(\n    "${api}/v1/messages",`);
  await page.getByLabel('Token').fill('ph_pasted');
  t.match(await shown(), '"authorization": "Bearer ph_pasted"');
  await page.getByLabel('Samples in').selectOption('curl');
  t.match(await shown(), '-H "authorization: Bearer ph_pasted"');

  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByText('Sign in first').waitFor();
  // The refused call.
  failures.splice(0);
  const session = await fetch(`${admin.url}/console/sessions`, { method: 'POST', headers: { authorization: `Bearer ${admin.key}` } });
  await page.goto(((await session.json()) as { url: string }).url);
  await page.goto(`${api}/docs`);
  await page.getByRole('button', { name: 'Create a token' }).click();
  await page.getByText('A new token of Riverside Library on the web.').waitFor();
  const [, token] = /Bearer (ph_[\w-]+)/.exec(await shown())!;
  t.equal((await fetch(`${api}/v1/stacks`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  t.match(await page.locator('#postV1NumbersNumberUuidMessages pre').first().textContent(), `/v1/numbers/${channels[0]!.uuid}/messages`);
  await page.goto(`${api}/docs/admin`);
  await page.getByLabel('Admin key').fill(admin.key);
  t.match(await page.locator('#getAdminV1Numbers pre').first().textContent(), `Bearer ${admin.key}`);
  t.strictSame(failures, []);
});

t.test('without JavaScript everything is there but the search', { skip }, async (t) => {
  const context = await (await browser()).newContext({ javaScriptEnabled: false, viewport: DESK });
  t.teardown(() => context.close());
  const page = await context.newPage();
  await page.goto(await urlOf('/docs#postV1Messages'));
  t.notOk(await page.getByLabel('Search').isVisible());
  t.ok(await page.locator('#postV1Messages').isVisible());
  await page.locator('#index').getByRole('link', { name: '/v1/flows', exact: false }).first().click();
  t.match(page.url(), /#\w+Flows?$/);
});

t.test('a narrow screen shows it without scrolling sideways, and its contents closed', { skip: onlyLong || skip }, async (t) => {
  for (const path of ['/docs', '/docs/admin']) {
    const { page } = await openReference(t, path, { width: 360, height: 740 });
    t.notOk(await page.locator('#index ul').first().isVisible());
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path);
    await checkSample(t, page, path);
  }
});

t.test('the keyboard reaches the contents, and where it is can be seen', { skip }, async (t) => {
  const { page } = await openReference(t);
  await page.keyboard.press('Tab');
  t.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the reference');
  for (let i = 0; i < 5; i++) await page.keyboard.press('Tab');
  t.ok(await page.evaluate("document.activeElement.closest('#index') !== null"));
  t.equal(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'), 'solid');
});

t.test('in print the contents are left out and every example is open', { skip }, async (t) => {
  const { page } = await openReference(t);
  await page.emulateMedia({ media: 'print' });
  t.notOk(await page.locator('#index').isVisible());
  t.ok(await page.locator('#postV1Messages details:not([open]) pre').first().isVisible());
  await page.emulateMedia({ media: null });
});
