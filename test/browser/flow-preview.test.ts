import Hapi from '@hapi/hapi';
import t from 'tap';
import type { Tap } from '#core/testing';
import { validFlows } from '../plugins/flows/flow-cases.js';
import { type FlowsUnderTest, flowMessage, startFlows } from '../plugins/flows/flows-under-test.js';
import { close, openPage, type PageOptions, violations, withoutBrowser } from './browser.js';
import { plays } from './plays.js';

const skip = withoutBrowser;
t.setTimeout(120_000);
t.teardown(close);

/** The address of a flow's preview on a server that listens. */
async function previewUrl({ api, create, server }: FlowsUnderTest, flow_json: unknown, query = 'interactive=true'): Promise<string> {
  const id = await create({ flow_json });
  const { pathname, search } = new URL((await api('GET', `/v1/flows/${id}/preview`)).body.preview_url);
  return `http://127.0.0.1:${server.info.port}${pathname}${search}&${query}`;
}

async function listening(t: Tap): Promise<FlowsUnderTest> {
  const platform = await startFlows(t);
  await platform.server.start();
  return platform;
}

async function open(t: Tap, flow_json: unknown, query?: string, options?: PageOptions) {
  return openPage(t, await previewUrl(await listening(t), flow_json, query), options);
}

const screen = (id: string, children: object[], more: object = {}) => ({
  id,
  title: id.toLowerCase(),
  layout: { type: 'SingleColumnLayout', children },
  ...more,
});
const flowOf = (...screens: object[]) => ({ version: '7.3', screens });
const complete = (payload: object = {}) => ({ type: 'Footer', label: 'Finish', 'on-click-action': { name: 'complete', payload } });

t.test('every flow is opened, played to its end, and completed with what was filled in', { skip }, async (t) => {
  t.strictSame(
    validFlows.map(({ name }) => name.replace('.json', '')),
    Object.keys(plays),
  );
  const platform = await listening(t);
  for (const { name, text } of validFlows) {
    const play = plays[name.replace('.json', '')]!;
    const { page, failures, requests } = await openPage(t, await previewUrl(platform, text, 'interactive=true&flow_token=token-17'));
    await play.fill(page);
    const response = JSON.parse((await page.locator('#response').textContent())!);
    t.match(response, { flow_token: 'token-17', ...play.payload }, name);
    t.strictSame(Object.keys(response), ['flow_token', ...Object.keys(play.payload)], name);
    t.strictSame(failures, [], `${name}: nothing went wrong in the page`);
    t.equal(requests.length, 1, `${name}: the page is all that is fetched`);
  }
});

t.test('axe finds nothing, on any screen, in both themes', { skip }, async (t) => {
  const platform = await listening(t);
  for (const scheme of ['light', 'dark'] as const) {
    for (const { name, text } of validFlows) {
      const { page } = await openPage(t, await previewUrl(platform, text), { scheme });
      for (const id of await page.locator('.task-bar option').allTextContents()) {
        await page.getByLabel('Screen', { exact: true }).selectOption(id);
        t.strictSame(await violations(page), [], `${name} ${id} ${scheme}`);
      }
    }
  }
});

t.test('axe finds nothing in sheets, in the response, and among the problems of a flow', { skip }, async (t) => {
  const platform = await listening(t);
  const inputs = validFlows.find(({ name }) => name.includes('inputs'))!.text;
  const display = validFlows.find(({ name }) => name.includes('display'))!.text;
  const endpoint = validFlows.find(({ name }) => name.includes('endpoint'))!.text;
  for (const scheme of ['light', 'dark'] as const) {
    const { page } = await openPage(t, await previewUrl(platform, inputs), { scheme });
    await page.getByRole('button', { name: 'Submit' }).click({ force: true });
    t.strictSame(await violations(page), [], `problems of inputs ${scheme}`);
    await page.getByRole('button', { name: /^City/ }).click();
    t.strictSame(await violations(page), [], `dropdown ${scheme}`);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: /^Preferred date/ }).click();
    t.strictSame(await violations(page), [], `calendar ${scheme}`);

    const shown = await openPage(t, await previewUrl(platform, display, 'interactive=true&debug=true'), { scheme });
    await shown.page.getByRole('button', { name: 'Read our policy' }).click();
    t.strictSame(await violations(shown.page), [], `address ${scheme}`);
    await shown.page.getByRole('button', { name: 'Cancel' }).click();
    await shown.page.getByRole('button', { name: 'Log' }).click();
    t.strictSame(await violations(shown.page), [], `log ${scheme}`);
    await shown.page.getByRole('button', { name: 'Back to the flow' }).click();
    await shown.page.getByRole('button', { name: 'Done' }).click();
    t.strictSame(await violations(shown.page), [], `response ${scheme}`);

    const asked = await openPage(t, await previewUrl(platform, endpoint, 'interactive=true&flow_action=data_exchange'), { scheme });
    t.strictSame(await violations(asked.page), [], `request ${scheme}`);
    const wrong = await openPage(t, await previewUrl(platform, flowOf(screen('A', [{ type: 'Nonsense' }]))), { scheme });
    t.strictSame(await violations(wrong.page), [], `problems ${scheme}`);
  }
});

