import type { Page } from 'playwright-core';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { startSandbox } from '../../sandbox/compose.js';
import { onlyLong } from '../forms.js';
import { newFolder } from '../iso/posthorn-process.js';
import { close, withoutBrowser } from './browser.js';
import { bubble, launcher, openChat, startWebchat, storedTexts, visit, write } from './webchats.js';

const skip = onlyLong || withoutBrowser;
t.setTimeout(patient(240_000));
t.teardown(close);

const streams = (requests: readonly string[]): number => requests.filter((url) => url.includes('/stream?')).length;
const texts = (page: Page) => page.locator('posthorn-chat article .text').allTextContents();

t.test('two tabs share a conversation and a stream, which the second takes over when the first is closed', { skip }, async (t) => {
  const chat = await startWebchat(t);
  const { page: first, requests, tab, failures } = await visit(t, chat.page());
  await openChat(first);
  await write(first, 'from the first');
  await bubble(first, 'out', 'What can I do for you?').waitFor();
  const second = await tab();
  await openChat(second);
  await bubble(second, 'in', 'from the first').waitFor();
  t.equal(streams(requests), 1, 'one stream for both tabs');

  await write(second, 'from the second');
  for (const page of [first, second]) {
    await bubble(page, 'in', 'from the second').waitFor();
    await bubble(page, 'out', 'You wrote: from the second').waitFor();
  }
  t.equal(streams(requests), 1);

  await first.close();
  await write(second, 'alone');
  await bubble(second, 'out', 'You wrote: alone').waitFor();
  t.equal(streams(requests), 2, 'the second tab has opened its own');
  const shown = await texts(second);
  t.equal(
    new Set(shown.filter((text) => text.includes('alone'))).size,
    shown.filter((text) => text.includes('alone')).length,
    'no doubles',
  );
  t.strictSame(failures, []);
});

t.test('messages written without a connection are sent in order when it is back, also after a reload', { skip }, async (t) => {
  const chat = await startWebchat(t);
  const { page, context } = await visit(t, chat.page());
  await openChat(page);
  await write(page, 'first');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  await context.setOffline(true);
  await page.getByText('No connection. Messages are sent when it is back.').waitFor();
  for (const text of ['second', 'third', 'fourth']) await write(page, text);
  t.equal(await page.locator('posthorn-chat article.is-pending').count(), 3);
  await context.setOffline(false);
  await bubble(page, 'out', 'You wrote: fourth').waitFor();
  t.equal(await page.locator('posthorn-chat article.is-pending').count(), 0);

  // The server takes nothing until after the reload.
  await page.route('**/messages', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()));
  for (const text of ['fifth', 'sixth']) await write(page, text);
  await page.locator('posthorn-chat article.is-pending').nth(1).waitFor();
  await page.unrouteAll();
  await page.reload();
  await launcher(page).waitFor();
  await openChat(page);
  await bubble(page, 'out', 'You wrote: sixth').waitFor();
  const inbound = (await storedTexts(chat)).filter((text) => text.startsWith('in '));
  t.strictSame(
    inbound,
    ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((text) => `in ${text}`),
  );
});

t.test('an answer that is lost is not sent twice, Retry-After is obeyed, and a refusal is shown', { skip }, async (t) => {
  const chat = await startWebchat(t);
  const { page } = await visit(t, chat.page());
  await openChat(page);
  let calls = 0;
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    calls += 1;
    // The server stores the message, and its answer is lost.
    if (calls === 1) {
      await route.fetch();
      return route.abort();
    }
    return route.continue();
  });
  await write(page, 'once');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  await page.locator('posthorn-chat article.is-pending').waitFor({ state: 'detached' });
  t.strictSame((await storedTexts(chat)).filter((text) => text === 'in once').length, 1);

  await page.unrouteAll();
  const times: number[] = [];
  const headers = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after', 'retry-after': '2' };
  await page.route('**/messages', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    times.push(Date.now());
    return times.length === 1 ? route.fulfill({ status: 429, headers, body: '{}' }) : route.continue();
  });
  await write(page, 'later');
  await page.getByText('Too many messages.').waitFor();
  await bubble(page, 'out', 'You wrote: later').waitFor();
  t.ok(times[1]! - times[0]! >= 2_000, `the second attempt came after ${times[1]! - times[0]!} ms`);

  await page.unrouteAll();
  await page.route('**/messages', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 400, headers, body: '{}' }) : route.continue(),
  );
  await write(page, 'unwanted');
  await page.getByText('Not sent: The message was refused.').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await bubble(page, 'out', 'You wrote: unwanted').waitFor();
});

t.test('a chat continues after its server was restarted', { skip }, async (t) => {
  const data = newFolder(t);
  const chat = await startWebchat(t, { data });
  const { page } = await visit(t, chat.page());
  await openChat(page);
  await write(page, 'before');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  const port = Number(new URL(chat.sandbox.api).port);
  await chat.sandbox.stop();
  await write(page, 'while it was away');
  await page.locator('posthorn-chat article.is-pending').waitFor();
  chat.sandbox = await startSandbox({ data, port, console: false, logLevel: 'error' });
  await bubble(page, 'out', 'You wrote: while it was away').waitFor({ timeout: patient(60_000) });
  await page.locator('posthorn-chat article.is-pending').waitFor({ state: 'detached' });
  t.strictSame(
    (await storedTexts(chat)).filter((text) => text.startsWith('in ')),
    ['in before', 'in while it was away'],
  );
});

t.test('a stream that does not deliver is replaced by questions, and an ended session is opened again', { skip }, async (t) => {
  const chat = await startWebchat(t);
  const { page } = await visit(t, chat.page());
  await page.route('**/stream?*', (route) => route.abort());
  await openChat(page);
  await write(page, 'hello');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  await page.unrouteAll();
  await page.evaluate(`for (const key of Object.keys(localStorage)) if (key.startsWith('posthorn-chat:')) {
    const stored = JSON.parse(localStorage[key]);
    localStorage[key] = JSON.stringify({ ...stored, token: 'expired' });
  }`);
  await page.reload();
  await openChat(page);
  await write(page, 'again');
  await bubble(page, 'out', 'What can I do for you?').waitFor();
  t.equal(await bubble(page, 'in', 'hello').count(), 0, 'another visitor does not see the conversation');
});
