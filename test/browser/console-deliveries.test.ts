import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { checkLook, opened, overflows, startReceiver, startWithNumber, until } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

t.test('my connector is down, retries show, it comes back', { skip }, async (t) => {
  const receiver = await startReceiver(t, () => ({ status: 503, body: '{"error":"down"}' }));
  const box = await startWithNumber(t, receiver.url);
  const { page, failures } = await opened(box, t, 'deliveries');
  await page.getByText('No deliveries yet').waitFor();
  await box.write('Is my book in?');
  await page.getByRole('option', { name: /retrying .*Message of a contact/ }).click();
  const table = page.getByRole('table', { name: 'Attempts and scheduled retries' });
  await table.waitFor();
  const rows = async () => (await table.getByRole('row').allTextContents()).slice(1);
  t.match(await rows(), [
    /^First.*0 s.*503.*retry scheduled/,
    /^Retry 1.*due .*next, in 1\d s/,
    /^Retry 2.*about 36 s/,
    /^Retry 3.*about 60 s/,
    /^Retry 4.*about 91 s/,
    /^Retry 5.*about 138 s/,
    /^Dropped.*by 140 s/,
  ]);
  t.match(
    await page.getByRole('img', { name: /Attempts: 503; next in 1\d s/ }).textContent(),
    /^0 s1\d s36 s60 s91 s138 s.*retries stop at 140 s/,
  );
  await checkLook(t, page, 'a timeline with scheduled retries');

  await page.getByRole('button', { name: 'Clock to next attempt', exact: true }).click();
  await table.getByRole('row', { name: /^Retry 1 .*503/ }).waitFor();
  t.equal(receiver.received.length, 2);
  receiver.respond(() => ({ status: 200 }));
  await page.getByRole('button', { name: 'Clock to next attempt', exact: true }).click();
  await page.getByText('received at attempt 3').first().waitFor();
  await table.locator('tbody td:nth-child(3)').nth(3).waitFor({ state: 'detached' });
  const after = (await table.locator('tbody td:nth-child(3)').allTextContents()).map((text) => Number.parseInt(text, 10));
  t.equal(after.length, 3, 'the table has no scheduled retries any more');
  t.ok(Math.abs(after[1]! - 17) <= 2 && Math.abs(after[2]! - 36) <= 3, `the attempts were at 0, 17 and 36 s: ${after}`);
  t.match(await box.delivery(3), { state: 'delivered', attempts: 3 });
  t.equal(await page.getByRole('button', { name: 'Retry now', exact: true }).count(), 0);

  await page.getByRole('tab', { name: 'Diff' }).click();
  await page.getByText('- HTTP/1.1 503').waitFor();
  await page.getByText('+ HTTP/1.1 200').waitFor();
  await checkLook(t, page, 'a diff of attempts');
  await page.getByRole('tab', { name: 'Response' }).click();
  await page.getByRole('row', { name: /x-receiver shop/i }).waitFor();
  await page.getByLabel('Attempt', { exact: true }).selectOption({ label: 'First: 503' });
  await page.getByText('{"error":"down"}').waitFor();
  await checkLook(t, page, 'a response');
  await page.getByRole('button', { name: 'Hex' }).click();
  await page.getByText('7b 22 65 72 72 6f 72').waitFor();
  t.match(page.url(), /tab=response/);
  t.strictSame(failures, []);
});

