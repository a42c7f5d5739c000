import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { Parser } from 'tap-parser';
import { isLong, stride } from '../forms.js';

const tests = new URL('../plugins/', import.meta.url);
const withoutHooks = new URL('../../../scripts/tap-without-hooks.mjs', import.meta.url);

const inFolder = (folder: string) =>
  readdirSync(new URL(`${folder}/`, tests)).flatMap((name) => (name.endsWith('.test.js') ? [`${folder}/${name}`] : []));

/**
 * Files of the tests of messages, statuses, media, templates, webhooks and flows. `network/network.test.ts` and `flows/conversation.test.ts`
 * are not among them: they test the routes with which the local network plays a phone. Neither are tests of channels, nor those of how
 * the API reads multipart bodies: both end before a message or a flow leaves the platform.
 */
const all = [
  ...inFolder('messages').filter((file) => !file.endsWith('/send-on-channel.test.js')),
  ...['advice', 'inbound', 'signatures', 'subscriptions'].map((name) => `network/${name}.test.js`),
  ...['api', 'life-cycle', 'list'].map((name) => `flows/${name}.test.js`),
];

/** The short form runs one file. */
const files = isLong ? all : all.filter((file) => file.startsWith('messages/send.'));

/** The tests that differ over the Cloud API, and why. The page of the plugin lists the reasons. */
const differences: Readonly<Record<string, string>> = {
  'webhooks receive a text, key for key': 'the id of an inbound message is that of the network, of any length',
  'webhooks receive media of every type with file, id, link, mime_type and sha256': 'a received file is a new media file of the platform',
  'file is a path on the application, below the prefix that it is mounted under': 'a received file is a new media file of the platform',
  'media in a conversation have a link that works': 'a received file is a new media file of the platform',
  'a tapped option has the id that was sent, and names the message that offered it':
    'the local network completes what a test phone leaves out',
  'a completed form returns with the token it was sent with': 'the local network completes what a test phone leaves out',
  'a phone keeps its profile name, whatever name the contact has here': 'the local network has routes for a test phone',
  'the same message twice is one message': 'the local network has routes for a test phone',
  'a phone can refer only to existing messages and media': 'the local network has routes for a test phone',
  'the definition can be downloaded without a token, with type and ETag, until the URL expires': 'the download URL is that of the network',
  'the admin API throttles, blocks and restores published flows': 'the network sets these statuses',
  'the status of a flow and the mode of the message decide whether it can be sent': 'the network decides whether a flow can be sent',
  'an unknown flow, or a flow of another account, cannot be sent': 'the network decides whether a flow can be sent',
  'a throttled flow can be sent ten times within any hour': 'the network decides whether a flow can be sent',
  'sending undeclared data, or a screen that is not an entry screen, issues advice': 'the platform does not store the flow JSON',
};

t.test('the tests of the API pass with a number on the Cloud API, except those of known differences', async (t) => {
  const code = files.map((file) => `await import(${JSON.stringify(new URL(file, tests).href)});`).join('\n');
  const child = spawn(process.execPath, ['--import', withoutHooks.href, '--input-type=module', '-e', code], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { ...process.env, POSTHORN_CARRIER: 'cloud', TAP_TIMEOUT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const results = new Map<string, boolean>();
  const parser = new Parser();
  parser.on('assert', ({ name, ok }: { name: string; ok: boolean }) => results.set(name.replace(/ # time=.*$/, ''), ok));
  child.stdout.pipe(parser as unknown as NodeJS.WritableStream);
  await new Promise((resolve) => parser.on('complete', resolve));
  const failed = [...results].flatMap(([name, ok]) => (ok ? [] : [name]));
  t.strictSame(
    failed.sort(),
    Object.keys(differences)
      .filter((name) => isLong || results.has(name))
      .sort(),
  );
  t.ok(results.size > 130 / stride(20), `${results.size} tests ran`);
});
