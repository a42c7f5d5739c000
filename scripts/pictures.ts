// `npm run docs` takes the pictures of the README and of the pages on channels from a running sandbox: `sandbox/pictures/*.webp`.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { emailStandIn } from '../plugins/email/testing/index.js';
import { smsStandIn } from '../plugins/sms/testing/index.js';
import { telegramStandIn } from '../plugins/telegram/testing/index.js';
import { adminGet, adminSend } from '../sandbox/client/admin-client.js';
import { signInUrl } from '../sandbox/client/console.js';
import { startSandbox } from '../sandbox/compose.js';
import { mailPage, phonePage, readingRoom } from './pictures/received.js';

const CHROMIUM = '/usr/bin/chromium';
const FOLDER = 'sandbox/pictures';
const MAX_BYTES = 300_000;

if (!existsSync(CHROMIUM)) {
  console.log(`pictures: skipped, no browser at ${CHROMIUM}`);
  process.exit(0);
}
mkdirSync(FOLDER, { recursive: true });

// A fixed seed key, so that ids in the pictures change only with the demo.
const sandbox = await startSandbox({ seed: 'demo', seedKey: 'pictures' });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] });
const page = await browser.newPage({ viewport: { width: 1200, height: 720 }, colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' });
// Pictures in the format WebP have a third of the size, and Playwright takes only PNG and JPEG itself.
const debug = await page.context().newCDPSession(page);
/** Files that it has, by their paths. */
const files = new Map<string, Uint8Array>();
// A receiver that is down, except for these files.
const receiver = createServer(({ url = '' }, response) => {
  const file = files.get(url);
  if (file) response.writeHead(200, { 'content-type': 'image/png' }).end(file);
  else response.writeHead(500, { 'content-type': 'text/plain' }).end('database is locked');
});
await new Promise<void>((listening) => void receiver.listen(0, '127.0.0.1', listening));
const run = { pid: process.pid, startedAt: '', api: sandbox.api, admin: sandbox.admin };
// biome-ignore lint/suspicious/noExplicitAny: a script looks at a few fields of responses
const get = (path: string): Promise<any> => adminGet(run, path);
const post = (path: string, body: object) => adminSend(run, 'POST', path, body as never);
const number = sandbox.numbers.find(({ kind }) => kind === 'network')!;
const write = (text: string) =>
  post(`/network/numbers/${number.uuid}/messages`, { from: '+27611111111', name: 'Thandi', type: 'text', text: { body: text } });
const buttonOf = (title: string, id: number) => ({ type: 'reply', reply: { id: String(id), title } });
/** Connects a number. @returns the response */
// biome-ignore lint/suspicious/noExplicitAny: a script looks at a few fields of responses
const connected = (body: object): Promise<any> => post('/connections', { ...body, name: 'Riverside Library' });

try {
  await page.goto(await signInUrl(run));
  await write('hi');
  const [conversation] = await until('a conversation', async () => (await get(`/numbers/${number.uuid}/conversations`)).conversations);
  await page.goto(`${sandbox.console!.url}inbox/${conversation.uuid}`);
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('button', { name: 'Opening hours' }).waitFor();
  await page.mouse.move(0, 0);
  const sizes = [await take('inbox')];

  const { webhook } = (await post('/webhooks', {
    number: number.uuid,
    name: 'Order service',
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
    subscriptions: ['msgapp'],
  })) as { webhook: { uuid: string } };
  await write('Where is my order?');
  const failing = `/deliveries?webhook=${webhook.uuid}&limit=1`;
  for (const attempts of [1, 2, 3]) {
    await until(`attempt ${attempts}`, async () =>
      (await get(failing)).deliveries.filter((one: { attempts: number }) => one.attempts >= attempts),
    );
    if (attempts < 3) await post('/clock', { advance: 25 });
  }
  const [delivery] = (await get(failing)).deliveries;
  await page.goto(`${sandbox.console!.url}deliveries/${delivery.uuid}`);
  await page.getByRole('tab', { name: 'Timeline' }).waitFor();
  sizes.push(await take('delivery'));

  await page.goto(`${sandbox.console!.url}why?message=${delivery.message}`);
  await page.getByText('The first step that is pending').waitFor();
  sizes.push(await take('why'));

  const standIn = await telegramStandIn();
  try {
    const connect = { type: 'telegram', settings: { token: standIn.token, api_url: standIn.url }, name: 'Riverside Library' };
    const { connection } = (await post('/connections', connect)) as { connection: { number: { uuid: string } } };
    await standIn.write(27_611_111, 'Is the library open on Sunday?');
    await page.goto(`${sandbox.console!.url}numbers/${connection.number.uuid}`);
    await page.getByText('stand_in_bot', { exact: true }).waitFor();
    sizes.push(await take('telegram'));
  } finally {
    await standIn.stop();
  }
  await page.setViewportSize({ width: 960, height: 720 });
  await page.goto(`${sandbox.api}/chat`);
  await page.locator('posthorn-chat button').click();
  await page.locator('posthorn-chat textarea').fill('hi');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByText('What may I call you?').first().waitFor();
  await page.locator('posthorn-chat textarea').fill('Thandi');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Opening hours' }).click();
  await page.getByText('Is there anything else?').first().waitFor();
  sizes.push(await take('chat'));

  await page.goto('about:blank');
  await page.setViewportSize({ width: 960, height: 560 });
  const mail = await emailStandIn();
  const gateway = await smsStandIn({ shape: 'twilio' });
  try {
    await page.setContent(readingRoom);
    files.set('/room.png', await page.locator('div').screenshot());
    const image = { link: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/room.png` };
    const settings = { ...mail.settings, name: 'Riverside Library' };
    const { connection: address } = await connected({ type: 'email', settings });
    await mail.write('thandi@people.example', 'Which rooms do you have?', { subject: 'Rooms', name: 'Thandi' });
    await answer(address.number.uuid, {
      header: { type: 'image', image },
      body: { text: 'The **reading room** has 40 seats and a view of the river. What would you like to do?' },
      footer: { text: 'Riverside Library, Monday to Saturday' },
      action: { buttons: ['Reserve a seat', 'Opening hours', 'Talk to a person'].map(buttonOf) },
    });
    await until('the mail', async () => mail.sent);
    await page.setContent(mailPage(mail.sent[0]!));
    sizes.push(await take('email'));

    const about = { gateway: 'twilio', account: gateway.account, token: gateway.token, sender: gateway.sender, base_url: gateway.url };
    const { connection: number } = await connected({ type: 'sms', settings: about });
    gateway.connect(number.details);
    const phone = '+27611111111';
    await gateway.write(phone, 'Hi, do you have a room for tomorrow?');
    await answer(number.number.uuid, {
      body: { text: 'Hello Thandi! Which room would you like?' },
      action: { buttons: ['Reading room', 'Group room', 'None of them'].map(buttonOf) },
    });
    await until('the options', async () => gateway.sent);
    await gateway.write(phone, '2');
    await answer(number.number.uuid, undefined, 'The group room is yours tomorrow from 10:00 to 12:00.');
    await until('the answer', async () => gateway.sent.slice(1));
    const [offer, done] = gateway.sent.map(({ text }) => text);
    const lines = ['Hi, do you have a room for tomorrow?', offer!, '2', done!];
    await page.setViewportSize({ width: 420, height: 430 });
    await page.setContent(phonePage(gateway.sender, lines));
    sizes.push(await take('sms'));
  } finally {
    await gateway.stop();
    await mail.stop();
  }

  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`pictures: ${sizes.length} in ${FOLDER}, ${Math.round(bytes / 1000)} kB`);
  if (bytes > MAX_BYTES) throw new Error(`the pictures have ${bytes} bytes together; at most ${MAX_BYTES} are allowed`);
} finally {
  await browser.close();
  receiver.close();
  await sandbox.stop();
}

/** Answers the first contact of a number as an operator, with options or a text. */
async function answer(uuid: string, interactive: object | undefined, text?: string): Promise<void> {
  const found = await until('a message of the contact', async () => (await get(`/numbers/${uuid}/conversations`)).conversations);
  const message = interactive
    ? { type: 'interactive', interactive: { type: 'button', ...interactive } }
    : { type: 'text', text: { body: text } };
  await post(`/conversations/${found[0].uuid}/messages`, { operator: { id: 'desk', name: 'Desk' }, ...message });
}

/** Takes a picture of the page as it is. @returns its size in bytes */
async function take(name: string): Promise<number> {
  // Responses of the newest call, and the positions that follow from them.
  await page.waitForTimeout(1_500);
  const { data } = await debug.send('Page.captureScreenshot', { format: 'webp', quality: 62 });
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(FOLDER, `${name}.webp`), bytes);
  return bytes.length;
}

/** Asks until there is a result. @throws Error after ten seconds */
// biome-ignore lint/suspicious/noExplicitAny: records of the admin API, of which the script reads ids
async function until(what: string, ask: () => Promise<readonly any[]>): Promise<readonly any[]> {
  for (let n = 0; n < 100; n++) {
    const found = await ask();
    if (found.length > 0) return found;
    await page.waitForTimeout(100);
  }
  throw new Error(`${what} did not appear within ten seconds`);
}
