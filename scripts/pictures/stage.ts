import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import type { Sandbox } from '../../sandbox/compose.js';

// biome-ignore lint/suspicious/noExplicitAny: a script looks at a few fields of responses
export type Json = any;

/** The subject of the pictures: a sandbox, a browser that is signed in to its console, and a receiver of webhooks. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly page: Page;
  readonly debug: CDPSession;
  /** The local number of the library. */
  readonly number: string;
  readonly receiver: Receiver;
  get(path: string): Promise<Json>;
  post(path: string, body: object): Promise<Json>;
  put(path: string, body: object): Promise<Json>;
  /** Opens a page of the console, such as `deliveries`. */
  open(path: string): Promise<void>;
  /** Takes a picture of the page as it is. */
  take(name: string): Promise<void>;
}

export interface Receiver {
  readonly url: string;
  /** Whether it responds 500 to webhooks. */
  isDown: boolean;
  /** How long it takes to respond. */
  delayMs: number;
  /** Files that it has, by their paths. */
  readonly files: Map<string, Uint8Array>;
}

/** Asks until there is a result. @throws Error after ten seconds */
export async function until<T>(what: string, ask: () => Promise<readonly T[]>): Promise<readonly T[]> {
  for (let n = 0; n < 100; n++) {
    const found = await ask();
    if (found.length > 0) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`${what} did not appear within ten seconds`);
}

const SIZES = [
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['light', 390, 844],
] as const;

/** Takes a picture of a page, and with a folder for reviewers also in both themes and on a phone. @returns its size in bytes */
export async function capture(
  { page, debug }: Pick<Stage, 'page' | 'debug'>,
  folder: string,
  name: string,
  review?: string,
): Promise<number> {
  // Responses of the newest call, and the positions that follow from them.
  await page.waitForTimeout(1_500);
  const { data } = await debug.send('Page.captureScreenshot', { format: 'webp', quality: 62 });
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(folder, `${name}.webp`), bytes);
  if (review !== undefined) await captureForReview(page, join(review, name));
  return bytes.length;
}

async function captureForReview(page: Page, path: string): Promise<void> {
  const before = page.viewportSize()!;
  for (const [colorScheme, width, height] of SIZES) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(600);
    await page.screenshot({ path: `${path}-${colorScheme}-${width}.png` });
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
}
