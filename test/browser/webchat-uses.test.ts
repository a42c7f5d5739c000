import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { onlyLong } from '../forms.js';
import { blocksOf } from '../pages/samples.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { bubble, input, launcher, openChat, SECRET, startWebchat, storedTexts, visit, type WebchatUnderTest, write } from './webchats.js';

const skip = onlyLong || withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

let shared: Promise<WebchatUnderTest> | undefined;
const chatOf = (): Promise<WebchatUnderTest> => (shared ??= startWebchat(t));

t.test('a visitor chooses from a list with the keyboard only', { skip }, async (t) => {
  const { page } = await visit(t, (await chatOf()).page());
  await launcher(page).focus();
  await page.keyboard.press('Enter');
  await input(page).waitFor();
  await page.keyboard.type('hi');
  await page.keyboard.press('Enter');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  t.equal(await focused(page), 'Branches', 'the last button precedes the tools of the text');
  await page.keyboard.press('Enter');
  await bubble(page, 'out', 'Which branch?').waitFor();
  await page.getByRole('group', { name: 'Which branch?' }).waitFor();
  await page.getByRole('button', { name: 'South' }).focus();
  await page.keyboard.press('Space');
  await bubble(page, 'out', 'South opens at ten.').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
  await page.keyboard.press('Escape');
  t.equal(await focused(page), 'Chat');
});

t.test('a list with many rows is a list box', { skip }, async (t) => {
  const { page } = await visit(t, (await chatOf()).page());
  const options = Array.from({ length: 12 }, (_, i) => ({
    key: i,
    id: `${i}`,
    title: `Book ${i + 1}`,
    section: i < 6 ? 'Fiction' : 'Science',
  }));
  const message = { position: 1, id: 'm1', direction: 'out', at: new Date().toISOString(), type: 'interactive', status: 'sent' };
  await page.route('**/sessions', async (route) => {
    const response = await route.fetch();
    const text = { body: 'Which book?', spans: [{ type: 'text', text: 'Which book?' }] };
    await route.fulfill({
      response,
      json: { ...(await response.json()), messages: [{ ...message, text, options, list_button: 'All books' }] },
    });
  });
  await page.route('**/messages', (route) => route.fulfill({ status: 503, headers: { 'access-control-allow-origin': '*' } }));
  await openChat(page);
  await page.getByRole('button', { name: 'All books' }).click();
  await page.getByRole('listbox', { name: 'All books' }).waitFor();
  t.equal(await page.getByRole('option').count(), 12);
  await page.keyboard.press('Escape');
  t.equal(await page.getByRole('listbox').count(), 0);
  t.equal(await focused(page), 'All books', 'Escape closes the list, not the chat');
  await page.keyboard.press('Enter');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  t.strictSame(await violationsInBothThemes(page), []);
  const request = page.waitForRequest('**/messages');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Book 11 Chosen' }).waitFor();
  t.match((await request).postDataJSON(), { type: 'tap', option: { message: 'm1', index: 10 } });
});

