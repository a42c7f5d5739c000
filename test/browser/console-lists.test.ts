import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t from 'tap';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf } from './console.js';
import { startReceiver, startWithNumber, until } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

/** A sandbox with one webhook, six calls of which four are equal refusals, and deliveries about two contacts. */
async function start(t: Tap) {
  const receiver = await startReceiver(t, (_, n) => ({ status: n === 1 ? 200 : 401 }));
  const box = await startWithNumber(t, receiver.url);
  await box.write('order one', '27820001001');
  await until(() => (receiver.received.length === 1 ? true : undefined));
  await box.write('order two', '27820001002');
  await until(() => (receiver.received.length === 2 ? true : undefined));
  const call = async (path: string, payload?: object): Promise<void> => {
    const headers = { authorization: `Bearer ${box.sandbox.numbers[0]!.token}`, 'content-type': 'application/json' };
    const request = payload && { method: 'POST', body: JSON.stringify(payload) };
    await (await fetch(`${box.sandbox.api}${path}`, { headers, ...request })).text();
  };
  await call('/v1/nothing');
  for (let n = 0; n < 4; n++) await call('/v1/messages', { to: '+27820001001', type: 'text', text: { body: n } });
  await call('/v1/messages', { to: '+27820001001', type: 'text', text: { body: 'sesame' } });
  // Both messages of contacts, and two statuses.
  await until(() => (receiver.received.length === 4 ? true : undefined));
  return box;
}

const rows = (page: Page) => page.getByRole('listbox').getByRole('option');
/** Waits until the list has so many rows. */
async function sizeIs(page: Page, count: number): Promise<void> {
  await page.locator(`[role="option"][aria-setsize="${count}"]`).first().waitFor();
}

/** The file that a choice of the menu Export saves. */
async function saved(page: Page, format: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Export/ }).click();
  await page.getByRole('menuitem', { name: format }).click();
  return readFileSync((await (await download).path())!, 'utf8');
}

t.test('lists are filtered by the server, brushed, grouped, marked and exported', { skip }, async (t) => {
  const box = await start(t);
  const { page, failures } = await box.open(t, 'calls', { width: 1280 });
  await rows(page).first().waitFor();
  await sizeIs(page, 6);
  t.strictSame(await violationsInBothThemes(page), []);

  await page.getByText('More filters').click();
  await page.getByLabel('Words in bodies, such as a contact').fill('sesame');
  await sizeIs(page, 1);
  t.equal(new URL(page.url()).search, '?text=sesame');
  await page.goBack();
  await sizeIs(page, 6);
  await page.getByLabel('Status', { exact: true }).selectOption('4xx');
  await sizeIs(page, 5);
  await page.reload();
  await sizeIs(page, 5);

  await page.getByLabel('Group equal rows').check();
  await sizeIs(page, 2);
  const group = rows(page).filter({ hasText: '4 alike, ' });
  await page.getByRole('listbox').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await sizeIs(page, 6);
  t.match(await group.textContent(), /4 alike, .*open group/);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  t.equal(await page.getByRole('option', { checked: true }).count(), 1);
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  t.equal(await page.getByRole('option', { checked: true }).count(), 5, 'a group and its rows');
  t.strictSame(await violationsInBothThemes(page), []);
  const lines = (await saved(page, 'JSON lines')).trim().split('\n');
  t.equal(lines.length, 4, 'the marked calls');
  t.match(JSON.parse(lines[0]!), { status: 400, request: { body: { text: /"body":3/ } } });
  t.notMatch(lines.join(), box.sandbox.numbers[0]!.token);
  await page.keyboard.press('Enter');

  await page.goto(`${box.sandbox.console!.url}calls`);
  await sizeIs(page, 6);
  const har = JSON.parse(await saved(page, 'HAR'));
  t.match(har.log, { version: '1.2', entries: [{ request: { method: 'GET', url: `${box.sandbox.api}/v1/nothing` } }] });
  t.equal(har.log.entries.length, 6);
  await page.getByText('Saved 6 calls').waitFor();

  const box2 = (await page.locator('.histogram').boundingBox())!;
  await page.mouse.move(box2.x + box2.width - 3, box2.y + 10);
  await page.mouse.down();
  await page.mouse.move(box2.x + box2.width * 0.9, box2.y + 10, { steps: 3 });
  await page.mouse.up();
  await page.waitForURL(/from=.*before=/);
  await page.getByRole('button', { name: 'Any time' }).click();
  await sizeIs(page, 6);
  await page.getByText('More filters').click();
  await page.getByLabel('From').fill('2100-01-01T00:00:00');
  await page.keyboard.press('Enter');
  await page.getByText('No call matches the filters').waitFor();
  t.match(page.url(), /from=2(100-01-01|099-12-31)T/);
  t.strictSame(failures, []);
});

