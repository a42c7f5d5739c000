import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tap } from '#core/testing';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import type { ConsoleUnderTest } from './console.js';
import type { Filled } from './console-pages.js';
import { eventually } from './inboxes.js';

const MB = 1024 * 1024;

/** Texts that break pages that trust them. Each markup sets `__pwned` if it runs. */
export const hostileTexts: Readonly<Record<string, string>> = {
  script: '<script>globalThis.__pwned = 1</script>',
  image: '<img src=x onerror="globalThis.__pwned = 2">"><svg onload="globalThis.__pwned = 3">',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: templates must not be filled in
  template: '{{constructor.constructor("globalThis.__pwned = 4")()}} ${globalThis.__pwned = 5} <%= __pwned %>',
  url: 'javascript:globalThis.__pwned=6 [x](javascript:__pwned) https://example.test/"onmouseover="__pwned=7',
  bidi: 'abc \u202e\u2066desrever \u200f\u061c \u202d\u2069 العربية עברית',
  controls: '\u0001\u0007\u001b[31mred\u001b[0m\u0085\u2028\u2029\ufeff\u00ad',
  surrogates: '\ud83d\ude00\u{10ffff} e\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308 \u0e49\u0e49\u0e49\u0e49',
  zalgo: `z${'\u0335\u0348\u0353'.repeat(400)}`,
  family: '👩‍👩‍👧‍👦'.repeat(200),
  word: 'w'.repeat(20_000),
  lines: 'line\n'.repeat(2_000),
  keys: '__proto__ constructor toString hasOwnProperty',
};

/** A journey whose cards and choices have a text as their names. */
const hostileJourney = (text: string) =>
  containerOf({
    texts: { ask: text, say: text },
    blocks: [
      { name: 'ask', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'ask' }, ...carded(text) },
      { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'say' }, ...carded(`2 ${text}`) },
    ],
  });

const carded = (card: string) => ({ vendor_metadata: { svc: { card } } });

/** The responses of each receiver to its first and to its second request. */
const hostileResponses = (): Readonly<Record<string, readonly (string | Buffer)[]>> => ({
  '/long': [hostileTexts.script!.repeat(MB / 40), 'line\n'.repeat(10_000)],
  '/bytes': [Buffer.from(Array.from({ length: 100_000 }, (_, i) => 128 + (i % 128))), JSON.stringify(hostileTable())],
});

const hostileTable = () => Array.from({ length: 10_000 }, (_, i) => ({ id: i, name: `row ${i}`, html: hostileTexts.image }));

/** Creates webhooks whose receivers fail with hostile responses, and lets a contact write. @returns their deliveries, after two attempts each */
async function deliverToHostileReceivers(t: Tap, { admin, sandbox }: ConsoleUnderTest, number: string, write: () => Promise<unknown>) {
  const responses = hostileResponses();
  const requests = new Map<string, number>();
  const server = createServer((request, response) => {
    const path = request.url!;
    const count = requests.get(path) ?? 0;
    requests.set(path, count + 1);
    response.setHeader('x-html', hostileTexts.image!).setHeader('x-word', 'w'.repeat(4_000));
    response.writeHead(500, { 'content-type': 'text/html' }).end(responses[path]![count % 2]);
  });
  server.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const webhooks: string[] = [];
  for (const path of Object.keys(responses)) {
    const payload = { number, name: path, url: `http://127.0.0.1:${port}${path}`, subscriptions: ['msgapp'] };
    webhooks.push((await admin('POST', '/webhooks', payload)).webhook.uuid);
  }
  await write();
  const deliveries: { uuid: string; attempts: number }[] = [];
  for (const attempts of [1, 2]) {
    await eventually(async () => {
      const found = await Promise.all(webhooks.map(async (uuid) => (await admin('GET', `/deliveries?webhook=${uuid}`)).deliveries));
      deliveries.splice(0, deliveries.length, ...found.flat());
      return deliveries.length === webhooks.length && deliveries.every((one) => one.attempts >= attempts);
    });
    if (attempts === 1) await sandbox.clock.advance(25_000);
  }
  return { webhooks, deliveries: deliveries.map(({ uuid }) => uuid) };
}

