import t from 'tap';
import type { Tap } from '#core/testing';
import { sampled } from '../forms.js';
import { flowMessage } from '../plugins/flows/flows-under-test.js';
import { validFlows } from '../plugins/flows/validate/flow-cases.js';
import { close, openPage, severalAtOnce, violations, violationsInBothThemes, withoutBrowser } from './browser.js';
import { plays } from './plays.js';
import { complete, flowOf, listening, open, previewUrl, screen, sharedPlatform } from './previews.js';

const skip = withoutBrowser;
t.teardown(close);

t.test('every valid flow can be played to its end and completed with the entered values', { skip }, async (t) => {
  t.strictSame(
    validFlows.map(({ name }) => name.replace('.json', '')),
    Object.keys(plays),
  );
  const platform = await sharedPlatform();
  await severalAtOnce(sampled(validFlows, 8), async ({ name, text }) => {
    const play = plays[name.replace('.json', '')]!;
    const url = await previewUrl(platform, text, 'interactive=true&flow_token=token-17');
    const { page, failures, requests, giveBack } = await openPage(t, url);
    await play.fill(page);
    const response = JSON.parse((await page.locator('#response').textContent())!);
    t.match(response, { flow_token: 'token-17', ...play.payload }, name);
    t.strictSame(Object.keys(response), ['flow_token', ...Object.keys(play.payload)], name);
    t.strictSame(failures, [], `${name}: the page has no errors`);
    t.equal(requests.length, 1, `${name}: the browser requests only the page`);
    await giveBack();
  });
});

t.test('the footer is disabled until all inputs are valid, and shows the problems when pressed early', { skip }, async (t) => {
  const fields = [
    { type: 'TextInput', name: 'mail', label: 'Email', 'input-type': 'email', required: true },
    { type: 'TextInput', name: 'code', label: 'Code', pattern: '[A-Z]{3}', 'helper-text': 'Three letters', 'error-message': 'Not a code' },
    { type: 'TextInput', name: 'short', label: 'Short', 'min-chars': 3, 'max-chars': 5 },
    {
      type: 'CheckboxGroup',
      name: 'two',
      label: 'Two',
      'min-selected-items': 2,
      'max-selected-items': 2,
      'data-source': ['a', 'b', 'c'].map((id) => ({ id, title: `Box ${id}` })),
    },
    complete(),
  ];
  const { page } = await open(t, flowOf(screen('FORM', fields, { terminal: true })));
  const finish = page.getByRole('button', { name: 'Finish' });
  t.equal(await finish.getAttribute('aria-disabled'), 'true');
  // The footer reacts to a press although it is aria-disabled.
  const early = () => finish.click({ force: true });
  await early();
  await page.getByText('This field is required').waitFor();
  t.equal(await page.evaluate('document.activeElement.id'), 'input-mail', 'the first invalid input has the focus');
  await page.getByLabel('Email').fill('absent');
  await page.getByText('Enter a valid email address').waitFor();
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Code').fill('abc');
  await page.getByLabel('Short').fill('ab');
  await page.getByRole('checkbox', { name: 'Box a' }).check();
  await early();
  for (const text of ['Not a code', 'Use at least 3 characters', 'Choose at least 2']) await page.getByText(text).waitFor();
  await page.getByLabel('Code').fill('ABC');
  await page.getByLabel('Short').fill('abcdefgh');
  t.equal(await page.getByLabel('Short').inputValue(), 'abcde', 'max-chars limits the input');
  await page.getByRole('checkbox', { name: 'Box b' }).check();
  t.ok(await page.getByRole('checkbox', { name: 'Box c' }).isDisabled(), 'max-selected-items disables further boxes');
  t.equal(await finish.getAttribute('aria-disabled'), 'false');
  await finish.click();
  await page.getByText('Response sent').waitFor();
});

