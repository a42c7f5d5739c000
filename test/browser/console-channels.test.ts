import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { freePort } from '../../scripts/free-port.js';
import { startReceiver, textOf } from '../control/sandbox-with-receiver.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { type ConsoleUnderTest, overflowOf, startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

const KINDS = ['Text', 'Buttons', 'List', 'Flow', 'Template', 'Image', 'Video', 'Audio', 'Document'];
const newChannel = async ({ admin }: ConsoleUnderTest, endpoint: string) =>
  admin('POST', '/channels', { from_addr: 'web:a', name: 'Web chat', endpoint });

t.test(
  'a connector gets a sample of each kind of turn; the page shows the payload and its answer',
  { skip: onlyLong || skip },
  async (t) => {
    const receiver = await startReceiver(t);
    const test = await startConsole(t);
    const { number } = await newChannel(test, `${receiver.url}/connector`);
    const { page, failures } = await test.open(t, `channels/${number.uuid}?tab=samples`, { width: 1280 });
    for (const [n, kind] of KINDS.entries()) {
      await page.getByRole('button', { name: kind, exact: true }).click();
      await page.getByRole('region', { name: `Sample of “${kind.toLowerCase()}”` }).waitFor();
      await page.getByText(`{"messages":[{"id":"out-${n + 1}"}]}`).waitFor();
    }
    const sent = (await receiver.requests('/connector')).map((request) => JSON.parse(textOf(request)));
    t.equal(sent.length, KINDS.length);
    t.ok(sent.every(({ to }) => to === 'sample'));
    await page.getByRole('region', { name: 'Delivered payload' }).getByText('loans.pdf').waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await page.getByText('Send to another contact').click();
    await page.getByLabel('Id of the contact').fill('web-42');
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    await page.getByRole('region', { name: 'Delivered payload' }).getByText('"web-42"').waitFor();
    await page.getByRole('tab', { name: 'Health' }).click();
    await page.getByRole('img', { name: 'Response times of the last 10 attempts; 0 failed.' }).waitFor();
    await page.getByText('The last 10 attempts as a table').click();
    t.equal(await page.locator('.detail tbody tr').count(), 10);
    t.match(page.url(), /tab=health/);
    t.strictSame(await violationsInBothThemes(page), []);
    t.strictSame(failures, []);
  },
);

t.test('a connector that is down fails in plain words; a new endpoint receives the retry', { skip: onlyLong || skip }, async (t) => {
  const receiver = await startReceiver(t);
  const test = await startConsole(t);
  const { number, webhook } = await newChannel(test, 'http://127.0.0.1:9/');
  const { page, failures } = await test.open(t, `channels/${number.uuid}?tab=samples`, { width: 430 });
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await page.getByText('Check that the program runs and listens on this host and port.').waitFor();
  await page.getByText('A retry follows.').waitFor();
  t.equal(await overflowOf(page), 0);
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('tab', { name: 'Health' }).click();
  await page.getByText('Once, last at').waitFor();
  await page.getByText('the connection was refused').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  const { rule } = await test.admin('POST', '/faults', { where: 'deliveries', effect: { kind: 'status', status: 503 } });
  await page.getByRole('tab', { name: 'Samples' }).click();
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await page.getByText('The fault rule fault_1 (status) made this failure, not the endpoint.').waitFor();
  await page.getByRole('tab', { name: 'Health' }).click();
  await page.getByText('The fault rule fault_1 (status) made this failure, not the endpoint.').waitFor();
  await test.admin('DELETE', `/faults/${rule?.id ?? 'fault_1'}`);
  await page.getByRole('tab', { name: 'Settings' }).click();
  const endpoint = page.getByRole('textbox', { name: 'Endpoint of the connector' });
  await endpoint.fill('http://127.0.0.1:9 9/');
  await page.getByRole('button', { name: 'Save the endpoint' }).click();
  t.equal((await test.admin('GET', `/webhooks/${webhook.uuid}`)).webhook.url, 'http://127.0.0.1:9/');
  await endpoint.fill(`${receiver.url}/connector`);
  await page.getByRole('button', { name: 'Save the endpoint' }).click();
  await page.getByText('Saved. The next attempt goes to this endpoint.').waitFor();
  await test.admin('POST', '/clock', { next: true });
  await page.getByText('✓ 200').waitFor();
  t.equal((await receiver.requests('/connector')).length, 1);
  t.strictSame(failures, []);
});

