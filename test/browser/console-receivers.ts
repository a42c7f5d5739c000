import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { violationsInBothThemes } from './browser.js';
import { type ConsoleUnderTest, startConsole } from './console.js';

export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type Respond = (request: Received, n: number) => { readonly status: number; readonly body?: string; readonly afterMs?: number };

/** A program that receives webhooks, and can be stopped and started on the same port. */
export async function startReceiver(t: Tap, respond: Respond = () => ({ status: 200 })) {
  const received: Received[] = [];
  let current = respond;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks) };
      received.push(one);
      const { status, body = '{"ok":true}', afterMs = 0 } = current(one, received.length);
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json', 'X-Receiver': 'shop' });
        response.end(body);
      }, afterMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    respond(next: Respond) {
      current = next;
    },
  };
}

/** A sandbox with one number, and optionally a webhook. */
export async function startWithNumber(t: Tap, url?: string) {
  const box = await startConsole(t, {
    seed: {
      numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }],
      ...(url !== undefined && { webhooks: [{ number: '+27600000001', url, name: 'Orders', subscriptions: ['msgapp'] }] }),
    },
  });
  const number = box.sandbox.numbers[0]!.uuid;
  const webhook = box.sandbox.webhooks[0];
  return {
    ...box,
    number,
    webhook,
    write: (body: string, from = '27820001001') =>
      box.admin('POST', `/network/numbers/${number}/messages`, { from, type: 'text', text: { body } }),
    /** The newest delivery, when it has made so many attempts. */
    async delivery(attempts = 1) {
      return until(async () => {
        const [delivery] = (await box.admin('GET', '/deliveries?limit=1')).deliveries;
        return delivery?.attempts >= attempts && delivery.state !== 'sending' ? delivery : undefined;
      });
    },
  };
}

export async function until<T>(read: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = Date.now() + patient(15_000);
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > end) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether a page is wider than its window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate(
    'document.documentElement.scrollWidth > innerWidth || document.querySelector("#page").scrollWidth > document.querySelector("#page").clientWidth',
  );

/** Checks the state of a page in both themes and at both widths. */
export async function checkLook(t: Tap, page: Page, what: string, widths: readonly number[] = [430, 1280]): Promise<void> {
  t.strictSame(await violationsInBothThemes(page), [], `axe: ${what}`);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    // An open menu moves in the frame after the resize.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    t.notOk(await overflows(page), `${what} fits ${width} pixels`);
  }
}

export const opened = (box: ConsoleUnderTest, t: Tap, path: string) => box.open(t, path, { width: 1280 });
