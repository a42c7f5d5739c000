import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { definePlugin } from '#core';
import { patient } from '../../core/testing/slowness.js';
import { pigeonPost } from '../../sandbox/examples/pigeon-post/pigeon-post.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf, startConsole } from './console.js';
import { eventually } from './inboxes.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

const page = (script: string): string =>
  `<!doctype html><html lang="en"><title>A page</title><h2 id="said">…</h2><script>${script}</script></html>`;
const said = (expression: string): string =>
  page(
    `const say = (text) => { said.textContent = text; }; (async () => say(String(${expression})))().catch((error) => say('refused: ' + error.message));`,
  );

/** A server that pages must not reach. */
const elsewhere = { port: 0, calls: 0 };

/** Each page tries what a page must not be able to do, and says what came of it. */
const attempts = {
  parent: said('parent.document.title'),
  cookies: said('document.cookie'),
  storage: said('localStorage.length'),
  admin: said("await fetch('/admin/v1/numbers').then((r) => r.text())"),
  image: () =>
    said(
      `await new Promise((resolve) => { const image = new Image(); image.onload = () => resolve('loaded'); image.onerror = () => resolve('refused'); image.src = 'http://127.0.0.1:${elsewhere.port}/a.png'; })`,
    ),
  top: said("(top.location = 'about:blank', 'left')"),
  unlisted: said("JSON.stringify(await posthorn.call('POST', '/numbers', {}))"),
  climbing: said("JSON.stringify(await posthorn.call('GET', '/night-mail/%2e%2e/numbers'))"),
};

const nightMail = definePlugin({
  name: 'night-mail',
  version: '1.0.0',
  register: () => ({
    pages: [
      ...Object.entries(attempts).map(([name, html]) => ({
        name,
        title: `Attempt ${name}`,
        calls: ['GET /night-mail/{id}'],
        html: typeof html === 'string' ? () => html : html,
      })),
      {
        name: 'letters',
        title: '<b>Letters</b> & more',
        calls: ['GET /numbers', 'PATCH /numbers/{uuid}'],
        events: ['number.'],
        html: () =>
          page(`
            const show = async () => { const { numbers } = await posthorn.call('GET', '/numbers'); said.textContent = numbers.map(({ name }) => name).join(); };
            show(); posthorn.listen(show);
            const button = document.body.appendChild(document.createElement('button'));
            button.textContent = 'Rename';
            button.onclick = async () => {
              const { numbers } = await posthorn.call('GET', '/numbers');
              await posthorn.call('PATCH', '/numbers/' + numbers[0].uuid, { name: 'Renamed' });
              posthorn.open('/numbers/' + numbers[0].uuid);
            };
            const wrong = document.body.appendChild(document.createElement('button'));
            wrong.textContent = 'Fail';
            wrong.onclick = () => { throw new Error('<img src=x onerror=alert(1)> failed'); };`),
      },
      {
        name: 'tall',
        title: 'Tall panel',
        place: 'number',
        html: () =>
          page(
            "document.body.style.height = '700px'; posthorn.ready.then(({ subject }) => { said.textContent = subject.kind + ' ' + subject.uuid; });",
          ),
      },
      {
        name: 'beside',
        title: 'Beside',
        place: 'conversation',
        html: () => page('posthorn.ready.then(({ subject }) => { said.textContent = subject.kind; });'),
      },
      {
        name: 'throws',
        title: 'Throws',
        html: () => {
          throw new Error('no letters </script> today');
        },
      },
      { name: 'never', title: 'Never', html: () => new Promise<string>(() => {}) },
      {
        name: 'leaves',
        title: 'Leaves',
        html: () => page("posthorn.ready.then(() => { location = '/admin/v1/console/frames/night-mail/letters'; });"),
      },
    ],
  }),
});