t.test('retry now, cancel, and a fault for the endpoint', { skip: onlyLong || skip }, async (t) => {
  const receiver = await startReceiver(t, () => ({ status: 500 }));
  const box = await startWithNumber(t, receiver.url);
  await box.write('one');
  const { uuid } = await box.delivery();
  const { page, failures } = await opened(box, t, `deliveries/${uuid}`);
  await page.getByRole('button', { name: 'Retry now', exact: true }).click();
  await page.getByText('retry 2 scheduled').first().waitFor();
  t.equal(receiver.received.length, 2);
  await page.getByRole('button', { name: 'Copy “Retry now” as code' }).click();
  await page.getByRole('menuitem', { name: `posthorn deliveries retry ${uuid}` }).waitFor();
  await checkLook(t, page, 'the menu of an action');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Cancel retries', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the retries' }).click();
  await page.getByText('cancelled manually').first().waitFor();
  t.match(await box.delivery(2), { state: 'cancelled', reason: 'by_hand' });

  await page.getByRole('button', { name: 'Add fault…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Add a fault for Orders' });
  await sheet.getByLabel('Status').fill('404');
  await sheet.getByLabel('Times').fill('1');
  t.strictSame(await violationsInBothThemes(page), []);
  await sheet.getByRole('button', { name: 'Add the fault' }).click();
  await sheet.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await page.getByText('4XX: retries cancelled').first().waitFor();
  t.equal(receiver.received.length, 2, 'the endpoint did not receive it');
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByText(/The fault rule/).waitFor();

  // The server's message appears beside the buttons.
  await box.admin('DELETE', `/webhooks/${box.webhook!.uuid}`);
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'The webhook of this delivery was deleted' }).waitFor();
  t.strictSame(
    failures.filter((line) => !/40[49]/.test(line)),
    [],
  );
});

t.test('a delivery is redelivered edited, byte by byte, several times, with the old signature', { skip: onlyLong || skip }, async (t) => {
  const receiver = await startReceiver(t);
  const other = await startReceiver(t);
  const box = await startWithNumber(t, receiver.url);
  await box.write('original');
  const original = await box.delivery();
  const { page, failures } = await opened(box, t, `deliveries/${original.uuid}`);
  await page.getByRole('button', { name: 'Redeliver edited…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Redeliver edited' });
  const body = '{\n  "edited": "ü 📚",\t"spaces": [1,  2]\n}\n';
  await sheet.getByRole('textbox', { name: 'Body' }).fill(body);
  await sheet.getByText(`${Buffer.byteLength(body)} bytes, sent exactly like this.`).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.setViewportSize({ width: 430, height: 800 });
  t.notOk(await overflows(page));
  await page.setViewportSize({ width: 1280, height: 800 });
  await sheet.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Copy of').waitFor();
  await until(() => (receiver.received.length === 2 ? true : undefined));
  t.equal(receiver.received[1]!.body.toString(), body);
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByText('"spaces": [1,  2]').waitFor();

  await page.getByRole('link', { name: original.uuid }).click();
  await page.getByRole('button', { name: 'Redeliver edited…' }).click();
  await sheet.getByRole('textbox', { name: 'Body' }).fill('{"tampered":true}');
  await sheet.getByLabel('URL').fill(other.url);
  await sheet.getByLabel('Times').fill('2');
  await sheet.getByLabel(/Keep the signature/).check();
  await sheet.getByRole('button', { name: 'Send' }).click();
  await until(() => (other.received.length === 2 ? true : undefined));
  t.equal(other.received[0]!.body.toString(), '{"tampered":true}');
  t.equal(other.received[0]!.headers['x-svc-hook-signature'], receiver.received[0]!.headers['x-svc-hook-signature']);
  await page.getByRole('tab', { name: 'Signature' }).click();
  await page.getByText('The request had another signature').waitFor();

  await page.getByRole('button', { name: 'Redeliver edited…' }).click();
  await sheet.getByLabel('Times').fill('1000');
  await sheet.getByRole('button', { name: 'Send' }).click();
  await sheet.getByRole('alert').filter({ hasText: 'times must be less than or equal to 100' }).waitFor();
  t.strictSame(
    failures.filter((line) => !/400/.test(line)),
    [],
  );
});

