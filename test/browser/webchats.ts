import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { adminSend } from '../../sandbox/client/admin-client.js';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/compose.js';
import { publishJourney } from '../../sandbox/demo/apply-seed.js';
import { browser, type PageOptions } from './browser.js';

/** Signs the ids of users of the website. */
export const SECRET = 'identity-secret-of-the-web-chat-0001';

/** Asks with buttons and with a list, and repeats what it does not know. */
const NOTEBOOK = `# Library

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Menu, then: Words do
  answer = buttons(Hours: "Opening hours", Branches: "Branches") do
    text("What can I do **for you**?")
    footer("Tap a button, or write")
  end
end
card Words, then: Menu do
  text("You wrote: @answer")
end
card Hours do
  text("Open until six.")
end
card Branches, then: Words do
  branch = list("All branches", North: "North", South: "South") do
    text("Which branch?")
  end
end
card North do
  text("North opens at nine.")
end
card South do
  text("South opens at ten.")
end
\`\`\`
`;

const ARABIC = { launcher: 'محادثة', write: 'اكتب رسالة', send: 'إرسال', close: 'إغلاق المحادثة', start: 'اكتب إلينا. نرد هنا.' };

export interface WebchatUnderTest {
  sandbox: Sandbox;
  /** The uuid of the number. */
  readonly number: string;
  /** Calls the admin API. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
  admin(method: 'GET' | 'POST' | 'PUT', path: string, payload?: unknown): Promise<any>;
  /** The URL of a page of a website on another origin, with the strictest policy that the chat allows, and attributes of its script tag. */
  page(attributes?: string, more?: { readonly lang?: string; readonly where?: 'head' | 'body' | 'both' }): string;
}

/** Starts a sandbox with a web chat, and a website that embeds it. */
export async function startWebchat(t: Tap, options: SandboxOptions = {}): Promise<WebchatUnderTest> {
  const website = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://website');
    const { api } = test.sandbox;
    const tag = `<script src="${api}/webchat/${test.number}/widget.js" ${searchParams.get('attributes')} async></script>`;
    const lang = searchParams.get('lang') ?? 'en';
    const where = searchParams.get('where') ?? 'body';
    const policy = ['default-src', 'style-src'].map((one) => `${one} 'none'`);
    // The browser asks for the icon of the website.
    const own = ['script-src', 'connect-src', 'img-src', 'media-src', 'frame-src'].map((one) => `${one} 'self' ${api}`);
    const types = ["require-trusted-types-for 'script'", "trusted-types 'none'"];
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': [...policy, ...own, ...types].join('; ') });
    response.end(`<!doctype html><html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}"><head><title>A shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${where === 'body' ? '' : tag}</head>
<body><main><h1>A shop</h1><a href="#more">More</a></main>${where === 'head' ? '' : tag}</body></html>`);
  });
  website.listen(0, '127.0.0.1');
  await once(website, 'listening');
  t.teardown(() => {
    website.closeAllConnections();
    website.close();
  });
  const origin = `http://127.0.0.1:${(website.address() as AddressInfo).port}`;
  const sandbox = await startSandbox({ seed: 'empty', console: false, logLevel: 'error', ...options });
  const test: WebchatUnderTest & { number: string } = {
    sandbox,
    number: '',
    admin: (method, path, payload) => {
      const { api, admin } = test.sandbox;
      return adminSend({ pid: process.pid, startedAt: '', api, admin }, method as 'POST', path, payload as never);
    },
    page: (attributes = '', { lang = 'en', where = 'body' } = {}) => `${origin}/?${new URLSearchParams({ attributes, lang, where })}`,
  };
  t.teardown(() => test.sandbox.stop());
  const settings = { key: 'library', name: 'Riverside Library', origins: [origin], texts: { ar: ARABIC }, identity_secret: SECRET };
  const { connection } = await test.admin('POST', '/connections', { type: 'webchat', settings });
  test.number = connection.number.uuid;
  const journey = { uuid: undefined, number: test.number, name: 'Library', notebook: NOTEBOOK, triggers: undefined as never };
  await sandbox.platform.store.transaction((tx) => publishJourney(sandbox.platform, tx, journey));
  return test;
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of scripts and lines that the console of the browser shows as errors. */
  readonly failures: string[];
  readonly requests: string[];
  /** Opens the page in another tab of the same browser. */
  tab(): Promise<Page>;
}

/** Opens a page with the widget in a browser of its own, which keeps nothing of other tests. */
export async function visit(t: Tap, url: string, { scheme = 'light', width = 1_000, height = 760 }: PageOptions = {}): Promise<Visitor> {
  const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: 'reduce' });
  t.teardown(() => context.close());
  const failures: string[] = [];
  const requests: string[] = [];
  const tab = async (): Promise<Page> => {
    const page = await context.newPage();
    page.setDefaultTimeout(patient(15_000));
    page.on('pageerror', ({ message }) => failures.push(message));
    page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    await launcher(page).waitFor();
    return page;
  };
  return { context, page: await tab(), failures, requests, tab };
}

export const launcher = (page: Page) => page.locator('posthorn-chat button.launcher');
export const input = (page: Page) => page.locator('posthorn-chat textarea');
/** The bubbles of a side that show a text. */
export const bubble = (page: Page, side: 'in' | 'out', text: string) =>
  page.locator(`posthorn-chat article.${side}`).filter({ hasText: text });

/** Whether an element in the chat has the focus. */
export const isFocused = (element: Locator): Promise<boolean> =>
  element.evaluate((one) => (one as { matches(selector: string): boolean }).matches(':focus'));

export async function openChat(page: Page): Promise<void> {
  await launcher(page).click();
  await input(page).waitFor();
}

export async function write(page: Page, text: string): Promise<void> {
  await input(page).fill(text);
  await page.keyboard.press('Enter');
}

/** The messages that the number has stored, oldest first, as `in hello`. */
export async function storedTexts({ admin, number }: WebchatUnderTest): Promise<string[]> {
  const { conversations } = await admin('GET', `/numbers/${number}/conversations`);
  const all = await Promise.all(
    conversations.map(({ uuid }: { uuid: string }) => admin('GET', `/conversations/${uuid}/messages?limit=100`)),
  );
  return all.flatMap(({ messages }) => messages.map(inWords).reverse());
}

// biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a response
const inWords = ({ direction, content, type }: any): string =>
  `${direction === 'inbound' ? 'in' : 'out'} ${content[type]?.body?.text ?? content[type]?.body ?? type}`;
