import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Tap } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import type { SandboxOptions } from '../../sandbox/compose.js';
import { newFolder, run } from '../iso/posthorn-process.js';
import { type ConsoleUnderTest, startConsole } from './console.js';

export interface TestConnector {
  readonly url: string;
  /** The bodies that it received. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a body
  readonly received: any[];
  /** The status of its next responses; 200 returns ids `out-1`, `out-2` and so on. */
  status: number;
}

/** A connector that accepts or refuses what it receives. */
export async function startConnector(t: Tap): Promise<TestConnector> {
  const received: unknown[] = [];
  const connector = { url: '', received, status: 200 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    const body = connector.status === 200 ? { messages: [{ id: `out-${received.length}` }] } : { error: 'the signature is wrong' };
    response.writeHead(connector.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  connector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return connector;
}

/** A console with a channel, whose connector the test controls, and a number of the network. */
export async function startInbox(t: Tap, options: SandboxOptions = {}) {
  const connector = await startConnector(t);
  const test = await startConsole(t, {
    seed: {
      numbers: [{ kind: 'network', address: '+27600000001', name: 'Library', account: 'account-1' }],
      channels: [{ from_addr: 'web:library', name: 'Library on the web', endpoint: connector.url }],
    },
    logLevel: 'error',
    ...options,
  });
  const { admin } = test;
  const { numbers } = await admin('GET', '/numbers');
  const [network, channel] = ['network', 'channel'].map((kind) => numbers.find((number: { kind: string }) => number.kind === kind));
  let written = 0;
  return {
    ...test,
    connector,
    network,
    channel,
    /** A contact of the number of the network writes. @returns the conversation */
    async write(text: string, from = '+27820001001', name = 'Ann'): Promise<string> {
      const payload = { from, name, type: 'text', text: { body: text } };
      return (await admin('POST', `/network/numbers/${network.uuid}/messages`, payload)).message.conversation;
    },
    /** A contact of the channel writes. @returns the conversation */
    async writeToChannel(text: string, from = 'web-1', name = 'Ben'): Promise<string> {
      const message = { type: 'text', from, id: `in-${++written}`, timestamp: '1767600000', text: { body: text } };
      await admin('POST', `/channels/${channel.uuid}/messages`, { contact: { id: from, profile: { name } }, message });
      return (await admin('GET', `/messages/in-${written}`)).message.conversation;
    },
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of a message
    messagesOf: async (conversation: string): Promise<any[]> => (await admin('GET', `/conversations/${conversation}`)).messages,
  };
}

export const phoneOf = (page: Page, name: string) => page.getByRole('region', { name: `Phone of ${name}`, exact: true });
export const deskOf = (page: Page) => page.getByRole('region', { name: 'Desk', exact: true });

/** Whether the page is wider than its window. */
export const overflows = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** Repeats a read until it is true. */
export async function eventually(read: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + patient(10_000);
  while (!(await read())) {
    if (Date.now() > until) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const main = join(import.meta.dirname, '..', '..', 'sandbox', 'main.js');

/**
 * Lets a page copy, and runs what it copied in a shell, beside some files.
 * @returns `copied`, which chooses an item of the open menu, and `runs`, which does so with the command and returns its output
 */
export function copying(t: Tap, page: Page, { sandbox }: Pick<ConsoleUnderTest, 'sandbox'>, files: Readonly<Record<string, Buffer>> = {}) {
  const folder = newFolder(t);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const { api, admin, phone } = sandbox;
  writeRunFile(folder, { pid: process.pid, startedAt: new Date().toISOString(), api, admin, phone });
  const copied = async (item: string): Promise<string> => {
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }');
    await page.getByRole('menuitem', { name: item }).click();
    return page.evaluate<string>('copied');
  };
  return {
    copied,
    async runs(): Promise<{ command: string; code: number | string; out: string }> {
      const command = await copied('Command line');
      const { ended, out, err } = run(
        t,
        // On a busy machine, `send` needs longer than it waits by default.
        ['-c', `npx() { shift; if [ "$1" = send ]; then set -- "$@" --wait ${patient(10)}; fi; "$NODE" "$MAIN" "$@"; }; ${command}`],
        folder,
        { NODE: process.execPath, MAIN: main },
        'sh',
      );
      return { command, code: await ended, out: `${out()}${err()}` };
    },
  };
}