t.test('a Form sets initial values and error messages of its inputs', { skip }, async (t) => {
  const form = {
    type: 'Form',
    name: 'form',
    'init-values': { who: 'Ada', size: 's', days: ['mon'] },
    'error-messages': { mail: 'That is no address' },
    children: [
      { type: 'TextInput', name: 'who', label: 'Who', required: true },
      { type: 'TextInput', name: 'mail', label: 'Email', 'input-type': 'email' },
      { type: 'RadioButtonsGroup', name: 'size', label: 'Size', 'data-source': ['s', 'l'].map((id) => ({ id, title: `Size ${id}` })) },
      { type: 'CheckboxGroup', name: 'days', label: 'Days', 'data-source': ['mon', 'tue'].map((id) => ({ id, title: id })) },
      complete({ who: `\${form.who}`, size: `\${form.size}`, days: `\${form.days}` }),
    ],
  };
  const { page } = await open(t, flowOf(screen('FORM', [form], { terminal: true })));
  t.equal(await page.getByLabel('Who').inputValue(), 'Ada');
  await page.getByLabel('Email').fill('absent');
  await page.getByRole('button', { name: 'Finish' }).click({ force: true });
  await page.getByText('That is no address').waitFor();
  t.strictSame(await violations(page), []);
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByRole('checkbox', { name: 'tue' }).check();
  await page.getByRole('button', { name: 'Finish' }).click();
  t.strictSame(JSON.parse((await page.locator('#response').textContent())!), {
    flow_token: 'unused',
    who: 'Ada',
    size: 's',
    days: ['mon', 'tue'],
  });
});

t.test('a flow can be filled in by keyboard alone', { skip }, async (t) => {
  const fields = [
    { type: 'TextInput', name: 'who', label: 'Who', required: true },
    { type: 'DatePicker', name: 'day', label: 'Day', required: true, 'init-value': '2026-03-10' },
    { type: 'OptIn', name: 'yes', label: 'Yes', required: true },
    complete({ who: `\${form.who}`, day: `\${form.day}`, yes: `\${form.yes}` }),
  ];
  const { page } = await open(t, flowOf(screen('KEYS', fields, { terminal: true })));
  const keys = async (...names: string[]) => {
    for (const name of names) await page.keyboard.press(name);
  };
  await keys('Tab', 'Tab');
  await page.keyboard.type('Ada');
  await keys('Tab', 'Enter');
  const current = page.locator('.day[tabindex="0"]');
  await current.focus();
  await keys('ArrowRight', 'ArrowDown', 'PageDown', 'Enter');
  await page.getByText('Saturday, April 18, 2026').waitFor();
  await keys('Escape');
  t.equal(await page.evaluate('document.activeElement.id'), 'input-day', 'the focus returns to the input');
  await keys('Tab', 'Space', 'Tab', 'Enter');
  t.match(JSON.parse((await page.locator('#response').textContent())!), { who: 'Ada', day: '2026-04-18', yes: true });
  await page.waitForFunction("document.activeElement.id === 'completed'");
});

