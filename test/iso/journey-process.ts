// Runs a journey until it ends, or until the step at which the process kills itself: `node journey-process.js <folder> [step]`.
// Prints the texts of the conversation and the state of its session as JSON.
import { writeSync } from 'node:fs';
import Hapi from '@hapi/hapi';
import { createPlatform, type HttpOutcome } from '#core';
import type { HttpClient } from '#core/ports';
import { InlinePool, RecordingLogger } from '#core/testing';
import { patient } from '../../core/testing/slowness.js';
import { channels } from '../../plugins/channels/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { sessions } from '../../plugins/journeys/records.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';

const ADMIN_KEY = 'admin-key-of-the-journey-process';
const [folder = '', last = 'never'] = process.argv.slice(2);

/** Kills the process before the given step, without any clean-up. */
class DeadlyPool extends InlinePool {
  private steps = 0;

  override run: InlinePool['run'] = (type, input) => {
    if (type.name === 'journey.step' && ++this.steps === Number(last)) process.kill(process.pid, 'SIGKILL');
    return super.run(type, input);
  };
}

/** A connector that accepts everything, and a shop. */
const http: HttpClient = {
  async send({ url, body }): Promise<HttpOutcome> {
    const answer = url.startsWith('https://shop.test')
      ? { state: 'ready' }
      : { messages: [{ id: `out-${String(body).length}-${process.hrtime()}` }] };
    const bytes = new TextEncoder().encode(JSON.stringify(answer));
    return { kind: 'response', status: 200, headers: { 'content-type': 'application/json' }, body: bytes, cut: false, elapsedMs: 1 };
  },
  stop: async () => undefined,
};

const platform = createPlatform({
  admin: { key: ADMIN_KEY },
  rateLimits: false,
  dataDir: folder,
  publicUrl: 'http://posthorn.test',
  plugins: [channels(), webhooks(), journeys()],
  ports: { http, workers: new DeadlyPool(), log: new RecordingLogger() },
});
const server = Hapi.server();
await server.register(platform.hapiPlugin);
await server.initialize();

async function call(method: string, url: string, payload?: object, token = ADMIN_KEY) {
  const { statusCode, payload: body } = await server.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  });
  if (statusCode >= 300) throw new Error(`${method} ${url}: ${statusCode} ${body}`);
  return JSON.parse(body);
}

async function madeChannel(): Promise<{ uuid: string; token: string }> {
  const numbers = await platform.numbers.list();
  const made = numbers.find(({ kind }) => kind === 'channel');
  if (made) return { uuid: made.uuid, token: (await call('POST', `/admin/v1/numbers/${made.uuid}/tokens`, { name: 'again' })).text };
  const { number } = await call('POST', '/admin/v1/numbers', { kind: 'network', address: '+27110000000', name: 'Head office' });
  const { text: maker } = await call('POST', `/admin/v1/numbers/${number.uuid}/tokens`, { name: 'maker' });
  const about = {
    backend_type: 'channel',
    number_type: 'channel_http_api',
    from_addr: 'shop',
    name: 'Shop',
    endpoint: 'https://connector.test/hook',
  };
  const channel = (await call('POST', '/v1/numbers', about, maker)).number.uuid;
  const definition = containerOf({
    texts: { q: 'What is your name?', r: '@who: your order is @order.json.state' },
    blocks: [
      { name: 'who', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } },
      { name: 'order', type: 'Svc.Http', config: { url: 'https://shop.test/order' } },
      { name: 'answer', type: 'MobilePrimitives.Message', config: { prompt: 'r' } },
    ],
  });
  const journey = platform.ids.uuid();
  await call('PUT', `/admin/v1/journeys/${journey}`, {
    number: channel,
    name: 'Order',
    definition,
    triggers: [{ on: 'message', words: ['hi'] }],
  });
  await call('POST', `/admin/v1/journeys/${journey}/publish`, { revision: 'production' });
  return { uuid: channel, token: (await call('POST', `/admin/v1/numbers/${channel}/tokens`, { name: 'first' })).text };
}

const { uuid, token } = await madeChannel();

/** Resolves when the conversation has this many messages. */
async function received(count: number): Promise<string[]> {
  for (const until = Date.now() + patient(10_000); ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const [conversation] = await platform.conversations.list(uuid, 1);
    const found = conversation ? await platform.conversations.newest(conversation.uuid, 100) : [];
    const texts = found.reverse().map(({ direction, content }) => `${direction}: ${(content.text as { body: string }).body}`);
    if (texts.length >= count || Date.now() > until) return texts;
  }
}

for (const [i, text] of ['hi', 'Ann'].entries()) {
  const message = { type: 'text', from: '+1', id: `in-${i}`, timestamp: '1767600000', text: { body: text } };
  await call('POST', `/v1/numbers/${uuid}/messages`, { contact: { id: '+1', profile: { name: 'Ann' } }, message }, token);
  await received(2 * (i + 1));
}
// A repeated answer would have arrived by now.
await new Promise((resolve) => setTimeout(resolve, 200));
const stored = await platform.store.open(sessions).list();
writeSync(1, JSON.stringify({ texts: await received(4), sessions: stored.map(({ state, turns }) => ({ state, turns })) }));
await server.stop();
