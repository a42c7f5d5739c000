import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { startSandbox } from '../../sandbox/compose.js';
import { onlyLong } from '../forms.js';
import { survey } from '../plugins/flows/flows-under-test.js';
import { flowTurn } from '../plugins/form-turns.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import {
  bubble,
  input,
  isFocused,
  launcher,
  openChat,
  startWebchat,
  storedTexts,
  visit,
  type WebchatUnderTest,
  write,
} from './webchats.js';

const skip = withoutBrowser;
let shared: Promise<WebchatUnderTest> | undefined;
const chatOf = (): Promise<WebchatUnderTest> => (shared ??= startWebchat(t));
t.setTimeout(patient(120_000));
t.teardown(close);

t.test('a visitor of a strict page chats with a journey, and finds the conversation again after a reload', { skip }, async (t) => {
  const chat = await chatOf();
  const { page, failures, requests } = await visit(t, chat.page());
  t.notOk(
    requests.some((url) => /\/app-/.test(url)),
    'the application is loaded only when the chat is opened',
  );
  t.equal(await page.evaluate('Object.keys(localStorage).length'), 0, 'and nothing is stored before');

  await openChat(page);
  t.equal(await launcher(page).getAttribute('aria-expanded'), 'true');
  t.ok(await isFocused(input(page)), 'the focus moves into the chat');
  await write(page, 'hello');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  t.equal(await page.locator('posthorn-chat strong').textContent(), 'for you');
  await page
    .locator('posthorn-chat [aria-live="polite"]')
    .getByText('Riverside Library: What can I do **for you**?')
    .waitFor({ state: 'attached' });
  t.strictSame(await violationsInBothThemes(page), []);

  await page.getByRole('button', { name: 'Opening hours' }).click();
  await bubble(page, 'out', 'Open until six.').waitFor();
  await page.getByRole('button', { name: 'Opening hours Chosen' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Branches' }).getAttribute('aria-disabled'), 'true');

  await page.reload();
  await openChat(page);
  await bubble(page, 'out', 'Open until six.').waitFor();
  t.equal(await page.locator('posthorn-chat article').count(), 4);
  t.equal(await page.locator('posthorn-chat [aria-live="polite"] p').count(), 0, 'the history is not announced');

  await page.keyboard.press('Escape');
  t.equal(await launcher(page).getAttribute('aria-expanded'), 'false');
  t.ok(await isFocused(launcher(page)), 'the focus returns');
  const origins = new Set(requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin));
  t.strictSame([...origins].sort(), [new URL(chat.page()).origin, chat.sandbox.api].sort(), 'no request to a third party');
  t.strictSame(failures, [], 'neither the policy nor a script complains');
});

t.test('a form opens in the chat on a phone, with the keyboard, and its response is in the conversation', { skip }, async (t) => {
  const chat = await chatOf();
  const phone = { width: 390, height: 740 };
  const { page, failures, requests } = await visit(t, chat.page(), phone);
  await openChat(page);
  const panel = page.getByRole('dialog', { name: 'Riverside Library' });
  const isModal = async (): Promise<boolean> => {
    const states = await panel.evaluate((one) => [one.matches(':modal'), one.getAttribute('aria-modal') === 'true']);
    t.equal(states[0], states[1]);
    return states[0]!;
  };
  // Not by a text that the browser runs: the policy of the page forbids it.
  const panelThat = (modal: boolean) => page.locator(`posthorn-chat dialog[aria-modal="${modal}"]`);
  t.ok(await isModal(), 'the panel covers the page');
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press('Tab');
    t.not(await page.evaluate('document.activeElement.localName'), 'a', 'Tab does not reach the page behind it');
  }
  await input(page).focus();
  await page.setViewportSize({ width: 1_000, height: 740 });
  await panelThat(false).waitFor();
  t.notOk(await isModal(), 'beside the panel the page can be used');
  t.ok(await isFocused(input(page)), 'the focus stays');
  await page.setViewportSize(phone);
  await panelThat(true).waitFor();
  await write(page, 'a form, please');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  const definition = JSON.stringify(survey);
  const { flow } = await chat.admin('POST', '/flows', { account: 'library', name: `flow ${Date.now()}`, definition, publish: true });
  const { platform } = chat.sandbox;
  const number = await platform.numbers.require(chat.number);
  const contact = (await platform.contacts.list(chat.number)).at(-1)!;
  const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
  const turn = flowTurn(flow.id) as never;
  await platform.store.transaction((tx) =>
    platform.channels.sendTo(tx, number, { id: contact.id, address: contact.address }, { turn, author }),
  );
  const button = page.getByRole('button', { name: 'Give feedback' });
  await button.focus();
  await page.keyboard.press('Enter');
  const form = page.frameLocator('posthorn-chat iframe[title="Give feedback"]');
  await form.getByRole('heading', { name: 'How was it?' }).waitFor();
  const focused = page.evaluate("document.querySelector('posthorn-chat').shadowRoot.activeElement?.localName");
  t.equal(await focused, 'iframe', 'the focus moves into the form');
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Back to the conversation' }).click();
  t.ok(await isFocused(button), 'the focus returns');
  await page.keyboard.press('Enter');
  await form.getByRole('radio', { name: 'Good' }).focus();
  await page.keyboard.press('Space');
  await form.getByRole('button', { name: 'Send' }).press('Enter');
  await bubble(page, 'in', 'Form sent').waitFor();
  t.equal(await page.locator('posthorn-chat iframe').count(), 0, 'the conversation is back');
  t.equal(await button.getAttribute('aria-disabled'), 'true');
  t.ok((await storedTexts(chat)).some((text) => text.includes('in interactive')));
  await page.reload();
  await openChat(page);
  await bubble(page, 'in', 'Form sent').waitFor();
  t.equal(await button.getAttribute('aria-disabled'), 'true');
  // As a paste does, it obeys the limit of a field.
  await input(page).focus();
  await page.keyboard.insertText('wörd '.repeat(1_000));
  await page.keyboard.press('Enter');
  await page.locator('posthorn-chat article.in:not(.is-pending)').filter({ hasText: 'wörd' }).nth(1).waitFor();
  const long = (await storedTexts(chat)).filter((text) => text.startsWith('in wörd')).map((text) => text.slice('in '.length));
  t.strictSame([long.length, long.join(' ')], [2, 'wörd '.repeat(1_000).trim()], 'a long text is several messages, and nothing is cut off');
  t.ok(long.every(({ length }) => length <= 4_096));
  const origins = new Set(requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin));
  t.strictSame([...origins].sort(), [new URL(chat.page()).origin, chat.sandbox.api].sort(), 'no request to a third party');
  t.strictSame(failures, [], 'neither the policy nor a script complains');
});

t.test('the demo of a sandbox has a page with a chat, in which its journey answers', { skip: onlyLong || skip }, async (t) => {
  const sandbox = await startSandbox({ logLevel: 'error' });
  t.teardown(() => sandbox.stop());
  const { page, failures, requests } = await visit(t, `${sandbox.api}/chat`);
  t.strictSame(await violationsInBothThemes(page), []);
  await openChat(page);
  await write(page, 'hi');
  await page.getByRole('button', { name: 'English' }).click();
  await bubble(page, 'out', 'What may I call you?').waitFor();
  await write(page, 'Thandi');
  await bubble(page, 'out', 'Nice to meet you, Thandi!').waitFor();
  t.ok(requests.every((url) => url.startsWith(sandbox.api)));
  t.strictSame(failures, []);
});
