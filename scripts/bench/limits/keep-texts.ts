// Sends texts of contacts to a platform with a journey and a webhook, and prints their memory and disk: node --expose-gc keep-texts.js <name>
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import type { HttpClient } from '#core/ports';
import { RecordingLogger } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys, journeysService } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { journeyOf } from '../../release-data/definitions.js';
import { admin } from '../measuring/admin.js';
import { bytesOf } from '../store/engines.js';
import { type Kept, type Texts, texts } from './texts.js';

const { count, length, isAnswer, contacts, kept }: Texts = texts[process.argv[2] as keyof typeof texts];
const CALLERS = 8;
const QUIET_MS = 1_500;
/** Contacts that write before the measurement, as a warm-up. */
const WARMING = 100;

let sent = 0;
const receivers: HttpClient = {
  async send() {
    const body = Buffer.from(JSON.stringify({ messages: [{ id: `out-${++sent}` }] }));
    return { kind: 'response', status: 200, headers: {}, body, cut: false, elapsedMs: 1 };
  },
  stop: async () => undefined,
};
const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
const platform = createPlatform({
  dataDir: folder,
  plugins: [channels(), webhooks(), journeys()],
  rateLimits: false,
  admin,
  deliveries: { ...(kept !== undefined && { kept }) },
  ports: { log: new RecordingLogger(), http: receivers },
});
const server = Hapi.server({ host: '127.0.0.1', port: 0 });
await server.register(platform.hapiPlugin);
await server.start();

const asks = journeyOf(
  [
    { name: 'first', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'first' } },
    { name: 'second', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'second' }, to: 'second' },
  ],
  { first: 'How are you?', second: 'And now?' },
);
const { number, token } = await platform.store.transaction(async (tx) => {
  const { uuid } = platform.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web:1', name: 'Web' });
  const hook = { number: uuid, name: 'Hook', url: 'https://receiver.test/' };
  platform.webhooks.create(tx, { ...hook, subscriptions: ['network'] });
  platform.webhooks.create(tx, { ...hook, url: 'https://connector.test/', subscriptions: ['channel'] });
  const { journey } = await platform
    .service(journeysService)
    .put(tx, { number: uuid, name: 'Asks', definition: asks, triggers: [{ on: 'message' }] });
  await platform.service(journeysService).publish(tx, journey.uuid, 'production');
  return { number: uuid, token: platform.tokens.issue(tx, uuid, 'bench').text };
});

const filler = 'The quick brown fox jumps over the lazy dog. ';
let said = 0;
async function say(from: string, characters: number): Promise<void> {
  const text = `${++said} ${filler.repeat(Math.ceil(characters / filler.length))}`.slice(0, characters);
  const payload = {
    contact: { id: from, profile: { name: 'Ann' } },
    message: { type: 'text', from, id: `in-${said}`, timestamp: '1767600000', text: { body: text } },
  };
  const url = `/v1/numbers/${number}/messages`;
  const answer = await server.inject({ method: 'POST', url, headers: { authorization: `Bearer ${token}` }, payload });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.payload}`);
}

async function allOf(contactsOf: readonly string[], characters: number): Promise<void> {
  const left = contactsOf.values();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const from of left) await say(from, characters);
    }),
  );
  for (let before = -1; before !== sent; ) {
    before = sent;
    await sleep(QUIET_MS);
  }
}

async function heapUsed(): Promise<number> {
  globalThis.gc!();
  await sleep(50);
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const phone = (n: number): string => `+2782${String(n).padStart(7, '0')}`;
const all = Array.from({ length: count }, (_, n) => phone(contacts === 'one' ? 0 : n));
await allOf(
  Array.from({ length: WARMING }, (_, n) => phone(9_000_000 + n)),
  100,
);
if (isAnswer) await allOf([...new Set(all)], 2);
const [heap, disk] = [await heapUsed(), bytesOf(folder, '')];
await allOf(all, length);
const running: Omit<Kept, 'diskStopped'> = { heap: (await heapUsed()) - heap, diskRunning: bytesOf(folder, '') - disk };
await server.stop();
console.log(JSON.stringify({ ...running, diskStopped: bytesOf(folder, '') - disk }));
rmSync(folder, { recursive: true });
process.exit();
