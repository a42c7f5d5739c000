import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import t from 'tap';
import { patient } from '../../core/testing/slowness.js';
import { eventLoad } from '../../scripts/bench/measuring/event-load.js';
import { onlyLong } from '../forms.js';
import { close, violationsInBothThemes, withoutBrowser } from './browser.js';
import { type ConsoleUnderTest, startConsole } from './console.js';

const skip = withoutBrowser;
t.setTimeout(patient(180_000));
t.teardown(close);

const seed = { channels: [{ from_addr: 'web:shop', name: 'Shop', endpoint: 'http://127.0.0.1:9/connector' }] };

async function write({ sandbox }: ConsoleUnderTest, from: string, text: string): Promise<void> {
  const { uuid, token } = sandbox.numbers[0]!;
  const message = { type: 'text', from, id: `in-${text}`, timestamp: '1767600000', text: { body: text } };
  const response = await fetch(`${sandbox.api}/v1/numbers/${uuid}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ contact: { id: from, profile: { name: 'Ann' } }, message }),
  });
  if (!response.ok) throw new Error(await response.text());
}

t.test('events are followed, filtered as in tail, related to their message, pinned and exported', { skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const number = console.sandbox.numbers[0]!.uuid;
  const { page, failures } = await console.open(t, 'events?filter=nothing', { width: 1280 });
  await page.getByText('No event matches the filter').waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'none matches');
  await page.getByRole('button', { name: 'Show every event' }).click();
  await console.admin('POST', '/webhooks', { number, url: 'http://127.0.0.1:9/hook', name: 'Orders', subscriptions: ['msgapp'] });
  await write(console, '+27820001001', 'hello');
  await write(console, '+27820001002', 'good morning');
  await page
    .getByRole('option', { name: /delivery.attempted/ })
    .first()
    .waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'full');

  const filter = page.getByRole('searchbox', { name: 'Filter of events' });
  await filter.fill('message.received type:text "good"');
  await page.locator('.count-of-events').getByText('1', { exact: true }).waitFor();
  t.equal(new URL(page.url()).searchParams.get('filter'), 'message.received type:text "good"');
  await filter.fill('hello');
  await page.getByRole('button', { name: 'Search for the text' }).click();
  t.equal(await filter.inputValue(), '"hello"');
  await filter.fill('message.received');
  await page.getByRole('option', { name: /hello/ }).click();
  const detail = page.getByRole('article', { name: 'Event' });
  await detail.getByRole('link', { name: 'Everything about this message' }).waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'an event');
  await detail.getByRole('button', { name: 'Pin' }).click();
  await page.getByRole('region', { name: 'Pinned events' }).getByText('message.received').waitFor();

  const exported = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'JSON lines' }).click();
  const lines = readFileSync((await (await exported).path())!, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.match(lines, [
    { id: /-\d+$/, at: String, name: 'message.received', data: { message: { content: { text: { body: 'hello' } } } } },
    { data: { message: { content: { text: { body: 'good morning' } } } } },
  ]);
  t.equal(lines.length, 2);

  await detail.getByRole('link', { name: 'Everything about this message' }).click();
  await page.waitForURL(/about=/);
  await page.getByRole('listbox', { name: 'Events, as a tree' }).waitFor();
  const names = await page.getByRole('listbox').getByRole('option').locator('b').allTextContents();
  t.equal(names[0], 'message.received');
  t.ok(names.includes('delivery.queued') && names.includes('delivery.attempted'));
  t.equal(await page.getByText('good morning').count(), 0, 'nothing of the other conversation');
  const indent = (name: string): Promise<string> =>
    page
      .getByRole('option', { name: new RegExp(name) })
      .first()
      .locator('span')
      .first()
      .evaluate((span) => (span as unknown as { style: { paddingInlineStart: string } }).style.paddingInlineStart);
  t.strictSame(
    [await indent('message.received'), await indent('delivery.queued'), await indent('delivery.attempted')],
    ['0px', '16px', '32px'],
  );
  t.strictSame(await violationsInBothThemes(page), [], 'a tree');
  await page.setViewportSize({ width: 430, height: 800 });
  t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'at 430 px');
  await page.goto(`${console.sandbox.console!.url}events/unknown`);
  await page.getByText('This event is no longer available').waitFor();
  t.strictSame(await violationsInBothThemes(page), [], 'an unknown event');
  t.strictSame(failures, []);
});

t.test('a paused list counts new events and shows them when it is resumed', { skip: onlyLong || skip }, async (t) => {
  const console = await startConsole(t, { seed });
  const { page } = await console.open(t, 'events?filter=number', { width: 1280 });
  // Paused before the event of the seed arrives, which is not new.
  let connect!: () => void;
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  await page.route('**/admin/v1/events', async (route) => {
    await connected;
    await route.continue();
  });
  await page.reload();
  await page.getByRole('button', { name: 'Pause' }).click();
  connect();
  await page.getByRole('option', { name: /web:shop/ }).waitFor();
  await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
  await page.locator('.pill.ok').waitFor();
  for (const address of ['+27600000091', '+27600000092']) await console.admin('POST', '/numbers', { kind: 'network', name: 'A', address });
  await page.getByRole('button', { name: 'Follow, 2 new' }).waitFor();
  t.equal(await page.getByRole('option', { name: /\+2760000009/ }).count(), 0);
  await page.getByRole('button', { name: 'Follow, 2 new' }).click();
  await page.getByRole('option', { name: /\+27600000092/ }).waitFor();
  t.match(await page.getByRole('listbox').getByRole('option').first().textContent(), /92/, 'the newest first');
});

t.test('after a break the stream continues by id, and dropped events leave a visible gap', { skip: onlyLong || skip }, async (t) => {
  const console = await startConsole(t, { plugins: [eventLoad()] });
  const streams: Socket[] = [];
  const noted = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    if (request.url === '/admin/v1/events') streams.push(socket);
  };
  subscribe('http.server.request.start', noted);
  t.teardown(() => unsubscribe('http.server.request.start', noted));
  const { page } = await console.open(t, 'events', { width: 1280 });
  await page.locator('.pill.ok').waitFor();
  const add = (address: string) => console.admin('POST', '/numbers', { kind: 'network', name: 'A', address });
  await add('+27600000090');
  await page.getByRole('option', { name: /\+27600000090/ }).waitFor();
  const asked: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/events')) asked.push(request.headers()['last-event-id']);
  });

  /** Breaks the stream while `work` runs: the browser reconnects in vain until then. */
  const duringBreak = async (work: () => Promise<unknown>): Promise<void> => {
    await page.route('**/admin/v1/events', (route) => route.abort());
    breakStream();
    await page.getByText('not connected').waitFor();
    await work();
    await page.unroute('**/admin/v1/events');
    await page.locator('.pill.ok').waitFor();
  };
  const breakStream = (): void => {
    for (const socket of streams.splice(0)) socket.destroy();
  };

  await duringBreak(() => add('+27600000091'));
  await page.getByRole('option', { name: /\+27600000091/ }).waitFor();
  t.match(asked.at(-1), /^[0-9a-f]+-\d+$/, 'it continued after the last event');
  t.equal(await page.getByText('Events are missing here').count(), 0, 'nothing was dropped');

  await duringBreak(() => console.admin('POST', '/load', { total: 6_000, rate: 6_000 }));
  await page.getByRole('searchbox').fill('number');
  await page.getByText('Events are missing here').waitFor();
  t.strictSame(await violationsInBothThemes(page), []);
});
