import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, withoutBrowser } from './browser.js';
import { loadedBytes } from './console.js';
import { checkLook, opened, startReceiver, startWithNumber, until } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

const WIDTHS = [390, 1280];

t.test('a webhook and the Overview draw attempts over time, whose values a pointer, keys and a table read', { skip }, async (t) => {
  const receiver = await startReceiver(t);
  const box = await startWithNumber(t, receiver.url);
  const { uuid } = box.webhook!;
  // So that no minute ends in between.
  await box.admin('POST', '/clock', { paused: true });
  const { page, failures } = await opened(box, t, `webhooks/${uuid}`);
  const plots = page.getByRole('region', { name: 'Outgoing attempts over time' });
  await plots.getByText('No attempt in the last hour. With the first delivery to this webhook').waitFor();
  t.equal(await page.locator('canvas').count(), 0);
  const before = await loadedBytes(page);

  for (let n = 0; n < 4; n++) await box.write(`order ${n}`);
  await until(() => (receiver.received.length >= 4 ? true : undefined));
  await plots.getByText(/^4 attempts in the last hour, 0 failed; at most \d waiting\.$/).waitFor();
  await plots.locator('canvas').nth(4).waitFor();
  t.equal(await plots.locator('canvas').count(), 5);
  t.ok((await loadedBytes(page)) - before < 30_000, 'the library of charts is loaded when there is something to draw');

  await box.admin('POST', '/clock', { advance: 120 });
  receiver.respond(() => ({ status: 404 }));
  await box.write('refused');
  await until(() => (receiver.received.length >= 5 ? true : undefined));
  await box.admin('POST', `/webhooks/${uuid}/pause`);
  await box.write('waits');
  await plots.getByText(/^5 attempts in the last hour, 1 failed \(20 %\); at most \d waiting\.$/).waitFor();
  const marks = plots.getByRole('list', { name: 'Marks in the charts' });
  t.match(await marks.textContent(), /Started version .*Clock advanced.*Paused/s);
  await checkLook(t, page, 'the charts of a webhook', WIDTHS);

  // The newest values are shown until a time is chosen.
  const slider = plots.getByRole('slider', { name: 'Time of the values' });
  const values = () => slider.getAttribute('aria-valuetext');
  const newest = await values();
  t.match(
    newest,
    /Attempts per minute: 1 made, 1 failed\. Failed: 100 %\. Response time: p50 \d+ ms.*Waiting deliveries: 1\. Lane: default\. .*Paused/,
  );
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  t.match(await values(), /Attempts per minute: 4 made, 0 failed\. Failed: 0 %/);
  t.strictSame(await plots.locator('.plot').first().locator('.plot-key').allTextContents(), ['4 made', '0 failed']);
  await page.keyboard.press('Home');
  t.match(await values(), /Attempts per minute: 0 made, 0 failed\. Failed: –\. Response time: p50 –/);
  const area = (await plots.locator('.u-over').first().boundingBox())!;
  await page.mouse.move(area.x + area.width - 3, area.y + 20);
  await until(async () => ((await values()) === newest ? true : undefined));
  await page.locator('.plot-cursor').first().waitFor();
  await page.mouse.move(area.x + area.width / 2, area.y + 20);
  await until(async () => (/Attempts per minute: 0 made/.test((await values())!) ? true : undefined));

  await plots.getByText('As a table').click();
  const cells = await plots.getByRole('row').nth(1).textContent();
  t.match(cells, /1\s*1\s*\d+ ms.*default/);

  await plots.getByRole('button', { name: '24 h' }).click();
  await page.waitForURL(/\?range=24h$/);
  await plots.getByText(/^5 attempts in the last 24 hours, 1 failed/).waitFor();
  await page.reload();
  await plots.getByText(/^5 attempts in the last 24 hours, 1 failed/).waitFor();
  t.equal(await plots.getByRole('button', { name: '24 h' }).getAttribute('aria-pressed'), 'true');

  await page.goto(`${box.sandbox.console!.url}?range=5m`);
  await plots.getByText(/^5 attempts in the last 5 minutes, 1 failed/).waitFor();
  await plots.locator('canvas').nth(4).waitFor();
  await plots.getByRole('list').getByRole('link', { name: 'Paused' }).waitFor();
  await checkLook(t, page, 'the charts of the Overview', WIDTHS);
  t.strictSame(failures, []);
});
