import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { type ConsoleUnderTest, startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

const seed = { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/connector' }] };
const CONTACT = '+27820001001';

/** A contact writes to the channel. */
async function write({ sandbox }: ConsoleUnderTest, id: string, text: string): Promise<void> {
  const { uuid, token } = sandbox.numbers[0]!;
  const message = { type: 'text', from: CONTACT, id, timestamp: '1767600000', text: { body: text } };
  const response = await fetch(`${sandbox.api}/v1/numbers/${uuid}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contact: { id: CONTACT, profile: { name: 'Ann' } }, message }),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function putJourney({ admin, sandbox }: ConsoleUnderTest, uuid: string, name: string, triggers: object[]): Promise<void> {
  const notebook = `\`\`\`stack\ncard Start do\n  text("${name} answers")\nend\n\`\`\`\n`;
  await admin('PUT', `/journeys/${uuid}`, { number: sandbox.numbers[0]!.uuid, name, notebook, triggers });
  await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
}

const EVERYTHING = '5b1f7c7e-7d0e-4f0c-9a56-0c5a0b1e2d3f';
const ORDERS = '5b1f7c7e-7d0e-4f0c-9a56-0c5a0b1e2d40';

t.test('a journey does not answer and I learn that another one took the message', { skip }, async (t) => {
  const console = await startConsole(t, { seed });
  await putJourney(console, EVERYTHING, 'Everything', [{ on: 'message' }]);
  await putJourney(console, ORDERS, 'Orders', [{ on: 'message', words: ['order'] }]);
  const { page, failures } = await console.open(t, 'why', { width: 1280 });
  await page.getByText('No contact and no client has sent a message.').waitFor();
  await page.getByText('No contact has a conversation.').waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'empty');
  await write(console, 'in-1', 'order');
  await page.getByRole('link', { name: /order/ }).waitFor();
  await page.getByRole('region', { name: 'Recent contacts' }).getByRole('link', { name: CONTACT }).waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'with messages');
  await page.route(/v1\/conversations/, (route) => route.fulfill({ status: 500, json: {} }));
  await page.reload();
  const contacts = page.getByRole('region', { name: 'Recent contacts' });
  await contacts.getByText('The server responded with 500.').waitFor();
  t.equal(await contacts.getByText('No contact has').count(), 0, 'a failed call does not look empty');
  // The retained events cause another read.
  await page.locator('.pill.ok').waitFor();
  await page.unroute(/v1\/conversations/);
  // An event may have caused another read before.
  await contacts
    .getByRole('button', { name: 'Try again' })
    .evaluateAll((all) => (all[0] as unknown as { click(): void } | undefined)?.click());
  await contacts.getByRole('link', { name: CONTACT }).waitFor();
  await page.getByRole('link', { name: /order/ }).click();
  await page.waitForURL(/why\?message=/);

  const first = page.locator('.step.is-first');
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByText("so 'Orders' did not start").waitFor();
  t.match(await verdict.textContent(), /'Everything' took the message/);
  await page.getByRole('heading', { name: /^Why\? “order” from Ann, \d\d:\d\d:\d\d$/ }).waitFor();
  t.equal(await first.getAttribute('aria-current'), 'step');
  t.equal(await page.locator('.is-first').count(), 1);
  t.ok(await first.getByRole('link', { name: EVERYTHING }).isVisible(), 'evidence is linked');
  t.strictSame(await violationsInBothThemes(page), [], 'a broken step');
  t.match(await verdict.textContent(), `POST /admin/v1/journeys/${EVERYTHING}/disable`);
  t.ok((await verdict.boundingBox())!.y < (await page.locator('.chain').boundingBox())!.y, 'the verdict comes before the steps');
  await page.getByText('2 steps happened').first().click();
  await page.getByText('was recorded by number web:shop').waitFor();
  await verdict.getByRole('button', { name: 'Disable the journey' }).click();
  await page.getByText('Done. It applies from now on').waitFor();
  const { journeys } = await console.admin('GET', `/journeys?number=${console.sandbox.numbers[0]!.uuid}`);
  t.match(
    journeys.find(({ uuid }: { uuid: string }) => uuid === EVERYTHING),
    { enabled: false },
  );

  await write(console, 'in-2', 'order');
  await page.getByRole('link', { name: 'Choose another' }).click();
  await page.getByRole('textbox', { name: 'Message or contact' }).fill(CONTACT);
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.waitForURL(/why\?contact=/);
  await page
    .getByText(/steps happened/)
    .first()
    .click();
  await page.getByText("The journey 'Orders' took the message").first().waitFor();
  t.strictSame(
    failures.filter((failure) => !/404|500/.test(failure)),
    [],
  );
});

t.test(
  'just now finds refused calls; the page reports unknown ids, and a failed read can be repeated',
  { skip: onlyLong || skip },
  async (t) => {
    const console = await startConsole(t, { seed });
    await fetch(`${console.sandbox.api}/v1/messages`, { method: 'POST', headers: { authorization: 'Bearer wrong' } });
    const { page } = await console.open(t, 'why', { width: 430 });
    await page.getByRole('textbox', { name: 'Message or contact' }).fill('no-such-id');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('alert').getByText('No message and no contact has the id or address no-such-id').waitFor();
    t.strictSame(await violationsInBothThemes(page), []);
    await page.getByRole('button', { name: 'Check the last five minutes' }).click();
    await page.getByRole('region', { name: 'Verdict' }).getByText('with 401: the call has no valid token').waitFor();
    t.match(page.url(), /why\?since=/);
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    t.strictSame(await violationsInBothThemes(page), []);
    await page.locator('.step.is-first').getByRole('link').first().click();
    await page.waitForURL(/calls\/|numbers\//);
    await page.goto(`${console.sandbox.console!.url}why?message=unknown`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
  },
);

t.test('advice stays until it is dismissed, is counted in the menu, and links to its cause', { skip: onlyLong || skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const { page, failures } = await console.open(t, 'advice', { width: 1280 });
  await page.getByText('No advice').waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'empty');
  await write(console, 'in-1', 'one');
  await write(console, 'in-1', 'another text with the same id');
  const number = console.sandbox.numbers[0]!.uuid;
  await console.admin('POST', '/webhooks', { number, url: 'http://127.0.0.1:9/hook', name: 'Orders', subscriptions: ['msgapp'] });
  const { advice } = await console.admin('GET', '/advice');
  t.ok(advice.length >= 2);
  const menu = page.getByRole('navigation').getByRole('link', { name: /Advice/ });
  await menu.getByText(String(advice.length)).waitFor();
  await page.getByRole('option', { name: /Inbound id repeated/ }).click();
  const detail = page.getByRole('article', { name: 'Advice' });
  await detail.getByRole('heading', { name: 'Fix' }).waitFor();
  t.match(page.url(), /\/advice\/inbound_id_repeated-/);
  t.strictSame(await violationsInBothThemes(page), [], 'full');
  t.equal(await detail.getByRole('link', { name: number }).getAttribute('href'), `/console/numbers/${number}`);
  t.match(await detail.getByRole('link').first().getAttribute('href'), /^\/console\/events\?about=/);
  await page.setViewportSize({ width: 430, height: 800 });
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  await page.setViewportSize({ width: 1280, height: 800 });
  await detail.getByRole('button', { name: 'Dismiss…' }).click();
  await page.getByRole('button', { name: 'Dismiss the advice' }).click();
  await menu.getByText(String(advice.length - 1)).waitFor();
  t.notOk((await console.admin('GET', '/advice')).advice.some(({ name }: { name: string }) => name === 'inbound_id_repeated'));
  t.strictSame(failures, []);
});
