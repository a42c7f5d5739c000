import t from 'tap';
import { onlyLong } from '../forms.js';
import { validFlows } from '../plugins/flows/validate/flow-cases.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { complete, open, screen } from './previews.js';

const skip = withoutBrowser;
t.teardown(close);

const text = (example: string) => ({ type: 'string', __example__: example });
const form = {
  type: 'Form',
  name: 'form',
  'error-messages': `\${data.errors}`,
  children: [
    { type: 'TextHeading', text: `\${data.greeting}` },
    { type: 'TextInput', name: 'mail', label: 'Email', 'input-type': 'email', required: true },
    { type: 'TextInput', name: 'code', label: 'Code' },
    {
      type: 'Footer',
      label: 'Sign in',
      'on-click-action': { name: 'data_exchange', payload: { mail: `\${form.mail}`, code: `\${form.code}` } },
    },
  ],
};
const errors = { type: 'object', properties: { mail: { type: 'string' }, code: { type: 'string' } }, __example__: {} };
const signIn = {
  version: '7.3',
  data_api_version: '3.0',
  routing_model: { LOGIN: ['WELCOME'], WELCOME: [] },
  screens: [
    screen('LOGIN', [form], { data: { errors, greeting: text('Welcome back') } }),
    screen('WELCOME', [{ type: 'TextBody', text: `\${data.name}` }, complete()], { terminal: true, data: { name: text('Ada') } }),
  ],
};
const press = (name: string) => ({ name, exact: true });

t.test('the viewer can play a rejection: write it, see it at the inputs, correct them, and accept', { skip }, async (t) => {
  const { page, failures } = await open(t, signIn);
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByRole('button', press('Sign in')).click();
  t.match(JSON.parse((await page.locator('#request').textContent())!), {
    action: 'data_exchange',
    screen: 'LOGIN',
    data: { mail: 'ada@example.org', code: '' },
  });
  await page.getByRole('button', press('Reject')).click();
  const data = page.getByLabel('Response data');
  t.strictSame(JSON.parse(await data.inputValue()), {
    errors: { mail: 'Not accepted', code: 'Not accepted' },
    greeting: 'Welcome back',
  });
  t.strictSame(await violationsInBothThemes(page), [], 'the sheet');
  await data.fill('{ "errors": { "mail": "Unknown address" } }');
  await page.getByRole('button', press('Send response')).click();
  await page.getByText('Unknown address').waitFor();
  const mail = page.getByLabel('Email');
  t.equal(await mail.getAttribute('aria-invalid'), 'true');
  t.equal(await page.getByLabel('Code').getAttribute('aria-invalid'), 'false');
  await page.waitForFunction("document.activeElement.id === 'input-mail'");
  t.equal(await mail.inputValue(), 'ada@example.org', 'the input keeps its value');
  t.equal(await page.getByRole('heading', { name: 'Welcome back' }).count(), 0, 'the response replaces all data of the screen');
  t.strictSame(await violationsInBothThemes(page), [], 'the rejection');
  await mail.fill('ada@example.com');
  t.equal(await page.getByText('Unknown address').count(), 0, 'an edit dismisses the error');
  await page.getByRole('button', press('Sign in')).click();
  t.equal(await page.getByLabel('Response screen').inputValue(), 'WELCOME', 'the next screen is proposed');
  await page.getByLabel('Response data').fill('{ "name": "Grace" }');
  await page.getByRole('button', press('Send response')).click();
  await page.getByText('Grace', { exact: true }).waitFor();
  await page.getByRole('button', press('Finish')).click();
  await page.getByText('Response sent').waitFor();
  t.strictSame(failures, []);
});

t.test('a message that belongs to no input is shown below the screen until the next edit', { skip: onlyLong || skip }, async (t) => {
  const { page } = await open(t, validFlows.find(({ name }) => name.includes('endpoint'))!.text);
  await page.getByRole('button', press('Day')).click();
  await page.locator('.day:not(.chosen)').first().click();
  t.equal(await page.locator('dialog').count(), 1, 'the request replaces the calendar');
  await page.getByRole('button', press('Reject')).click();
  await page.getByRole('button', press('Send response')).click();
  const message = page.getByRole('alert');
  t.equal(await message.textContent(), 'Not accepted');
  t.ok(await message.isVisible());
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByRole('button', press('Continue')).click();
  await page.getByRole('button', press('Close')).click();
  t.equal(await message.count(), 0);
});

t.test('a response that is not JSON is refused with the reason', { skip: onlyLong || skip }, async (t) => {
  const { page } = await open(t, signIn, 'interactive=true&flow_action=data_exchange');
  t.equal(await page.getByRole('button', press('Reject')).count(), 0, 'there is nothing to reject at the start');
  for (const [written, problem] of [
    ['{ "name": ', /^This is not JSON: /],
    ['[]', /^Enter a JSON object/],
  ] as const) {
    await page.getByLabel('Response data').fill(written);
    await page.getByRole('button', press('Send response')).click();
    t.match(await page.getByRole('alert').textContent(), problem);
    t.equal(await page.getByLabel('Response data').getAttribute('aria-invalid'), 'true');
  }
  t.strictSame(await violationsInBothThemes(page), []);
  await page.getByLabel('Response screen').selectOption('WELCOME');
  await page.getByRole('button', press('Send response')).click();
  await page.getByText('Ada', { exact: true }).waitFor();
  t.equal(await page.getByRole('button', press('Back')).count(), 0, 'the response decides the first screen');
});

t.test('the viewer can change the data of a screen and reset it to the examples', { skip }, async (t) => {
  const { page } = await open(t, signIn, 'interactive=false');
  const show = async (change: string) => {
    await page.getByRole('button', press('Screen data')).click();
    if (change === '') await page.getByRole('button', press('Examples')).click();
    else await page.getByLabel('Screen data', { exact: true }).last().fill(change);
    t.strictSame(await violationsInBothThemes(page), []);
    await page.getByRole('button', press('Show')).click();
  };
  await show('{ "greeting": "Hello again", "errors": { "code": "Too old" } }');
  await page.getByRole('heading', { name: 'Hello again' }).waitFor();
  await page.getByText('Too old').waitFor();
  await page.waitForFunction("document.activeElement.getAttribute('aria-label') === 'Screen data'");
  await show('');
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  t.equal(await page.getByText('Too old').count(), 0);
});