t.test('columns have widths of the user, on wide and narrow pages', { skip }, async (t) => {
  const box = await start(t);
  const { page, failures } = await box.open(t, 'deliveries', { width: 1280 });
  await rows(page).first().waitFor();
  await sizeIs(page, 4);
  t.strictSame(await violationsInBothThemes(page), []);
  const handle = page.getByRole('separator', { name: 'Width of State' });
  await handle.focus();
  await page.keyboard.press('ArrowRight');
  t.equal(await handle.getAttribute('aria-valuenow'), '100');
  const place = (await handle.boundingBox())!;
  await page.mouse.move(place.x + place.width / 2, place.y + 5);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2 + 30, place.y + 5, { steps: 2 });
  await page.mouse.up();
  await page.reload();
  await sizeIs(page, 4);
  t.equal(await handle.getAttribute('aria-valuenow'), '130', 'kept by the browser');
  await handle.focus();
  await page.keyboard.press('Home');
  t.equal(await handle.getAttribute('aria-valuenow'), '92');

  t.match(await saved(page, 'CSV'), /^\uFEFF?time,state,.*\r\n(.*\r\n)*.*,'\+27600000001,'\+27820001002,/);
  // The deliveries are read in more than one page, as more than 500 are.
  let isHeld = false;
  await page.route(/\/deliveries\?.*limit=500/, async (route) => {
    if (isHeld) await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue({ url: route.request().url().replace('limit=500', 'limit=2') });
  });
  const { log } = JSON.parse(await saved(page, 'HAR'));
  t.match(log.entries[0], { request: { method: 'POST', postData: { text: /order one/ } }, response: { status: 200 } });
  const times = log.entries.map(({ startedDateTime }: { startedDateTime: string }) => startedDateTime);
  t.strictSame(times, [...times].sort());
  t.equal((await saved(page, 'JSON lines')).trim().split('\n').length, 4);
  t.equal((await saved(page, 'CSV')).trim().split('\r\n').length, 5);
  await page.getByText('Saved 4 deliveries').waitFor();
  isHeld = true;
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'HAR' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped: nothing was saved').waitFor();
  await page.getByText('More filters').click();
  await page.getByLabel('Address of the contact').fill('27820001002');
  await sizeIs(page, 1);
  await page.getByLabel('Reason').selectOption('http_4xx');
  await sizeIs(page, 1);
  t.match(page.url(), /contact=27820001002&reason=http_4xx/);

  for (const path of ['calls', 'deliveries', 'events']) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${box.sandbox.console!.url}${path}`);
    await rows(page).first().waitFor();
    t.equal(await overflowOf(page), 0, `${path} at 390 px`);
    t.strictSame(await violationsInBothThemes(page), []);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${box.sandbox.console!.url}events`);
  await rows(page).first().waitFor();
  t.match(await saved(page, 'CSV'), /time,name,summary,id\r\n(.*\r\n)+.*,message.received,/);
  t.strictSame(failures, []);
});

t.test('conversations and charts are saved', { skip }, async (t) => {
  const box = await start(t);
  const [{ conversation }] = (await box.admin('GET', '/conversations')).conversations;
  const { page, failures } = await box.open(t, `inbox/${conversation.uuid}?part=desk`, { width: 1280 });
  await page.getByRole('region', { name: 'Desk' }).getByRole('heading').first().waitFor();
  t.match(await saved(page, 'Text'), /UTC {2}.*\n {4}order one\n/);
  t.match(await saved(page, 'HTML'), /<p dir="auto">order one<\/p>/);
  await page.goto(box.sandbox.console!.url);
  await page.locator('.uplot canvas').first().waitFor();
  await page.keyboard.press('Control+k');
  const download = page.waitForEvent('download');
  await page.getByRole('combobox').fill('Save the charts');
  await page.getByRole('option', { name: 'Save the charts of this page as PNG' }).click();
  const picture = await (await download).path();
  t.equal(readFileSync(picture).subarray(1, 4).toString(), 'PNG');
  t.strictSame(failures, []);
});
