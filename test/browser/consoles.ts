import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { signInUrl } from '../../sandbox/client/console.js';
import { type Sandbox, type SandboxOptions, type Seed, startSandbox } from '../../sandbox/compose.js';
import { browser } from './browser.js';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const newSignInUrl = ({ api, admin }: Sandbox): Promise<string> => signInUrl({ pid: 0, startedAt: '', api, admin });

interface Received {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly hasCookie: boolean;
  /** The header `Sec-Fetch-Site`, such as `same-origin`. */
  readonly site: string | undefined;
  readonly range: string | undefined;
}

/** A sandbox with one number, and the requests that it received. */
export async function start(t: Tap, options: SandboxOptions = {}) {
  const seed: Seed = { numbers: [{ kind: 'network', address: '+27600000001', name: 'Shop' }] };
  const sandbox = await startSandbox({ seed, ...options });
  t.teardown(() => sandbox.stop());
  const received: Received[] = [];
  sandbox.server.events.on('response', ({ method, raw, response, headers }) => {
    const status = 'statusCode' in response ? response.statusCode : 500;
    const one = (name: string) => headers[name] as string | undefined;
    const hasCookie = /posthorn_console_/.test(String(headers.cookie));
    received.push({ method, url: raw.req.url ?? '', status, hasCookie, site: one('sec-fetch-site'), range: one('range') });
  });
  const put = async (mimeType: string, bytes: Buffer): Promise<string> => {
    const { id } = await sandbox.platform.media.put(sandbox.numbers[0]!.uuid, bytes, { mimeType });
    return `${sandbox.api}/admin/v1/console/media/${id}`;
  };
  return { sandbox, received, put };
}

/** A browser without cookies, and everything that it receives or complains about. */
export async function newBrowser(t: Tap) {
  const context = await (await browser()).newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patient(15_000));
  const failures: string[] = [];
  const hosts = new Set<string>();
  const bodies: Promise<string>[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
  page.on('dialog', (dialog) => {
    failures.push(`a script ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.exposeFunction('violated', (directive: string) => failures.push(`violates ${directive}`));
  await page.addInitScript("addEventListener('securitypolicyviolation', (event) => violated(event.violatedDirective))");
  context.on('request', (sent) => /^(https?|wss?):/.test(sent.url()) && hosts.add(new URL(sent.url()).hostname));
  context.on('response', (response) => {
    // Redirects and streams have no body that a test can read.
    const body = response.text().catch(() => '');
    const headers = response.allHeaders().catch(() => ({}));
    if (!response.url().endsWith('/events')) bodies.push(body);
    bodies.push(headers.then((all) => JSON.stringify(all)));
  });
  return { context, page, failures, hosts, received: async () => (await Promise.all(bodies)).join('\n') };
}

/** Waits until the page has read from the admin API. Call it before what loads the page. */
export const reads = (page: Page) => page.waitForResponse((one) => one.url().includes('/admin/v1/') && one.status() === 200);

/** Signs a browser in, and waits until its page has read from the admin API. */
export async function signedIn(t: Tap, sandbox: Sandbox) {
  const own = await newBrowser(t);
  const url = await newSignInUrl(sandbox);
  await Promise.all([reads(own.page), own.page.goto(url)]);
  return { ...own, url, code: new URL(url).searchParams.get('code')! };
}

/** Calls the admin API as the console does. */
export const call = (page: Page, path: string, init: object = {}) =>
  page.evaluate<{ status: number; text: string }>(
    `fetch(${JSON.stringify(`../admin/v1${path}`)}, ${JSON.stringify(init)}).then(async (r) => ({ status: r.status, text: await r.text() }))`,
  );

/** A page of another server on this machine. */
export async function otherPort(t: Tap): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
