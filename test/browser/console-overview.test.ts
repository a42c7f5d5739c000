import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { startReceiver } from '../control/sandbox-with-receiver.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { closeMenu, loadedBytes, overflowOf, startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

/** Bytes of scripts and style sheets, compressed, with the chart. */
const BUDGET = 100_000;

t.test('an empty sandbox: the five steps are done on the Overview, and tick off as the platform reports them', { skip }, async (t) => {
  const receiver = await startReceiver(t);
  const { open, admin } = await startConsole(t);
  const { page, failures } = await open(t, '', { width: 1280 });
  const steps = page.getByRole('region', { name: 'Next steps' });
  await steps.getByText('0 of 5 done').waitFor();
  await page.getByText('The platform sends nothing yet').waitFor();
  await page.getByText('No messages in the last five minutes').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);

  const address = page.getByRole('textbox', { name: 'Address' });
  await address.fill('12');
  await page.getByRole('button', { name: 'Create number' }).click();
  await page.getByRole('alert').getByText('address must be an international phone number').waitFor();
  await address.fill('+27600000042');
  await page.getByRole('textbox', { name: 'Name' }).fill('Clinic');
  await page.getByRole('button', { name: 'Copy as code' }).click();
  await page.getByRole('menuitem', { name: 'curl' }).waitFor();
  await closeMenu(page);
  await page.getByRole('button', { name: 'Create number' }).click();
  await steps.getByText('1 of 5 done').waitFor();
  t.match((await admin('GET', '/numbers')).numbers, [{ kind: 'network', address: '27600000042', name: 'Clinic' }]);

  await page.getByRole('textbox', { name: 'Endpoint of the connector' }).fill(`${receiver.url}/connector`);
  await page.getByRole('button', { name: 'Create channel' }).click();
  await page.getByText('Copy the secret now.').waitFor();
  t.match(await page.locator('.secret').textContent(), /^\S{43}$/, 'the secret is shown once');
  await steps.getByRole('button', { name: /Let the connector answer/ }).click();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', { name: 'Send a sample' }).click();
  await steps.getByRole('button', { name: /^Let the connector answer ?, done$/ }).waitFor();
  t.equal((await receiver.requests('/connector')).length, 1);

  await steps.getByRole('button', { name: /Let a contact write/ }).click();
  await page.getByRole('button', { name: 'Say hi' }).click();
  await steps.getByRole('button', { name: /^Let a contact write ?, done$/ }).waitFor();

  await steps.getByRole('button', { name: /Let a reply be delivered/ }).click();
  await page.getByRole('textbox', { name: 'Text' }).fill('Good morning');
  await page.getByRole('button', { name: 'Send the reply' }).click();
  await steps.getByRole('button', { name: /^Let a reply be delivered ?, done$/ }).waitFor();
  const [number] = (await admin('GET', '/numbers')).numbers;
  const [conversation] = (await admin('GET', `/numbers/${number.uuid}/conversations`)).conversations;
  const { messages } = await admin('GET', `/conversations/${conversation.uuid}`);
  t.match(messages, [
    { direction: 'outbound', status: 'delivered', content: { text: { body: 'Good morning' } } },
    { direction: 'inbound' },
  ]);

  await page.locator('.traffic-chart canvas').waitFor();
  await page.getByText('1 in', { exact: true }).waitFor();
  await page.getByText('2 out', { exact: true }).waitFor();
  await page.reload();
  await page.locator('.traffic-chart canvas').waitFor();
  t.equal(await page.locator('.secret').count(), 0, 'the secret is not shown again');
  t.equal(await steps.count(), 0, 'nothing is left to do');
  t.ok((await loadedBytes(page)) <= BUDGET, `the Overview with its chart loads ${await loadedBytes(page)} bytes`);
  await page
    .getByRole('region', { name: /^Traffic/ })
    .getByText('As a table')
    .click();
  await page.getByRole('columnheader', { name: 'Failed' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  t.same(
    failures.filter((line) => !line.includes('400')),
    [],
    'only the refused address',
  );
});

t.test('the demo: say hi, look at the delivery; the page shows no token, secret or key', { skip: onlyLong || skip }, async (t) => {
  const { open, sandbox } = await startConsole(t, { seed: 'demo' });
  const { page, failures } = await open(t, '', { width: 430 });
  const steps = page.getByRole('region', { name: 'Next steps' });
  await steps.getByText('0 of 3 done').waitFor();
  await page
    .getByRole('row', { name: /Riverside Library on the web/ })
    .first()
    .waitFor();
  await page.getByText('Library desk').waitFor();
  await page.getByRole('button', { name: 'Say hi', exact: true }).last().click();
  await steps.getByRole('button', { name: /^Say hi ?, done$/ }).waitFor();
  await steps.getByRole('link', { name: 'Look at the newest delivery' }).waitFor();
  await page.locator('.traffic-chart canvas').waitFor();
  t.equal(await overflowOf(page), 0, 'nothing is wider than 430 pixels');
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByText('Lines for a').click();
  await page.getByText(`POSTHORN_NUMBER=`).waitFor();
  const shown = await page.evaluate<string>('document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage })');
  const { numbers, channels, webhooks, admin } = sandbox;
  const secrets = [
    admin.key,
    ...numbers.map(({ token }) => token),
    ...channels.map(({ webhook }) => webhook.hmac_secret),
    ...webhooks.map(({ hmac_secret }) => hmac_secret),
  ];
  for (const secret of secrets) t.notOk(shown.includes(secret));
  t.ok(shown.includes(`…${numbers[0]!.token.slice(-4)}`), 'tokens are shown as hints');
  await steps.getByRole('link', { name: 'Look at the newest delivery' }).click();
  await page.waitForURL(/\/deliveries\/[0-9a-f-]{36}$/);
  await page.goBack();
  await steps.getByText('2 of 3 done').waitFor();
  await steps.getByRole('link', { name: 'Create a channel' }).click();
  await page.getByRole('heading', { name: 'New channel' }).waitFor();
  t.strictSame(failures, []);
});

t.test(
  'problems come first: an endpoint that fails, in plain words, a paused webhook, and advice',
  { skip: onlyLong || skip },
  async (t) => {
    const { open, admin } = await startConsole(t);
    const { number } = await admin('POST', '/channels', { from_addr: 'web:a', name: 'Web chat', endpoint: 'http://127.0.0.1:9/' });
    const { page, failures } = await open(t, '', { width: 1280 });
    await page.getByRole('row', { name: /Web chat connector · no attempt in 24 h/ }).waitFor();
    t.equal(await page.getByRole('region', { name: 'Problems' }).count(), 0);
    await admin('POST', `/channels/${number.uuid}/samples`, { turn: 'text' });
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByRole('heading', { name: 'The connector of Web chat fails' }).waitFor();
    await problems.getByText('Check that the program runs and listens on this host and port.').waitFor();
    await problems.getByText('The next attempt is at').waitFor();
    await page.getByRole('row', { name: /Web chat connector ◐? ?refused/ }).waitFor();
    await admin('POST', '/faults', { where: 'deliveries', effect: { kind: 'status', status: 503 } });
    await admin('POST', `/channels/${number.uuid}/samples`, { turn: 'text', to: 'another' });
    await problems.getByText('The fault rule fault_1 (status) made this failure, not the endpoint.').waitFor();
    t.equal(await problems.getByText('Look into the log of the endpoint').count(), 0);
    const { webhook } = await admin('POST', '/webhooks', {
      number: number.uuid,
      url: 'http://127.0.0.1:9/b',
      subscriptions: ['svc'],
      name: 'Orders',
    });
    await problems.getByText('which never fires on channels').waitFor();
    await admin('POST', `/webhooks/${webhook.uuid}/pause`);
    await problems.getByRole('heading', { name: 'Orders of Web chat is paused' }).waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await problems.getByRole('button', { name: 'Resume' }).click();
    await problems.getByRole('heading', { name: 'Orders of Web chat is paused' }).waitFor({ state: 'detached' });
    t.notOk('paused_at' in (await admin('GET', `/webhooks/${webhook.uuid}`)).webhook);
    await problems.getByRole('link', { name: 'Show the delivery' }).click();
    await page.waitForURL(/\/deliveries\/[0-9a-f-]{36}$/);
    t.strictSame(failures, []);
  },
);