t.test('a visitor sends a file with a caption, sees it after a reload, and reads why another one is refused', { skip }, async (t) => {
  const { page, failures } = await visit(t, (await chatOf()).page());
  await openChat(page);
  const picker = page.locator('posthorn-chat input[type="file"]');
  await picker.setInputFiles({ name: 'room.png', mimeType: 'image/png', buffer: PNG });
  await page.getByText('room.png').waitFor();
  await write(page, 'The reading room');
  const image = page.getByRole('img', { name: 'The reading room' });
  await image.waitFor();
  t.strictSame(await image.boundingBox().then((box) => [box?.width, box?.height]), [240, 180], 'a fixed box');
  await page.reload();
  await openChat(page);
  await image.scrollIntoViewIfNeeded();
  await page.waitForFunction("document.querySelector('posthorn-chat').shadowRoot.querySelector('img')?.naturalWidth === 8");
  t.strictSame(failures, []);

  await picker.setInputFiles({ name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') });
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Not sent: Files of this type cannot be sent.').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  t.equal(await page.locator('posthorn-chat article.is-pending').count(), 0);
  await page.route('**/files?*', (route) => route.fulfill({ status: 429, headers: { 'access-control-allow-origin': '*' } }));
  await picker.setInputFiles({ name: 'seventh.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Not sent: Too many files. Try again in a few minutes.').waitFor();
});

t.test('older messages are loaded when the visitor scrolls up', { skip }, async (t) => {
  const { page } = await visit(t, (await startWebchat(t)).page());
  await openChat(page);
  for (let i = 1; i <= 18; i++) {
    await write(page, i === 1 ? 'the very first' : `message ${i}`);
    await bubble(page, 'out', i === 1 ? 'What can I do for you?' : `You wrote: message ${i}`).waitFor();
  }
  await page.reload();
  await openChat(page);
  await bubble(page, 'in', 'message 18').waitFor();
  t.equal(await bubble(page, 'in', 'the very first').count(), 0);
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.evaluate((box) => box.scrollTo(0, 0));
  await bubble(page, 'in', 'the very first').waitFor({ state: 'attached' });
  t.ok((await log.evaluate(({ scrollTop }) => scrollTop)) > 0, 'what was in view stays in view');
});

t.test('the chat fills a phone, is mirrored from right to left, and works at 400 %', { skip }, async (t) => {
  const chat = await chatOf();
  for (const { size, attributes, lang } of [
    { size: { width: 390, height: 700 }, attributes: '', lang: 'en' },
    { size: { width: 1_000, height: 700 }, attributes: '', lang: 'ar' },
    { size: { width: 320, height: 256 }, attributes: 'data-position="start"', lang: 'en' },
  ]) {
    const { page } = await visit(t, chat.page(attributes, { lang, where: 'head' }), size);
    await openChat(page);
    const panel = page.getByRole('dialog', { name: 'Riverside Library' });
    const box = (await panel.boundingBox())!;
    if (size.width < 480) t.strictSame(box, { x: 0, y: 0, ...size }, 'the chat fills the screen');
    else t.ok(box.x < 100, 'the chat of a page from right to left is on the left');
    await write(page, 'hi');
    await bubble(page, 'out', 'What can I do for you?').waitFor();
    t.equal(await panel.evaluate((one) => one.scrollWidth - one.clientWidth), 0, 'nothing is cut off');
    const tools = await page.locator('posthorn-chat :is(.panel button, .panel a):visible').all();
    for (const tool of tools)
      t.ok((await tool.boundingBox())!.height >= 44, (await tool.getAttribute('aria-label')) ?? (await tool.textContent())!);
    t.strictSame(await violationsInBothThemes(page), []);
  }
});

t.test('without storage the chat works until the page is closed, and says so', { skip }, async (t) => {
  const { page, context } = await visit(t, (await chatOf()).page());
  await context.addInitScript(
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } });",
  );
  await page.reload();
  await openChat(page);
  await write(page, 'hello');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  await page.getByText('This browser does not keep the conversation').waitFor();
});

t.test('a user who signs in has the own conversation, and nothing remains after reset', { skip }, async (t) => {
  const chat = await chatOf();
  const hash = createHmac('sha256', SECRET).update('ann').digest('hex');
  const identified = async () => {
    const { page } = await visit(t, chat.page());
    await page.evaluate(`posthornChat.identify({ id: 'ann', hash: '${hash}' }), posthornChat.open()`);
    await input(page).waitFor();
    return page;
  };
  const page = await identified();
  await write(page, 'I am Ann');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  const other = await identified();
  await bubble(other, 'in', 'I am Ann').waitFor();

  await page.evaluate('posthornChat.reset()');
  await launcher(page).and(page.locator('[aria-expanded="false"]')).waitFor();
  t.equal(await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('posthorn-chat')).length"), 0);
  await openChat(page);
  await page.getByText('Write to us. We answer here.').waitFor();
  t.equal(await bubble(page, 'in', 'I am Ann').count(), 0);
});