/** Fills a sandbox with a channel with texts, bodies and tables that are large or written to break pages. */
export async function fillWithHostileContent(t: Tap, console: ConsoleUnderTest): Promise<Filled> {
  const { sandbox, admin } = console;
  const { uuid: number, token } = sandbox.numbers.find(({ kind }) => kind === 'channel')!;
  const post = async (path: string, body: string | Uint8Array): Promise<string> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${sandbox.api}${path}`, { method: 'POST', headers, body });
    await response.text();
    return response.headers.get('x-request-id')!;
  };
  const inbound = `/v1/numbers/${number}/messages`;
  const calls: string[] = [];
  let contact = 0;
  for (const [name, text] of Object.entries(hostileTexts)) {
    const id = `+278200${10_000 + contact++}`;
    const message = { type: 'text', from: id, id: `hostile-${name}`, timestamp: '1767600000', text: { body: text.slice(0, 4_000) } };
    await post(inbound, JSON.stringify({ contact: { id, profile: { name: text.slice(0, 200) } }, message }));
    // The same id with another text is advice.
    await post(
      inbound,
      JSON.stringify({ contact: { id, profile: { name: 'A' } }, message: { ...message, text: { body: `other ${text}`.slice(0, 300) } } }),
    );
    await admin('POST', '/webhooks', {
      ...{ number, name: text.slice(0, 100), url: `http://127.0.0.1:9/${encodeURIComponent([...text].slice(0, 100).join(''))}` },
      subscriptions: ['msgapp'],
    }).catch(() => {
      // Some texts are refused as names; the others remain.
    });
    calls.push(await post('/v1/messages', JSON.stringify({ to: text, type: text, [text.slice(0, 500)]: { body: text } })));
  }
  calls.push(
    // Bodies of 1 MB, of one line and of many.
    await post('/v1/messages', JSON.stringify({ to: '1', type: 'text', text: { body: 'x'.repeat(MB) } })),
    await post('/v1/messages', JSON.stringify({ rows: hostileTable() }, undefined, 1)),
    // Below the size at which recorded bodies are cut: thousands of rows, and marks in the last one.
    await post('/v1/messages', `[${'1,'.repeat(30_000)}1]`),
    await post('/v1/messages', `{"to": "1", "type": "text", "text": [${'\n0,'.repeat(10_000)}\n0}`),
    // Invalid UTF-8, deep nesting, and text that is not JSON.
    await post(
      '/v1/messages',
      Buffer.concat([Buffer.from('{"to": "'), Buffer.from([0xc3, 0x28, 0xff, 0xfe, 0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ),
    await post('/v1/messages', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    await post('/v1/messages', hostileTexts.script!),
    await post(`/v1/${encodeURIComponent(hostileTexts.image!)}?x=${encodeURIComponent(hostileTexts.script!)}`, '{}'),
  );
  for (const [name, text] of Object.entries(hostileTexts)) {
    const component = { type: text, name: text, text, [text]: text };
    const definition = JSON.stringify({ version: '7.3', screens: [{ id: 'ONE', title: text, layout: { children: [component] } }] });
    await admin('POST', '/flows', { account: text.slice(0, 200), name: `${name} ${text.slice(0, 150)}`, definition });
  }
  const { conversations } = await admin('GET', `/numbers/${number}/conversations`);
  const uuids = conversations.map(({ uuid }: { uuid: string }) => uuid);
  const messages: string[] = [];
  for (const uuid of uuids.slice(0, 6)) messages.push((await admin('GET', `/conversations/${uuid}`)).messages[0].uuid);
  const journeys: string[] = [];
  for (const [i, text] of [hostileTexts.script!, hostileTexts.image!, `${hostileTexts.bidi}${hostileTexts.zalgo}`].entries()) {
    const uuid = `00000000-0000-4000-8000-00000000000${i}`;
    await admin('PUT', `/journeys/${uuid}`, {
      ...{
        number,
        name: text.slice(0, 256),
        definition: hostileJourney(text),
        triggers: [{ on: 'message', words: [text.slice(0, 5_000)] }],
      },
    });
    journeys.push(uuid);
  }
  const last = { type: 'text', from: '+27820099999', id: 'last', timestamp: '1767600000', text: { body: hostileTexts.script } };
  const { webhooks, deliveries } = await deliverToHostileReceivers(t, console, number, () =>
    post(inbound, JSON.stringify({ contact: { id: last.from, profile: { name: 'A' } }, message: last })),
  );
  const { advice } = await admin('GET', '/advice');
  const ids = advice.map(({ id }: { id: string }) => id);
  return { calls, messages, conversations: uuids, advice: ids, number, journeys, webhooks, deliveries };
}