t.test(
  'a page of a plugin is in the menu, calls what it lists, follows events, and leads to pages of the console',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, admin } = await startConsole(t, { plugins: [nightMail()] });
    await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'First' });
    const { page, failures } = await open(t, '', { width: 1280 });
    await page.getByRole('link', { name: '<b>Letters</b> & more' }).click();
    await page.getByRole('heading', { level: 1, name: '<b>Letters</b> & more' }).waitFor();
    const frame = page.frameLocator('iframe');
    await frame.getByText('First').waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await admin('POST', '/numbers', { kind: 'network', address: '+27600000002', name: 'Second' });
    await frame.getByText('First,Second').waitFor();
    await frame.getByRole('button', { name: 'Fail' }).click();
    await page.getByRole('alert').getByText('<img src=x onerror=alert(1)> failed').waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await page.setViewportSize({ width: 360, height: 700 });
    t.equal(await overflowOf(page), 0);
    await page.getByRole('button', { name: 'Load it again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await frame.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 2, name: 'Renamed' }).waitFor();

    const panel = page.getByRole('region', { name: 'Tall panel' });
    await panel
      .frameLocator('iframe')
      .getByText(/^number [0-9a-f-]{36}$/)
      .waitFor();
    await eventually(() => panel.locator('iframe').evaluate((element) => element.getBoundingClientRect().height >= 700));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('letters');
    await page.locator('[role=option][data-highlighted]', { hasText: 'Letters' }).waitFor();
    await page.keyboard.press('Enter');
    await frame.getByText('Renamed,Second').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await frame.locator(':root[data-theme="dark"]').waitFor();
    t.strictSame(
      failures.filter((one) => !one.includes('onerror')),
      [],
    );
  },
);

t.test('a page cannot reach the console, the session, other servers, or calls that it does not list', { skip }, async (t) => {
  const { open, admin } = await startConsole(t, { plugins: [nightMail()] });
  await admin('POST', '/numbers', { kind: 'network', address: '+27600000001', name: 'First' });
  const { page } = await open(t, '', { width: 1280 });
  const server = createServer((_, response) => {
    elsewhere.calls++;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  elsewhere.port = (server.address() as AddressInfo).port;
  for (const name of Object.keys(attempts)) {
    await page.getByRole('link', { name: `Attempt ${name}` }).click();
    const result = page.frameLocator(`iframe[title="Attempt ${name}"]`).getByText(/refused|Blocked|sandbox/i);
    await result.waitFor();
    t.notMatch(await result.textContent(), /First|2760|loaded|left$/, name);
  }
  t.match(await page.frameLocator('iframe').locator('#said').textContent(), /does not list the call GET \/night-mail\/%2e%2e\/numbers/);
  t.equal(elsewhere.calls, 0);
  t.equal((await fetch(`${new URL(page.url()).origin}/admin/v1/console/frames/night-mail/letters`)).status, 401, 'without a session');
});

t.test('a page that fails shows why, and the console works on', { skip: onlyLong || skip }, async (t) => {
  const { open } = await startConsole(t, { plugins: [nightMail()] });
  const { page } = await open(t, 'plugins/night-mail/throws', { width: 430 });
  await page.getByText('no letters </script> today').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  const goTo = (path: string) => page.evaluate(`history.pushState(null, '', '/console/plugins/${path}')`);
  await goTo('night-mail/leaves');
  await page.getByText(/cannot be shown: it left its address/).waitFor();
  await goTo('night-mail/none');
  await page.getByRole('heading', { name: 'No plugin has this page' }).waitFor();
  await goTo('night-mail/never');
  await page.getByText(/had no result after 5 seconds|did not start/).waitFor();
  await page.getByRole('button', { name: 'Load it again' }).waitFor();
});

t.test('the example shows the newest flights on its page, and those of a number beside it', { skip: onlyLong || skip }, async (t) => {
  const gateway = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  t.teardown(() => gateway.close());
  const plugins = [pigeonPost({ gateway: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}` })];
  const { open, admin, sandbox } = await startConsole(t, { plugins });
  const { number } = await admin('POST', '/numbers', { kind: 'channel', type: 'pigeon-post', address: 'loft:1', name: 'Loft' });
  const { page, failures } = await open(t, 'plugins/pigeon-post/flights', { width: 1280 });
  const frame = page.frameLocator('iframe');
  await frame.getByText('Nothing has left yet.').waitFor();
  await sandbox.platform.store.transaction((tx) =>
    sandbox.platform.channels.sendTo(
      tx,
      number,
      { id: '<b>ada</b>', address: '<b>ada</b>' },
      { turn: { type: 'text', text: { body: 'hello' } }, author: { type: 'OPERATOR', id: '1', name: 'Op' } },
    ),
  );
  await frame.getByRole('row', { name: '<b>ada</b> 1 status 200' }).waitFor();
  await page.evaluate(`history.pushState(null, '', '/console/numbers/${number.uuid}')`);
  await page
    .getByRole('region', { name: 'Flights' })
    .frameLocator('iframe')
    .getByRole('row', { name: '<b>ada</b> 1 status 200' })
    .waitFor();
  t.strictSame(failures, []);
});