t.test('without interactive=true the viewer can switch screens, but inputs work only after Play', { skip }, async (t) => {
  const { page } = await open(t, validFlows.find(({ name }) => name.includes('expressions'))!.text, 'debug=true');
  t.equal(await page.locator('.content').evaluate((element) => (element as unknown as { inert: boolean }).inert), true);
  t.equal(await page.getByRole('button', { name: 'Log' }).count(), 0, 'debug requires an interactive preview');
  await page.getByRole('button', { name: 'Next screen' }).click();
  await page.getByRole('heading', { name: 'Two', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByLabel('People').fill('2');
  await page.getByText('Each pays 45').waitFor();
});

/** Sends a flow to a contact and returns the URL of its form. */
async function opened(t: Tap) {
  const platform = await listening(t);
  const { api, admin, create, own, platform: core, server } = platform;
  await admin('POST', `/network/numbers/${own.uuid}/messages`, { from: '27831234567', type: 'text', text: { body: 'hello' } });
  await api('POST', '/v1/messages', flowMessage(await create({ publish: true })));
  const [contact] = await core.contacts.list(own.uuid);
  const conversation = (await core.conversations.ofContact(own.uuid, contact!.uuid))!;
  const [message] = await core.conversations.newest(conversation.uuid, 1);
  const { url } = (await admin('POST', `/messages/${message!.uuid}/flow`)).body;
  const { pathname, search } = new URL(url);
  const replies = async () => {
    const all = (await core.conversations.newest(conversation.uuid, 9)).map(({ content }) => content.interactive);
    const answers = all.flatMap((interactive) => (interactive as { nfm_reply?: { response_json: string } } | undefined)?.nfm_reply ?? []);
    return answers.map(({ response_json }) => JSON.parse(response_json));
  };
  return { url: `http://127.0.0.1:${server.info.port}${pathname}${search}`, replies };
}

const good = { flow_token: 'token-17', rating: 'good' };

t.test('a flow opened from a conversation sends its response', { skip }, async (t) => {
  const { url, replies } = await opened(t);
  const { page, failures } = await openPage(t, url);
  await page.getByRole('radio', { name: 'Good' }).check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Your response is in the conversation.').waitFor();
  t.equal(await page.locator('h1').textContent(), 'Response sent');
  t.strictSame(failures, []);
  t.strictSame(await violations(page), []);
  t.strictSame(await replies(), [good]);
});

t.test('a response that may not have arrived is not shown as sent, stays on the page and can be sent again', { skip }, async (t) => {
  const { url, replies } = await opened(t);
  const [first, second] = [(await openPage(t, url)).page, (await openPage(t, url)).page];
  await first.route('**/flow-messages/**', (route) => route.abort());
  for (const page of [first, second]) {
    await page.getByRole('radio', { name: 'Good' }).check();
    await page.getByRole('button', { name: 'Send' }).click();
    if (page === second) continue;
    await page.getByRole('heading', { name: 'No reply from the server' }).waitFor();
    await page.getByText('may not have arrived').waitFor();
    t.equal(await page.locator('dd').textContent(), 'Good', 'the page still shows the answers');
    t.strictSame(await violationsInBothThemes(page), []);
    t.strictSame(await replies(), []);
    await page.unroute('**/flow-messages/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Response sent' }).waitFor();
    t.equal(await page.evaluate('document.activeElement.id'), 'completed');
    t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
    t.strictSame(await replies(), [good]);
  }
  await second.getByRole('heading', { name: 'Form closed' }).waitFor();
  await second.getByText('This form was sent already, or').waitFor();
  t.equal(await second.getByRole('button').count(), 0, 'there is no button, because a retry cannot help');
  t.equal(await second.locator('dd').textContent(), 'Good');
  t.strictSame(await violationsInBothThemes(second), []);
  t.strictSame(await replies(), [good], 'a second page of the same form sends nothing');
});

t.test('problems of a flow are shown in full, even with very long words', { skip }, async (t) => {
  const long = { ...screen('A', [{ type: `Nonsense${'W'.repeat(120)}` }]), [`odd${'p'.repeat(200)}`]: 1 };
  for (const width of [320, 380, 1100]) {
    const { page } = await open(t, flowOf(long), undefined, { width });
    await page.locator('.problems li').first().waitFor();
    const cut = await page.evaluate(
      "[...document.querySelectorAll('.panel, .problems p')].filter((one) => one.scrollWidth > one.clientWidth).length",
    );
    t.equal(cut, 0, `at ${width}`);
  }
});

t.test('closing a sheet by button or Escape returns the focus to its opener', { skip }, async (t) => {
  const dropdown = { type: 'Dropdown', name: 'city', label: 'City', 'data-source': [{ id: 'a', title: 'Ada' }] };
  const link = { type: 'EmbeddedLink', text: 'Read', 'on-click-action': { name: 'open_url', url: 'https://example.org' } };
  const { page } = await open(t, flowOf(screen('A', [dropdown, link, complete()], { terminal: true })));
  for (const [opener, button] of [
    ['City', 'Done'],
    ['Read', 'Cancel'],
  ] as const) {
    for (const how of ['button', 'Escape']) {
      await page.getByRole('button', { name: opener }).focus();
      await page.keyboard.press('Enter');
      await page.locator('dialog[open]').waitFor();
      if (how === 'button') await page.getByRole('button', { name: button }).focus();
      await page.keyboard.press(how === 'button' ? 'Enter' : 'Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      const focused = await page.evaluate('document.activeElement.textContent');
      t.match(String(focused), opener, `${opener} ${how}`);
    }
  }
});
