import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { overflowOf, startConsole } from './console.js';
import { until } from './console-receivers.js';
import { seed as menu } from './journey-pages.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

const FORM = JSON.stringify(
  {
    version: '7.0',
    screens: [
      {
        id: 'START',
        title: 'Start',
        terminal: true,
        layout: {
          type: 'SingleColumnLayout',
          children: [
            { type: 'TextInput', name: 'name', label: 'How are you called', required: true },
            { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } },
          ],
        },
      },
    ],
  },
  null,
  2,
);
const seed = {
  ...menu,
  webhooks: [{ number: menu.numbers[0].address, name: 'Hook', url: 'http://127.0.0.1:9/hook', subscriptions: ['msgapp'] }],
};
const IS_IN_VIEW = `(() => {
  const found = document.querySelector('.phone li[aria-current=true]').getBoundingClientRect();
  const frame = document.querySelector('.bubbles').getBoundingClientRect();
  return frame.height > 0 && found.top >= frame.top - 1 && found.bottom <= frame.bottom + 1;
})()`;
/** The text of the first mark. */
const MARKED = "[...(CSS.highlights.get('found') ?? [])][0]?.toString().toLowerCase()";
const IS_MARK_IN_VIEW = `(() => {
  const { top, bottom } = [...CSS.highlights.get('found')][0].getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
})()`;

t.test('the palette finds records as one types, and Enter opens the record of an id', { skip }, async (t) => {
  const { open, admin } = await startConsole(t, { seed: 'demo' });
  const { numbers } = await admin('GET', '/numbers');
  const { uuid } = numbers.find(({ kind }: { kind: string }) => kind === 'network');
  for (const [from, body] of [
    ['+27820001001', 'My order 4711 has not arrived'],
    ['+27820001002', 'Où est ma crème brûlée?'],
  ])
    await admin('POST', `/network/numbers/${uuid}/messages`, { from, name: 'Ann', type: 'text', text: { body } });
  const { page, failures } = await open(t, '', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await field.fill('arrived ORDER');
  const message = page.getByRole('group', { name: 'Messages' }).getByRole('option', { name: /order 4711/ });
  await message.waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.setViewportSize({ width: 390, height: 800 });
  t.equal(await overflowOf(page), 0);
  await field.fill('');
  await page.getByRole('option', { name: 'Overview Page' }).waitFor();
  const { results } = await admin('GET', '/search?q=brulee&kinds=message');
  await field.fill(results[0].id);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console/inbox/${results[0].on.id}?message=${results[0].id}`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  t.strictSame(failures, []);
});

t.test('each result opens what was found, at its place and marked', { skip }, async (t) => {
  const { open, admin, sandbox } = await startConsole(t, { seed });
  const number = sandbox.numbers[0]!.uuid;
  const write = (body: string) =>
    admin('POST', `/network/numbers/${number}/messages`, { from: '+27820001001', name: 'Ann', type: 'text', text: { body } });
  await write('the needle of the first message');
  for (let n = 0; n < 70; n++) await write(`later ${n}`);
  const flow = { account: 'default', name: 'Form', definition: FORM };
  await admin('POST', '/flows', flow);
  const { page, failures } = await open(t, '', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  /** Opens the first result of a kind. */
  const find = async (words: string, group: string, option: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(words);
    await page.getByRole('group', { name: group }).getByRole('option', { name: option }).first().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  const marked = page.locator('.phone li[aria-current=true]', { hasText: 'the needle of the first message' });
  const isVisible = async () => {
    await marked.waitFor();
    await until(async () => ((await page.evaluate(IS_IN_VIEW)) ? true : undefined));
  };
  await find('needle first', 'Messages', /needle/);
  await isVisible();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.evaluate("document.querySelector('.bubbles').scrollTop = 1e6");
  await find('needle first', 'Messages', /needle/);
  await isVisible();
  await page.setViewportSize({ width: 390, height: 800 });
  await isVisible();
  t.equal(await overflowOf(page), 0);
  await page.setViewportSize({ width: 1280, height: 800 });

  await find('needle', 'Deliveries', /needle/);
  await until(async () => ((await page.evaluate(MARKED)) === 'needle' ? true : undefined));
  t.equal(await page.evaluate(IS_MARK_IN_VIEW), true, 'in the body');

  await find('From 9 to 5', 'Journeys', /card Hours/);
  const line = page.locator('.cm-activeLine', { hasText: 'From 9 to 5.' });
  await line.waitFor();
  t.equal(await page.evaluate('getSelection().toString().trim()'), 'text("From 9 to 5.")');
  await find('card table', 'Journeys', /card Table/);
  await page.locator('.cm-activeLine', { hasText: 'card Table' }).waitFor();

  await find('How are you called', 'Flows', /Form/);
  await page.locator('.cm-activeLine', { hasText: 'How are you called' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('new webhook');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/webhooks/new');
  t.strictSame(failures, []);
});