t.test('errors of a flow are a readable panel, and what is sound can be tried all the same', { skip }, async (t) => {
  const { page } = await open(
    t,
    flowOf(screen('ONE', [{ type: 'Nonsense' }, { type: 'TextBody', text: 'Still here' }, complete()], { terminal: true })),
  );
  await page.getByRole('heading', { name: '1 error in the flow' }).waitFor();
  t.match(
    await page.locator('.problems').textContent(),
    /INVALID_PROPERTY_VALUE.*Nonsense.*Line \d+, column \d+.*screens\[0\]\.layout\.children\[0\]\.type/s,
  );
  await page.getByRole('button', { name: 'Preview anyway' }).click();
  await page.getByText('Still here').waitFor();
  await page.getByText('There is no component Nonsense.').waitFor();

  for (const text of [
    '{ "version": "7.3", ',
    '{}',
    '[]',
    '{"version":"7.3","screens":[null,7,{"id":"A"},{"id":"B","layout":{"children":[[],{"type":7}]}}]}',
  ]) {
    const broken = await open(t, text);
    await broken.page.getByRole('heading', { name: /error/ }).waitFor();
    t.strictSame(broken.failures, [], text);
  }
});

t.test('nothing that anybody wrote becomes HTML, and nothing of it runs', { skip }, async (t) => {
  const evil = '<img src=x onerror="document.title=\'pwned\'"></script><script>document.title="pwned"</script>';
  const { page, failures, requests } = await open(
    t,
    flowOf(
      screen(
        'EVIL',
        [
          { type: 'TextHeading', text: evil },
          {
            type: 'TextBody',
            markdown: true,
            text: [evil, '[a link](javascript:document.title="pwned")', '![x](https://example.org/x.png)'],
          },
          { type: 'RadioButtonsGroup', name: 'r', label: evil, 'data-source': [{ id: evil, title: evil }] },
          { type: 'TextInput', name: evil, label: 'Input', 'max-chars': 500, 'init-value': evil },
          { type: 'EmbeddedLink', text: 'Go', 'on-click-action': { name: 'open_url', url: 'javascript:alert(1)' } },
          complete({ [evil]: evil, __proto__: { polluted: true } }),
        ],
        { terminal: true, title: evil },
      ),
    ),
  );
  const anyway = page.getByRole('button', { name: 'Preview anyway' });
  if (await anyway.isVisible()) await anyway.click();
  t.equal(await page.locator('h1').textContent(), evil, 'it is text');
  t.equal(await page.locator('.content img, .content script, .content a[href^="javascript"]').count(), 0);
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await page.getByText('It is not an address of the web').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('Response sent').waitFor();
  t.match(JSON.parse((await page.locator('#response').textContent())!), { [evil]: evil });
  t.not(await page.title(), 'pwned');
  t.equal(requests.length, 1);
  t.strictSame(failures, []);
});

