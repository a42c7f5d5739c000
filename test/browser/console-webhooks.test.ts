import { createHmac } from 'node:crypto';
import Hapi from '@hapi/hapi';
import t from 'tap';
import { createPlatform } from '#core';
import { RecordingLogger } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { console as posthornConsole } from '../../plugins/console/plugin.js';
import { onlyLong } from '../forms.js';
import { close, openPage, violationsInBothThemes, withoutBrowser } from './browser.js';
import { startConsole } from './console.js';
import { checkLook, opened, startReceiver, startWithNumber, until } from './console-receivers.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

const KEY = 'admin-key-of-a-host-application';

t.test('my signature fails and I find out why', { skip }, async (t) => {
  const box = await startWithNumber(t);
  let secret = '';
  let computed = '';
  // A receiver that parses the body and signs what JSON.stringify makes of it, indented.
  const receiver = await startReceiver(t, ({ headers, body }) => {
    computed = createHmac('sha256', secret)
      .update(JSON.stringify(JSON.parse(body.toString()), null, 2))
      .digest('base64');
    return computed === headers['x-svc-hook-signature'] ? { status: 200 } : { status: 401, body: '{"error":"bad signature"}' };
  });
  const { page, failures } = await opened(box, t, 'webhooks');
  await page.getByText('No webhooks yet').waitFor();
  await checkLook(t, page, 'no webhooks');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  const sheet = page.getByRole('dialog', { name: 'New webhook' });
  await sheet.getByLabel('URL').fill(receiver.url);
  await sheet.getByLabel('Name').fill('My server');
  await checkLook(t, page, 'the form of a webhook');
  await page.setViewportSize({ width: 1280, height: 800 });
  await sheet.getByRole('button', { name: 'Create' }).click();
  secret = (await page.locator('.shown-once .secret').textContent())!;
  t.ok(secret.length >= 32, 'the secret is shown once');
  t.strictSame(await violationsInBothThemes(page), []);
  await box.write('hello');
  await page.getByRole('region', { name: 'Recent deliveries' }).getByText('4XX: retries cancelled').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'My server' }).waitFor();
  t.equal(await page.locator('.shown-once').count(), 0, 'and not again');

  await page
    .getByRole('region', { name: 'Recent deliveries' })
    .getByRole('link', { name: /Message of a contact/ })
    .click();
  await page.getByRole('tab', { name: 'Signature' }).click();
  await page.getByText('The request had this signature.').waitFor();
  await page.getByLabel('The value that your server computed').fill(computed);
  await page.getByRole('button', { name: 'Find the mistake' }).click();
  await page.getByText('Your value is the signature with', { exact: false }).first().waitFor();
  t.match(await page.locator('.diagnosis').textContent(), /raw body/i);
  const fixes = {
    Express: 'express.raw(',
    Fastify: 'addContentTypeParser',
    hapi: 'parse: false',
    Flask: 'request.get_data()',
    Go: 'io.ReadAll',
  };
  for (const [title, line] of Object.entries(fixes)) {
    await page.getByRole('tab', { name: title, exact: true }).click();
    t.match(await page.getByRole('region', { name: `the receiver for ${title}` }).textContent(), line, title);
  }
  await checkLook(t, page, 'the diagnosis');
  await page.setViewportSize({ width: 1280, height: 800 });

  // The developer fixes the receiver, and redelivers.
  receiver.respond(({ headers, body }) => ({
    status: createHmac('sha256', secret).update(body).digest('base64') === headers['x-svc-hook-signature'] ? 200 : 401,
  }));
  await page.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await page
    .locator('.detail-head')
    .getByText(/✓ received by webhook$/)
    .waitFor();
  t.notMatch(await page.content(), secret);
  t.strictSame(failures, []);
});

t.test(
  'the page Signature explains deliveries and bodies of its own, and values that no mistake gives',
  { skip: onlyLong || skip },
  async (t) => {
    const none = await startConsole(t);
    const first = await opened(none, t, 'signature');
    await first.page.getByText('There is no webhook yet').waitFor();
    await checkLook(t, first.page, 'no webhook');
    const receiver = await startReceiver(t);
    const box = await startWithNumber(t, receiver.url);
    await box.write('hello');
    const { uuid } = await box.delivery();
    const { page, failures } = await opened(box, t, `signature/${uuid}`);
    await page.getByRole('heading', { name: 'HMAC-SHA256' }).waitFor();
    const right = receiver.received[0]!.headers['x-svc-hook-signature'] as string;
    t.match(await page.locator('.steps').textContent(), right);
    const find = async (value: string): Promise<void> => {
      await page.getByLabel('The value that your server computed').fill(value);
      await page.getByRole('button', { name: 'Find the mistake' }).click();
    };
    await find(`X-Svc-Hook-Signature: ${right}`);
    await page.getByText('Your value is right.').waitFor();
    await find('nonsense');
    await page.getByText('No known mistake gives this value.').waitFor();
    await checkLook(t, page, 'the page Signature');
    await page.getByRole('button', { name: 'Hex' }).click();
    await page.getByText('7b 22', { exact: false }).first().waitFor();

    await page.getByLabel('Signed').selectOption(`webhook ${box.webhook!.uuid}`);
    await page.getByLabel('Body').fill('{"a": 1}');
    const hex = createHmac('sha256', box.webhook!.hmac_secret).update('{"a": 1}').digest('hex');
    await page.getByRole('heading', { name: 'HMAC-SHA256' }).waitFor();
    t.match(await page.locator('.steps').textContent(), hex);
    await find(hex);
    await page.locator('.diagnosis').getByText('hex', { exact: false }).first().waitFor();
    for (const [path, says] of [
      ['signature?delivery=unknown', 'There is no such delivery'],
      ['signature?webhook=unknown', 'There is no such webhook'],
      ['webhooks?number=unknown', 'There is no such number'],
    ] as const) {
      await page.goto(`${box.sandbox.console!.url}${path}`);
      await page.getByRole('heading', { name: says }).waitFor();
      t.strictSame(await violationsInBothThemes(page), [], path);
    }
    await page.getByRole('link', { name: 'Webhooks of all numbers' }).click();
    await page.getByRole('option').first().waitFor();
    await page.goto(`${box.sandbox.console!.url}signature?delivery=${uuid}`);
    await page.getByRole('heading', { name: 'HMAC-SHA256' }).waitFor();
    t.strictSame(
      failures.filter((line) => !line.includes('404')),
      [],
    );
  },
);

