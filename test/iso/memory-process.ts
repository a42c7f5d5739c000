// A platform with all plugins in its own process, for tests of its memory: node memory-process.js <folder> <state file>
// Deliveries are not sent; the connector assigns an id to every message. Prints one line of JSON: its address, or why it does not start.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Hapi from '@hapi/hapi';
import { createPlatform } from '#core';
import type { HttpClient } from '#core/ports';
import { ADMIN_KEY, RecordingLogger } from '#core/testing';
import { channels } from '../../plugins/channels/plugin.js';
import { flows } from '../../plugins/flows/plugin.js';
import { integration } from '../../plugins/integration/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { network } from '../../plugins/network/plugin.js';
import { simulation } from '../../plugins/simulation/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';

const [dataDir, stateFile] = process.argv.slice(2) as [string, string];

/** The ids and tokens that the attacker uses. */
export interface MemoryState {
  readonly network: string;
  readonly networkToken: string;
  readonly channel: string;
  readonly token: string;
  readonly journey: string;
}

const named = new Map<string, number>();
const connector: HttpClient = {
  async send({ url, body: sent }) {
    // Endpoints of webhooks that are created later are unreachable, so their deliveries await retries.
    if (url.includes('owner-')) return { kind: 'unreachable', permanent: false, code: 'ECONNREFUSED', reason: 'refused', elapsedMs: 1 };
    // Ids count the messages to each contact: the first to Ann is `out-<pid>-<Ann>-1`.
    const to = /"to":"([^"]+)"/.exec(String(sent))?.[1] ?? '';
    named.set(to, (named.get(to) ?? 0) + 1);
    const body = Buffer.from(JSON.stringify({ messages: [{ id: `out-${process.pid}-${to}-${named.get(to)}` }] }));
    return { kind: 'response', status: 200, headers: { 'x-served-by': 'a'.repeat(2_000) }, body, cut: false, elapsedMs: 1 };
  },
  stop: async () => undefined,
};

/** A journey that asks in a loop and stores every answer. */
const journey = containerOf({
  texts: { next: 'Next?', again: 'You said a lot' },
  blocks: [
    { name: 'next', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'next' } },
    {
      name: 'add',
      type: 'Svc.SetVariable',
      config: { assignments: [{ name: 'all', value: 'if(is_nil_or_empty(all), [next], append(all, next))' }] },
    },
    { name: 'again', type: 'MobilePrimitives.Message', config: { prompt: 'again' }, exits: [{ to: 'next' }] },
  ],
});

const platform = createPlatform({
  dataDir,
  admin: { key: ADMIN_KEY },
  rateLimits: false,
  publicUrl: 'http://posthorn.test',
  plugins: [channels(), webhooks(), journeys(), simulation(), messages(), network(), flows(), integration()],
  ports: { log: new RecordingLogger(), http: connector },
});
const server = Hapi.server({ port: 0, host: '127.0.0.1' });
await server.register(platform.hapiPlugin);
try {
  await server.start();
  if (!existsSync(stateFile)) writeFileSync(stateFile, JSON.stringify(await seeded()));
  console.log(JSON.stringify({ port: server.info.port, state: JSON.parse(readFileSync(stateFile, 'utf8')) }));
} catch (error) {
  console.log(JSON.stringify({ failed: (error as Error).message }));
  process.exit(3);
}
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));

async function seeded(): Promise<MemoryState> {
  const call = async (method: string, path: string, token: string, payload?: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const { statusCode, payload: text } = await server.inject({ method, url: path, headers, ...(payload && { payload }) });
    if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  };
  const admin = (method: string, path: string, payload?: object) => call(method, `/admin/v1${path}`, ADMIN_KEY, payload);
  const tokenOf = async (number: string) => (await admin('POST', `/numbers/${number}/tokens`, { name: 'test' })).text as string;
  const made = await admin('POST', '/numbers', { kind: 'network', address: '+27110000000', name: 'Office', account: 'account' });
  const networkToken = await tokenOf(made.number.uuid);
  const created = await call('POST', '/v1/numbers', networkToken, {
    backend_type: 'channel',
    number_type: 'channel_http_api',
    from_addr: 'library',
    name: 'Library',
    endpoint: 'https://connector.test/hook',
  });
  const channel = created.number.uuid;
  await admin('POST', '/webhooks', { number: channel, url: 'https://owner.test/', name: 'Owner', subscriptions: ['msgapp'] });
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}`, { number: channel, name: 'All', definition: journey, triggers: [{ on: 'message' }] });
  await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  return { network: made.number.uuid, networkToken, channel, token: await tokenOf(channel), journey: uuid };
}