t.test('it can be tried in a frame of 430 by 800 on another origin, and on a phone', { skip }, async (t) => {
  const platform = await listening(t);
  const url = await previewUrl(platform, validFlows[0]!.text);
  const host = Hapi.server({ host: '127.0.0.1' });
  const frameHtml = `<!doctype html><title>host</title><iframe title="flow" src="${url}" width="430" height="800" sandbox="allow-scripts"></iframe>`;
  host.route({ method: 'GET', path: '/', handler: () => frameHtml });
  await host.start();
  t.teardown(() => host.stop());
  const { page } = await openPage(t, host.info.uri, { width: 700, height: 900 });
  const frame = page.frameLocator('iframe');
  await frame.getByRole('radio', { name: 'Good' }).check();
  await frame.getByRole('button', { name: 'Send' }).click();
  t.match(JSON.parse((await frame.locator('#response').textContent())!), { rating: 'good' });

  for (const [width, height] of [
    [430, 800],
    [360, 640],
    [320, 568],
  ] as const) {
    const phone = await openPage(t, url, { width, height });
    const overflow = await phone.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    t.equal(overflow, 0, `nothing is cut at ${width}`);
    const [button, bar] = [phone.page.getByRole('button', { name: 'Send' }), phone.page.locator('.task-bar')];
    for (const part of [button, bar]) {
      const { y, height: tall } = (await part.boundingBox())!;
      t.ok(y >= 0 && y + tall <= height, `it is on the page at ${width} by ${height}`);
    }
  }
});

t.test('the footer waits for what is needed, and says what is wrong when it is pressed too early', { skip }, async (t) => {
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
  // It can be pressed, although it says that it is not ready.
  const early = () => finish.click({ force: true });
  await early();
  await page.getByText('This is needed').waitFor();
  t.equal(await page.evaluate('document.activeElement.id'), 'input-mail', 'the first thing to mend has the focus');
  await page.getByLabel('Email').fill('nobody');
  await page.getByText('Enter a valid email address').waitFor();
  await page.getByLabel('Email').fill('ada@example.org');
  await page.getByLabel('Code').fill('abc');
  await page.getByLabel('Short').fill('ab');
  await page.getByRole('checkbox', { name: 'Box a' }).check();
  await early();
  for (const text of ['Not a code', 'Use at least 3 characters', 'Choose at least 2']) await page.getByText(text).waitFor();
  await page.getByLabel('Code').fill('ABC');
  await page.getByLabel('Short').fill('abcdefgh');
  t.equal(await page.getByLabel('Short').inputValue(), 'abcde', 'no more can be written');
  await page.getByRole('checkbox', { name: 'Box b' }).check();
  t.ok(await page.getByRole('checkbox', { name: 'Box c' }).isDisabled(), 'no more can be chosen');
  t.equal(await finish.getAttribute('aria-disabled'), 'false');
  await finish.click();
  await page.getByText('Response sent').waitFor();
});

t.test('a Form gives its inputs what they begin with, and its words for what is wrong', { skip }, async (t) => {
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
  await page.getByLabel('Email').fill('nobody');
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
  t.equal(await page.evaluate('document.activeElement.id'), 'input-day', 'the focus is back where it was');
  await keys('Tab', 'Space', 'Tab', 'Enter');
  t.match(JSON.parse((await page.locator('#response').textContent())!), { who: 'Ada', day: '2026-04-18', yes: true });
  await page.waitForFunction("document.activeElement.id === 'completed'");
});

t.test('text that runs from right to left turns the screen', { skip }, async (t) => {
  const fields = [{ type: 'TextHeading', text: 'أهلا وسهلا' }, { type: 'TextInput', name: 'n', label: 'الاسم' }, complete()];
  const { page } = await open(t, flowOf(screen('RTL', fields, { terminal: true, title: 'مرحبا' })));
  t.equal(await page.locator('.screen').getAttribute('dir'), 'rtl');
  const [close, screenBox] = [await page.locator('.top-bar button').boundingBox(), await page.locator('.screen').boundingBox()];
  t.ok(close!.x > screenBox!.x + screenBox!.width / 2, 'the cross is on the right');
  t.strictSame(await violations(page), []);
});