t.test('webhooks: lane, pause, edit, rotation, what is not sent, and deletion', { skip: onlyLong || skip }, async (t) => {
  const receiver = await startReceiver(t, (_, n) => ({ status: n % 7 === 0 ? 404 : 200, afterMs: 250 }));
  const box = await startWithNumber(t, receiver.url);
  const { uuid } = box.webhook!;
  await box.write('first');
  const { uuid: delivery } = await box.delivery();
  await box.admin('POST', `/deliveries/${delivery}/redeliver`, { times: 24 });
  await until(() => (receiver.received.length >= 25 ? true : undefined));
  const { page, failures } = await opened(box, t, `webhooks/${uuid}`);
  await page.getByRole('heading', { name: 'Lane default' }).waitFor();
  await page.getByRole('img', { name: /The last 20 response times/ }).waitFor();
  t.equal(await page.locator('.lane-chart rect').count(), 20);
  await page.getByText('Data table').click();
  t.equal(await page.getByRole('table', { name: 'Response times, oldest first' }).getByRole('row').count(), 21);
  t.match(await page.getByRole('region', { name: 'Not sent to this webhook' }).textContent(), /svc.*journey_outbound.*reactions/);
  await checkLook(t, page, 'a webhook');
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(/Paused since/).waitFor();
  await box.write('while paused');
  await page.getByRole('region', { name: 'Recent deliveries' }).getByText('waits: webhook paused').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText(/Paused since/).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page.getByRole('button', { name: 'Disable the webhook' }).click();
  await page.locator('.detail-head').getByText('disabled').waitFor();
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await page.locator('.detail-head').getByText('some attempts fail').waitFor();

  await page.getByRole('button', { name: 'Edit…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Edit the webhook' });
  await sheet.getByLabel('Name').fill('Renamed <b>');
  await sheet.getByLabel(/^svc/).check();
  await sheet.getByLabel('URL').fill('nowhere://x');
  await sheet.getByRole('button', { name: 'Save' }).click();
  await sheet.getByRole('alert').waitFor();
  await sheet.getByLabel('URL').fill(receiver.url);
  await sheet.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Renamed <b>' }).waitFor();
  t.match((await box.admin('GET', `/webhooks/${uuid}`)).webhook, { name: 'Renamed <b>', subscriptions: ['msgapp', 'svc'] });

  await page.getByRole('button', { name: 'Rotate secret…' }).click();
  await page.getByLabel('Overlap in hours').fill('2');
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  const secret = (await page.locator('.shown-once .secret').textContent())!;
  t.not(secret, box.webhook!.hmac_secret);
  await page.getByText('also signs with the previous secret until').waitFor();

  await page.getByRole('button', { name: 'Delete…' }).click();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Delete the webhook' }).click();
  await page.getByText('No webhooks yet').waitFor();
  t.strictSame((await box.admin('GET', '/webhooks')).webhooks, []);
  t.strictSame(
    failures.filter((line) => !/40[04]/.test(line)),
    [],
  );
});

t.test('a platform without the plugin webhooks says so on the pages that need it', { skip: onlyLong || skip }, async (t) => {
  const server = Hapi.server({ host: '127.0.0.1', port: 0 });
  const platform = createPlatform({ plugins: [posthornConsole()], admin: { key: KEY }, ports: { log: new RecordingLogger() } });
  await server.register(platform.hapiPlugin, { routes: { prefix: '/api' } });
  await server.start();
  t.teardown(() => server.stop());
  const headers = { authorization: `Bearer ${KEY}` };
  const response = await fetch(`${server.info.uri}/api/admin/v1/console/sessions`, { method: 'POST', headers });
  const { page } = await openPage(t, ((await response.json()) as { url: string }).url);
  for (const path of ['webhooks', 'deliveries', 'signature']) {
    await page.goto(`${server.info.uri}/api/console/${path}`);
    await page.getByText('the plugin “webhooks” is not loaded').waitFor();
    t.equal(await page.getByText('There is no GET').count(), 0);
    t.strictSame(await violationsInBothThemes(page), []);
  }
});