t.test(
  'the secret is rotated after a question and shown once; subscriptions that would loop are found',
  { skip: onlyLong || skip },
  async (t) => {
    const receiver = await startReceiver(t);
    const test = await startConsole(t);
    const { number, webhook } = await newChannel(test, `${receiver.url}/connector`);
    const { page, failures } = await test.open(t, `channels/${number.uuid}?tab=settings`, { width: 1280 });
    await page.getByRole('combobox', { name: 'When it is rotated' }).selectOption('24');
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('dialog', { name: 'Rotate the secret?' }).getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('Copy the secret now.').waitFor();
    const secret = (await page.locator('.secret').textContent())!;
    t.match(secret, /^\S{43}$/);
    t.match((await test.admin('GET', `/webhooks/${webhook.uuid}`)).webhook, { previous_secret_until: /^\d{4}-/ });
    await page.getByText('A second header has the signature by the old secret until').waitFor();
    await test.admin('POST', `/channels/${number.uuid}/samples`, { turn: 'text' });
    await page.getByText('✓ 200').first().waitFor();
    const [request] = await receiver.requests('/connector');
    const signature = createHmac('sha256', secret).update(Buffer.from(request!.body, 'base64')).digest('base64');
    t.ok(request!.rawHeaders.includes(signature), 'the shown secret signs');
    await page.reload();
    await page.getByRole('button', { name: 'Rotate the secret' }).waitFor();
    t.notOk((await page.content()).includes(secret));

    await page.getByRole('tab', { name: 'Health' }).click();
    await test.admin('POST', '/webhooks', {
      number: number.uuid,
      url: `${receiver.url}/connector?x=1`,
      subscriptions: ['msgapp'],
      name: 'Loop',
    });
    await page.reload();
    await page.getByText('The webhook “Loop” sends “msgapp” to the endpoint of the connector.').waitFor();
    await test.admin('POST', '/webhooks', { number: number.uuid, url: `${receiver.url}/two`, subscriptions: ['channel'], name: 'Second' });
    await page.reload();
    await page.getByText('2 webhooks receive the messages of this channel.').waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    t.strictSame(failures, []);
  },
);

t.test('without channels the page says what one is, and creates it with its secret', { skip }, async (t) => {
  const test = await startConsole(t);
  const { page, failures } = await test.open(t, 'channels', { width: 1280 });
  await page.getByRole('heading', { name: 'No channels yet' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('textbox', { name: 'Name' }).fill('שירות <b>x</b>');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByText('Copy the secret now.').waitFor();
  const [{ number }] = (await test.admin('GET', '/channels')).channels;
  t.equal(number.name, 'שירות <b>x</b>');
  await page.getByRole('heading', { level: 2, name: number.name }).waitFor();
  await page.getByText('No delivery to the connector yet').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('link', { name: 'Send a sample' }).click();
  await page.getByRole('button', { name: 'Buttons', exact: true }).waitFor();
  await page.getByRole('link', { name: 'New channel' }).click();
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByRole('alert').waitFor();
  t.strictSame(
    failures.filter((line) => !line.includes('409')),
    [],
    'only the address that was taken',
  );
});

const PYTHON = '/usr/bin/python3';
const GO = '/usr/local/go/bin/go';
const starters = [
  { language: 'typescript', file: 'connector.mjs', program: process.execPath },
  { language: 'python', file: 'connector.py', program: PYTHON },
  { language: 'go', file: 'connector.go', program: GO },
] as const;

for (const { language, file, program } of starters) {
  const missing = existsSync(program) ? false : `no ${program}`;
  t.test(
    `the starter connector in ${language} runs as it is copied, and answers a sample`,
    { skip: (language === 'typescript' ? false : onlyLong) || skip || missing },
    async (t) => {
      const port = await freePort();
      const test = await startConsole(t);
      const { number, webhook } = await newChannel(test, `http://127.0.0.1:${port}/`);
      const { text: token } = await test.admin('POST', `/numbers/${number.uuid}/tokens`, { name: 'connector' });
      const { page, failures } = await test.open(t, `channels/${number.uuid}?tab=starter&language=${language}`, { width: 430 });
      const source = await page.locator('.snippet code').textContent();
      t.equal(await overflowOf(page), 0);
      t.strictSame(await violationsInBothThemes(page), []);
      const folder = mkdtempSync(join(tmpdir(), 'posthorn-starter-'));
      t.teardown(() => rmSync(folder, { recursive: true, force: true }));
      writeFileSync(join(folder, file), source!);
      const built = join(folder, 'connector');
      // `go run` would not stop the program that it started.
      if (language === 'go') await promisify(execFile)(program, ['build', '-o', built, join(folder, file)]);
      const [run, argv] = language === 'go' ? [built, []] : [program, [join(folder, file)]];
      const env = { ...process.env, POSTHORN_SECRET: webhook.hmac_secret, POSTHORN_TOKEN: token };
      const child = spawn(run, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      t.teardown(() => child.kill());
      // Go logs to standard error.
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
      await page.getByRole('tab', { name: 'Samples' }).click();
      await page.getByRole('button', { name: 'Buttons', exact: true }).click();
      await page.getByText('"messages"').waitFor();
      const [delivery] = (await test.admin('GET', `/deliveries?number=${number.uuid}`)).deliveries;
      await t.resolves(
        waitFor(async () => (await test.admin('GET', `/messages/${delivery.message}`)).message.status === 'delivered'),
        'its status arrives',
      );
      await test.admin('POST', `/webhooks/${webhook.uuid}/rotate-secret`, {});
      await page.getByRole('button', { name: 'Text', exact: true }).click();
      await page.getByText('The receiver rejected the signature.').first().waitFor();
      t.strictSame(failures, []);
    },
  );
}

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + patient(15_000);
  while (!(await isDone())) {
    if (Date.now() > until) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