t.test('without interactive=true screens are shown and moved through, and inputs do nothing until it is played', { skip }, async (t) => {
  const { page } = await open(t, validFlows.find(({ name }) => name.includes('expressions'))!.text, 'debug=true');
  t.equal(await page.locator('.content').evaluate((element) => (element as unknown as { inert: boolean }).inert), true);
  t.equal(await page.getByRole('button', { name: 'Log' }).count(), 0, 'debug is of an interactive preview');
  await page.getByRole('button', { name: 'Next screen' }).click();
  await page.getByRole('heading', { name: 'Two', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByLabel('People').fill('2');
  await page.getByText('Each pays 45').waitFor();
});

t.test('the query says where it starts and with which data', { skip }, async (t) => {
  const greeting = flowOf(
    screen('FIRST', [complete()], { terminal: true }),
    screen('OTHER', [{ type: 'TextBody', text: `\${data.who}` }, complete({ who: `\${data.who}` })], {
      terminal: true,
      data: { who: { type: 'string', __example__: 'nobody' } },
    }),
  );
  const query = (payload: string) =>
    `interactive=true&debug=true&flow_token=t1&flow_action=navigate&flow_action_payload=${encodeURIComponent(payload)}`;
  const { page } = await open(t, greeting, query('{"screen":"OTHER","data":{"who":"Ada"}}'));
  const anyway = page.getByRole('button', { name: 'Preview anyway' });
  if (await anyway.isVisible()) await anyway.click();
  await page.getByText('Ada', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Finish' }).click();
  t.strictSame(JSON.parse((await page.locator('#response').textContent())!), { flow_token: 't1', who: 'Ada' });
  await page.getByRole('button', { name: 'Log' }).click();
  await page.getByText('complete on OTHER').waitFor();

  const wrong = await open(t, greeting, query('{"screen":'));
  const openAnyway = wrong.page.getByRole('button', { name: 'Preview anyway' });
  if (await openAnyway.isVisible()) await openAnyway.click();
  await wrong.page.getByText('flow_action_payload is not a JSON object').waitFor();
});

t.test('the first paint comes within 300 ms of asking', { skip }, async (t) => {
  const { page } = await open(t, validFlows.find(({ name }) => name.includes('inputs'))!.text);
  await page.reload();
  const painted = await page.evaluate(
    `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'paint', buffered: true }))`,
  );
  t.comment(`first contentful paint after ${Math.round(Number(painted))} ms`);
  t.ok(Number(painted) > 0);
});

t.test('a flow that was opened from a conversation sends what is filled in', { skip }, async (t) => {
  const platform = await listening(t);
  const { api, admin, create, own, platform: core, server } = platform;
  await admin('POST', `/network/numbers/${own.uuid}/messages`, { from: '27831234567', type: 'text', text: { body: 'hello' } });
  await api('POST', '/v1/messages', flowMessage(await create({ publish: true })));
  const [contact] = await core.contacts.list(own.uuid);
  const conversation = (await core.conversations.ofContact(own.uuid, contact!.uuid))!;
  const [message] = await core.conversations.newest(conversation.uuid, 1);
  const { url } = (await admin('POST', `/messages/${message!.uuid}/flow`)).body;
  const { pathname, search } = new URL(url);
  const { page, failures } = await openPage(t, `http://127.0.0.1:${server.info.port}${pathname}${search}`);
  await page.getByRole('radio', { name: 'Good' }).check();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('It is in the conversation.').waitFor();
  t.strictSame(failures, []);
  t.strictSame(await violations(page), []);
  const [reply] = await core.conversations.newest(conversation.uuid, 1);
  const { nfm_reply } = reply!.content.interactive as { nfm_reply: { response_json: string } };
  t.strictSame(JSON.parse(nfm_reply.response_json), { flow_token: 'token-17', rating: 'good' });
});

t.test(
  'a title and a button of any length leave room for the screen, and a careless pattern does not stop the page',
  { skip },
  async (t) => {
    const input = { type: 'TextInput', name: 'word', label: 'Word', pattern: '(a+)+', 'helper-text': 'Letters' };
    const flow = flowOf(screen('LONG', [input, { ...complete(), label: 'W'.repeat(900) }], { terminal: true, title: 'W'.repeat(900) }));
    for (const [width, height] of [
      [430, 800],
      [320, 568],
    ] as const) {
      const { page, failures } = await open(t, flow, 'interactive=true', { width, height });
      const room = await page.locator('.content').evaluate(({ clientHeight }) => clientHeight);
      t.ok(room > height / 6, `${room} of ${height}`);
      await page.getByLabel('Word').fill(`${'a'.repeat(45)}!`);
      await page.keyboard.press('Tab');
      t.equal(await page.getByLabel('Word').inputValue(), `${'a'.repeat(45)}!`);
      t.strictSame(failures, []);
    }
  },
);

t.test('a sheet gives the focus back to what opened it, however it is closed', { skip }, async (t) => {
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