t.test('a message that arrives while the chat is closed is counted, and seen when it is opened', { skip }, async (t) => {
  const chat = await startWebchat(t);
  const { page } = await visit(t, chat.page());
  await page.evaluate("globalThis.heard = []; posthornChat.on('unread', (count) => heard.push(count))");
  await openChat(page);
  await write(page, 'hello');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  const { conversations } = await chat.admin('GET', `/numbers/${chat.number}/conversations`);
  const path = `/conversations/${conversations[0].uuid}/messages`;
  const isRead = async (): Promise<boolean> => (await chat.admin('GET', path)).messages[0].status === 'read';
  const read = async (): Promise<void> => {
    for (const end = Date.now() + patient(10_000); Date.now() < end && !(await isRead()); );
    t.ok(await isRead());
  };
  await read();
  await page.keyboard.press('Escape');
  await chat.admin('POST', path, { operator: { id: 'thandi', name: 'Thandi' }, type: 'text', text: { body: 'Are you there?' } });
  await page.getByRole('button', { name: 'Chat, 1 unread' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Chat, 1 unread' }).click();
  await bubble(page, 'out', 'Are you there?').waitFor();
  await read();

  // A receipt that is lost is sent again: the visitor does not have to see a newer message first.
  let lost = 0;
  await page.route('**/seen', (route) => {
    lost += 1;
    return route.abort();
  });
  await chat.admin('POST', path, { operator: { id: 'thandi', name: 'Thandi' }, type: 'text', text: { body: 'Read me' } });
  await bubble(page, 'out', 'Read me').waitFor();
  for (const end = Date.now() + patient(10_000); Date.now() < end && lost === 0; ) await page.waitForTimeout(50);
  t.ok(lost > 0);
  t.notOk(await isRead());
  await page.unrouteAll();
  await page.reload();
  await openChat(page);
  await read();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Chat', exact: true }).waitFor();
});

t.test('two tags make one chat, which stays when the page changes its address or its body', { skip }, async (t) => {
  const chat = await chatOf();
  const { page } = await visit(t, chat.page('', { where: 'both' }));
  t.equal(await page.locator('posthorn-chat').count(), 1);
  await page.evaluate(
    "history.pushState({}, '', '/other'), document.documentElement.replaceChild(document.createElement('body'), document.body)",
  );
  await openChat(page);
  // The conversation stays where it was, also if the body is replaced while it is shown.
  await page.setViewportSize({ width: 1_000, height: 490 });
  const log = page.getByRole('log', { name: 'Conversation' });
  for (const text of ['one', 'two']) {
    await write(page, `${text}\n\n\n\n\n`.repeat(4));
    await bubble(page, 'in', text).waitFor();
  }
  await page.waitForFunction("document.querySelector('posthorn-chat').shadowRoot.querySelector('.log').scrollTop > 50");
  await page.evaluate("document.documentElement.replaceChild(document.createElement('body'), document.body)");
  await page.waitForFunction("document.querySelector('posthorn-chat').isConnected");
  t.ok((await log.evaluate(({ scrollTop }) => scrollTop)) > 50, 'the end of the conversation stays in view');
  t.strictSame(await page.evaluate("document.styleSheets.length + document.querySelectorAll('[style]').length"), 0);
});

t.test('tabs agree on the user, and what one user wrote is not sent for the next', { skip }, async (t) => {
  const chat = await startWebchat(t);
  const { page, context, tab } = await visit(t, chat.page());
  const hashOf = (id: string) => createHmac('sha256', SECRET).update(id).digest('hex');
  const identify = (one: Page, id: string) =>
    one.evaluate(`posthornChat.identify(() => Promise.resolve({ id: '${id}', hash: '${hashOf(id)}' }))`);
  const stored = (one: Page) => one.evaluate("Object.keys(localStorage).filter((key) => key.includes('queue')).length");
  const second = await tab();
  for (const one of [page, second]) {
    await identify(one, 'ann');
    await openChat(one);
  }
  await write(page, 'I am Ann');
  await bubble(second, 'out', 'What can I do for you?').waitFor();
  await context.setOffline(true);
  await write(page, 'only for Ann');
  await bubble(page, 'in', 'only for Ann').waitFor();
  t.equal(await stored(page), 1);
  // The session is opened, and nothing else.
  await page.route('**/messages', (route) => route.abort());
  await second.route('**/messages', (route) => route.abort());
  await context.setOffline(false);
  await identify(second, 'ben');
  for (const one of [page, second]) await one.getByText('Write to us. We answer here.').waitFor();
  t.equal(await stored(page), 0);
  for (const one of [page, second]) await one.unrouteAll();
  await write(page, 'I am Ben');
  await bubble(second, 'out', 'What can I do for you?').waitFor();

  await second.evaluate('posthornChat.reset()');
  await page.getByText('Write to us. We answer here.').waitFor();
  t.strictSame((await storedTexts(chat)).filter((text) => text.startsWith('in ')).sort(), ['in I am Ann', 'in I am Ben']);
  const visitor = await page.evaluate(
    'JSON.parse(localStorage[Object.keys(localStorage).find((key) => /^posthorn-chat:[^:]*$/.test(key))]).visitor',
  );
  t.match(visitor, /^web:/, 'a tab that knew the user does not bring it back after the logout');
});

t.test('the calls and the rules of the page do what it says', { skip }, async (t) => {
  // Of its own: a visitor of this page opens several sessions, of which an address has ten in a minute.
  const chat = await startWebchat(t);
  const [calls, theme] = ['calls', 'theme'].map((one) => blocksOf('plugins/webchat/README.md').find(({ name }) => name === one)!.code);
  const part = (about: object) => Buffer.from(JSON.stringify(about)).toString('base64url');
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: 'ben', exp: Math.floor(Date.now() / 1000) + 600 })}`;
  const jwt = `${content}.${createHmac('sha256', SECRET).update(content).digest('base64url')}`;
  const { page, failures } = await visit(t, chat.page(), { scheme: 'dark' });
  await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(theme)});
    document.adoptedStyleSheets = [sheet];
  })()`);
  const colours = await page.evaluate(`(() => {
    const { backgroundColor, color, colorScheme } = getComputedStyle(document.querySelector('posthorn-chat').shadowRoot.querySelector('button'));
    return [backgroundColor, color, colorScheme];
  })()`);
  t.strictSame(colours, ['rgb(10, 110, 189)', 'rgb(255, 255, 255)', 'light']);
  const steps = calls!.trim().split('\n');
  t.equal(steps.length, 4);
  await page.evaluate(`globalThis.jwt = '${jwt}', ${steps[0]}`);
  await input(page).waitFor();
  await page.evaluate(steps[1]!);
  await write(page, 'I am Ben');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  const { contacts } = await chat.admin('GET', `/numbers/${chat.number}/contacts`);
  t.match(contacts, [{ id: 'user:ben' }]);
  await page.evaluate(`${steps[2]}\n${steps[3]!.replace('const off', 'globalThis.off')}\noff();`);
  await launcher(page).and(page.locator('[aria-expanded="false"]')).waitFor();
  t.strictSame(failures, []);
});

/** The name of the focused element in the chat. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const { activeElement } = document.querySelector('posthorn-chat').shadowRoot;
    return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent;
  })()`);

/** A picture of 8 by 8 pixels. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGNgaPiPFTEMLQkArjB/gSPB+HQAAAAASUVORK5CYII=', 'base64');
