import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { closeMenu, loadedBytes, overflowOf, overflowWithWideText, scriptsLoaded, startConsole } from './console.js';
import { newSignInUrl } from './consoles.js';
import { copying, eventually } from './inboxes.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

/** Bytes of scripts and style sheets, compressed. */
const OVERVIEW_BUDGET = 100_000;
const PAGE_BUDGET = 30_000;

t.test('every page opens from the menu, within its budget and the window, with requests to its own server only', { skip }, async (t) => {
  const { open, sandbox } = await startConsole(t, { seed: 'demo' });
  const { page, failures, requests } = await open(t, '', { width: 1280 });
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await scriptsLoaded(page);
  const count = await links.count();
  t.ok(count >= 10);
  const groups = await page.locator('nav .begins').evaluateAll((all) => all.map((one) => one.getAttribute('data-group')));
  t.strictSame(groups, ['', 'Talk', 'Deliver', 'Build', 'Look', 'Settings']);
  t.equal(await page.getByRole('link', { name: 'API reference' }).getAttribute('href'), `${sandbox.api}/docs`);
  let before = 0;
  for (let i = 0; i < count; i++) {
    const link = links.nth(i);
    const title = (await link.locator('span').first().textContent()) ?? '';
    if (i > 0) await link.click();
    await page.locator('#page').getByRole('heading').first().waitFor();
    t.match(await page.title(), title);
    const loaded = await loadedBytes(page);
    t.ok(loaded - before <= (i === 0 ? OVERVIEW_BUDGET : PAGE_BUDGET), `${title} loads ${loaded - before} bytes more`);
    before = loaded;
    await page.locator('#page .loading').first().waitFor({ state: 'detached' });
    // A zoom of 200 % halves the pixels of a window.
    for (const [width, height] of [
      [360, 740],
      [640, 400],
      [2560, 1400],
      [320, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      t.equal(await overflowOf(page), 0, `${title} at ${width} pixels`);
    }
    t.equal(await overflowWithWideText(page), 0, `${title} at 320 pixels with wide text`);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  t.strictSame(failures, []);
  t.strictSame(
    requests.filter((url) => !url.startsWith(sandbox.api)),
    [],
  );
});

t.test('the frame works with the keyboard, and axe finds no violation in its menus and dialogs', { skip: onlyLong || skip }, async (t) => {
  const { open } = await startConsole(t, { seed: 'demo' });
  const { page, failures } = await open(t, '', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const hasFocus = (title: string) =>
    eventually(
      async () =>
        (await page.evaluate("[document.activeElement?.id, document.querySelector('p[aria-live]').textContent.trim()].join()")) ===
        `page,${title}`,
    );
  await page.keyboard.type('ge');
  await page.waitForURL(/\/console\/events/);
  await t.resolves(hasFocus('Events'), 'the page has the focus, and its name is said');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('deliver');
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/deliveries/);
  await t.resolves(hasFocus('Deliveries'), 'also after the palette');
  await page.getByRole('button', { name: /clock of the sandbox/ }).click();
  await page.getByRole('menuitem', { name: 'Copy as code…' }).click();
  await page.getByRole('button', { name: 'Copy “1 day later” as code' }).click();
  await page.getByRole('menuitem', { name: 'Command line posthorn clock advance 86400s' }).waitFor();
  await closeMenu(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitem', { name: 'Dark theme' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('menuitem', { name: 'Dark theme' }).click();
  t.equal(await page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('color-scheme')"), 'dark');
  await page.reload();
  await page.locator('.pill.ok').waitFor();
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark', 'the browser remembers the theme');
  t.strictSame(failures, []);
});

t.test('Enter leads from the filter to the list, and from the list into the selected entry', { skip: onlyLong || skip }, async (t) => {
  const { open, admin } = await startConsole(t, { seed: 'demo' });
  const { numbers } = await admin('GET', '/numbers');
  const { uuid } = numbers.find(({ kind }: { kind: string }) => kind === 'network');
  await admin('POST', `/network/numbers/${uuid}/messages`, { from: '+27820001001', name: 'Ann', type: 'text', text: { body: 'hi' } });
  const { page } = await open(t, 'numbers', { width: 1280 });
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = (selector: string) => page.waitForFunction(`document.activeElement?.matches(${JSON.stringify(selector)})`);
  await page.getByRole('option').first().waitFor();
  await press('/');
  await page.keyboard.type('web:library');
  await page.getByRole('option', { name: /\+276/ }).waitFor({ state: 'detached' });
  await press('Enter');
  await focused('[role="listbox"]');
  await press('j', 'Enter');
  await focused('[data-detail]');
  t.match(page.url(), /numbers\/[0-9a-f-]{36}/);
  await press('Escape', '/', 'Escape', 'Escape');
  await focused('[role="listbox"]');
  t.match(page.url(), /numbers$/, 'Escape empties the filter, and then leaves it');
  await press('g', 'i');
  await page.getByRole('option', { name: /Ann/ }).waitFor();
  await press('j');
  await page.getByRole('textbox', { name: 'Message, as Ann' }).waitFor();
  await press('Enter');
  await focused('textarea');
});

t.test('a deep link signs in and stays; a restart of the server says how to sign in again', { skip }, async (t) => {
  const { open, sandbox } = await startConsole(t);
  const { page } = await open(t, 'deliveries/some-id?state=failed', { width: 430 });
  await page.getByRole('button', { name: 'Deliveries' }).waitFor();
  t.equal(page.url(), `${sandbox.console!.url}deliveries/some-id?state=failed`);
  await page.context().clearCookies();
  await page.reload();
  await page.getByText('npx posthorn open').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  const other = await page.context().newPage();
  await other.goto(await newSignInUrl(sandbox));
  await other.locator('.pill.ok').waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('There is no delivery').waitFor();
  t.equal(page.url(), `${sandbox.console!.url}deliveries/some-id?state=failed`, 'signed in by another tab, it continues where it was');
  const sleeping = await page.context().newPage();
  await sleeping.goto(`${sandbox.console!.url}signature`);
  await sleeping.getByRole('heading', { name: 'Signature' }).waitFor();
  await sleeping.locator('.pill.ok').waitFor();
  await page.getByRole('button', { name: 'Theme and sign-out' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await sleeping.getByText('This browser is not signed in').waitFor();
  await sleeping.close();
  await page.getByText('This browser is not signed in').waitFor();
  t.strictSame(await page.context().cookies(), []);
});

t.test('texts and copied commands name the command that the server names', { skip }, async (t) => {
  const { open, sandbox } = await startConsole(t);
  const { page } = await open(t, 'calls', { width: 1280 });
  // As a sandbox serves it outside a checkout, where npm finds no Posthorn.
  await page.route('**/console/calls', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('data-command="npx posthorn"', 'data-command="node /a &quot;b&quot;/posthorn.mjs"');
    await route.fulfill({ response, body });
  });
  await page.reload();
  await page.getByText('node /a "b"/posthorn.mjs env').first().waitFor();
  await page.getByRole('button', { name: /clock of the sandbox/ }).click();
  await page.getByRole('menuitem', { name: 'Copy as code…' }).click();
  await page.getByRole('button', { name: 'Copy “1 day later” as code' }).click();
  await page.getByRole('menuitem', { name: 'Command line posthorn clock advance 86400s' }).waitFor();
  t.equal(await copying(t, page, { sandbox }).copied('Command line'), 'node /a "b"/posthorn.mjs clock advance 86400s');
});

t.test(
  'dialogs and pages whose scripts cannot be loaded can be closed, and malformed addresses have a page',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, sandbox } = await startConsole(t);
    const { page } = await open(t, '', { width: 1280 });
    await page.locator('.pill.ok').waitFor();
    await page.route(/assets\/.*\.js$/, (route) => route.abort());
    for (let time = 0; time < 2; time++) {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByText('This part of the console could not be loaded.').waitFor();
      await page.keyboard.press('Escape');
      // The browser closes the dialog before the page removes it.
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('link', { name: 'Numbers' }).click();
    await page.locator('#page').getByText('This part of the console could not be loaded.').waitFor();
    await page.unroute(/assets\/.*\.js$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.locator('#page').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No numbers yet').first().waitFor();

    for (const path of ['%zz', 'inbox/%E0%A4%A']) {
      const response = await page.goto(`${sandbox.console!.url}${path}`);
      t.equal(response!.status(), 400);
      await page.getByRole('heading', { name: 'The console has no such page' }).waitFor();
      t.strictSame(await violationsInBothThemes(page), []);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.locator('.pill.ok').waitFor();
    }
  },
);

t.test('a page that was opened while the server did not respond reads again by itself', { skip: onlyLong || skip }, async (t) => {
  const { open } = await startConsole(t);
  const cases = [
    { path: 'numbers', read: /v1\/numbers$/, found: 'No numbers yet' },
    { path: 'inbox/some-id', read: /v1\/conversations\/some-id/, found: 'There is no such conversation' },
  ];
  const tabs = await Promise.all(cases.map(() => open(t)));
  await Promise.all(
    cases.map(async ({ path, read, found }, i) => {
      const { page } = tabs[i]!;
      await page.route(read, (route) => route.abort());
      await page.goto(new URL(path, page.url()).href);
      await page.getByText('The server does not respond').first().waitFor();
      await page.unroute(read);
      await page.getByText(found).first().waitFor();
      t.equal(await page.getByText('The server does not respond').count(), 0);
    }),
  );
});

t.test('two tabs share one stream, and the second continues when the first is closed', { skip: onlyLong || skip }, async (t) => {
  const { open, admin } = await startConsole(t);
  const { page } = await open(t, 'events', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  const second = await page.context().newPage();
  const streams: string[] = [];
  second.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/events')) streams.push(request.headers()['last-event-id'] ?? '');
  });
  await second.goto(page.url());
  await second.locator('.pill.ok').waitFor();
  t.strictSame(streams.length, 0, 'the second tab has no stream of its own');
  const shared = second.evaluate(
    "new Promise((done) => { new BroadcastChannel('posthorn-console /').onmessage = ({ data }) => data.kind === 'batch' && done(); })",
  );
  await admin('POST', '/numbers', { kind: 'network', name: 'A', address: '+27600000099' });
  await shared;
  await page.goto('about:blank');
  await t.resolves(waitFor(() => streams.length === 1));
  t.match(streams[0], /^[0-9a-f]+-\d+$/, 'the new stream begins after the last event that this tab knows');
  await second.close();
});

async function waitFor(isDone: () => boolean): Promise<void> {
  const until = Date.now() + patient(15_000);
  while (!isDone()) {
    if (Date.now() > until) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
