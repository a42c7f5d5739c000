import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { startSandbox } from '../../sandbox/compose.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { bubble, input, isFocused, launcher, openChat, startWebchat, visit, write } from './webchats.js';

const skip = withoutBrowser;
t.setTimeout(patient(120_000));
t.teardown(close);

t.test('a visitor of a strict page chats with a journey, and finds the conversation again after a reload', { skip }, async (t) => {
  const chat = await startWebchat(t);
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