t.test('filters are in the URL, and the filtered deliveries are redelivered', { skip: onlyLong || skip }, async (t) => {
  const receiver = await startReceiver(t, (_, n) => ({ status: n <= 2 ? 401 : 200 }));
  const box = await startWithNumber(t, receiver.url);
  for (const text of ['one', 'two', 'three']) {
    await box.write(text, `2782000100${text.length}`);
    await until(async () => ((await box.admin('GET', '/deliveries?state=queued')).deliveries.length === 0 ? true : undefined));
  }
  await until(() => (receiver.received.length === 3 ? true : undefined));
  const { page, failures } = await opened(box, t, 'deliveries?state=cancelled');
  const options = page.getByRole('option', { name: /Message of a contact/ });
  await options.nth(1).waitFor();
  t.equal(await options.count(), 2);
  t.match(await options.first().textContent(), /cancelled.*401/);
  await checkLook(t, page, 'a filtered list');
  await page.getByRole('button', { name: 'Redeliver…' }).click();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Redeliver', exact: true }).click();
  await page.getByText('No delivery matches these filters').waitFor();
  t.equal((await box.admin('GET', '/deliveries?state=delivered')).deliveries.length, 3);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await options.nth(2).waitFor();
  await page.keyboard.press('j');
  await page.waitForURL(/deliveries\/[0-9a-f-]{36}/);
  await page.getByRole('tab', { name: 'Event' }).click();
  await page.getByRole('tab', { name: 'Event', selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/deliveries$/);
  await page.getByLabel('State').selectOption('delivered');
  await page.waitForURL(/state=delivered/);
  await options.nth(2).waitFor();
  for (let i = 0; i < 3; i++) {
    const before = page.url();
    await page.keyboard.press('j');
    await page.waitForURL((url) => url.href !== before);
  }
  await page.goBack();
  t.match(page.url(), /\/deliveries\?state=delivered$/, 'one step back leaves the detail, however many were looked at');
  await page.getByText('More filters').click();
  const field = page.getByLabel('Message id');
  await field.fill('some-message');
  await field.press('Enter');
  await page.waitForURL(/message=some-message/);
  await page.goBack();
  await page.waitForURL(/\/deliveries\?state=delivered$/);
  await until(async () => ((await field.inputValue()) === '' ? true : undefined));
  await field.press('Tab');
  t.match(page.url(), /\/deliveries\?state=delivered$/, 'the field does not apply its former text again');
  t.strictSame(failures, []);
});

t.test('an empty list says why: no number, no webhook, or a disabled webhook', { skip: onlyLong || skip }, async (t) => {
  const none = await startConsole(t);
  const first = await opened(none, t, 'deliveries');
  await first.page.getByText('there is no number').waitFor();
  await checkLook(t, first.page, 'no number');
  const box = await startWithNumber(t);
  const { page, failures } = await opened(box, t, 'deliveries');
  await page.getByText('there is no webhook').waitFor();
  await box.admin('POST', '/webhooks', { number: box.number, url: 'http://127.0.0.1:9/x', name: 'Muted', enabled: false });
  await page.reload();
  await page.getByText('Every webhook is disabled').waitFor();
  await checkLook(t, page, 'a disabled webhook');
  await page.goto(page.url().replace(/deliveries.*/, 'deliveries/unknown'));
  await page
    .getByRole('alert')
    .getByText(/no delivery/i)
    .waitFor();
  t.strictSame(
    failures.filter((line) => !/404/.test(line)),
    [],
  );
});

t.test('a page whose data cannot be read says why, and reads again', { skip: onlyLong || skip }, async (t) => {
  const receiver = await startReceiver(t);
  const box = await startWithNumber(t, receiver.url);
  await box.write('hello');
  const { uuid } = await box.delivery();
  const { page } = await opened(box, t, 'overview');
  const paths = ['deliveries', `deliveries/${uuid}`, 'webhooks', `webhooks/${box.webhook!.uuid}`, 'signature', `signature/${uuid}`];
  for (const path of paths) {
    await page.route(/admin\/v1\/(deliveries|webhooks|signatures)/, (route) =>
      route.fulfill({ status: 503, body: '{"errors":[{"details":"no store"}]}' }),
    );
    await page.goto(`${box.sandbox.console!.url}${path}`);
    await page.getByRole('alert').getByText('no store').first().waitFor();
    await checkLook(t, page, `${path.split('/')[0]} without data`);
    await page.unroute(/admin\/v1\/(deliveries|webhooks|signatures)/);
    // Several parts of a page may have failed, and events may repeat a call before the click.
    const again = page.getByRole('button', { name: 'Try again' });
    await until(async () => {
      if ((await again.count()) === 0) return true;
      await again
        .first()
        .click({ timeout: 1_000 })
        .catch(() => {});
      return undefined;
    });
    t.equal(await page.getByRole('alert').count(), 0);
  }
});

t.test('a list of many deliveries keeps few rows in the page, and loads older ones', { skip }, async (t) => {
  const receiver = await startReceiver(t);
  const box = await startWithNumber(t, receiver.url);
  await box.write('many');
  const { uuid } = await box.delivery();
  await box.admin('POST', `/deliveries/${uuid}/redeliver`, { times: 100 });
  await box.admin('POST', `/deliveries/${uuid}/redeliver`, { times: 49 });
  const { page, failures } = await opened(box, t, 'deliveries');
  await page.getByRole('button', { name: 'Show older deliveries' }).click();
  await page.locator('[role=option][aria-setsize="150"]').first().waitFor();
  await page.getByRole('button', { name: 'Show older deliveries' }).waitFor({ state: 'detached' });
  t.ok((await page.getByRole('option', { name: /Message of a contact/ }).count()) <= 100);
  await box.write('new');
  await page.locator('[role=option][aria-setsize="151"]').first().waitFor();
  t.strictSame(failures, []);
});

t.test('bodies of all kinds are shown as text: HTML, invalid UTF-8, a megabyte, very long words', { skip: onlyLong || skip }, async (t) => {
  const answers = ['<script>globalThis.hacked = 1</script>', Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'), 'w'.repeat(1024 * 1024)];
  const receiver = await startReceiver(t, (_, n) => ({ status: 200, body: answers[(n - 1) % answers.length]! }));
  const box = await startWithNumber(t, receiver.url);
  const { page, failures } = await opened(box, t, 'deliveries');
  for (const [n, text] of ['<img src=x onerror="globalThis.hacked = 1">', '\u202eمرحبا', 'a'.repeat(4_000)].entries()) {
    await box.write(text, `2782000200${n}`);
    const { uuid } = await until(async () => {
      const { deliveries } = await box.admin('GET', '/deliveries?limit=10');
      return deliveries.length === n + 1 && deliveries[0].state === 'delivered' ? deliveries[0] : undefined;
    });
    for (const tab of ['request', 'response', 'signature', 'event', 'timeline']) {
      await page.goto(page.url().replace(/deliveries.*/, `deliveries/${uuid}?tab=${tab}`));
      await page.getByRole('tabpanel').waitFor();
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      t.notOk(await overflows(page), `${tab} of body ${n}`);
    }
    if (n === 2) {
      await page.goto(page.url().replace(/tab=.*/, 'tab=response'));
      await page.getByText('✂ Cut after', { exact: false }).waitFor();
    }
  }
  t.equal(await page.evaluate('globalThis.hacked'), undefined);
  t.strictSame(failures, []);
});

t.test('a connector that returns no id is named above the timeline, and the list names number and contact', { skip }, async (t) => {
  const receiver = await startReceiver(t);
  const box = await startConsole(t, { seed: { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: receiver.url }] } });
  const { token } = box.sandbox.numbers[0]!;
  const sent = await fetch(`${box.sandbox.api}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: '+27820001001', type: 'text', text: { body: 'hi' } }),
  });
  t.equal(sent.status, 200);
  const { page, failures } = await opened(box, t, 'deliveries');
  const row = page.getByRole('option', { name: /Message to a contact .*\+27820001001 · web:shop/ });
  await row.click();
  await page.getByRole('note').getByText('no message id in messages[0].id').waitFor();
  await checkLook(t, page, 'a delivery whose response has no id');
  t.strictSame(failures, []);
});
