import type { Server } from '@hapi/hapi';
import type { Plugin } from '#core';
import { ADMIN_KEY, type Answer, type RecordedLine, startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';
import { everyPlugin } from '../docs/everything.js';
import type { Known } from './fitting.js';

const ENDPOINT = 'https://receiver.test/hook';
const JOURNEY = '5c1e7a52-4a0e-4c55-9a43-1d0f52a7f001';

const text = (uuid: string, value: string) => ({
  uuid,
  values: [{ language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value }],
});

/** A journey that asks for a name in a loop. */
const journey = {
  specification_version: '1.0.0-rc4',
  uuid: 'container',
  name: 'Names',
  flows: [
    {
      uuid: 'main',
      name: 'main',
      last_modified: '2026-01-05T08:00:00Z',
      interaction_timeout: 300,
      supported_modes: ['RICH_MESSAGING'],
      languages: [{ id: 'eng', iso_639_3: 'eng' }],
      first_block_id: 'ask',
      blocks: [
        {
          uuid: 'ask',
          name: 'name',
          type: 'MobilePrimitives.OpenResponse',
          config: { prompt: 'who' },
          exits: [{ uuid: 'next', name: 'next', default: true, destination_block: 'ask' }],
        },
      ],
      resources: [text('who', 'Who is there?')],
    },
  ],
};

/** A platform with every plugin and at least one record of each kind. */
export interface World {
  readonly server: Server;
  readonly tokens: Readonly<Record<'network' | 'sandbox' | 'channel' | 'webchat', string>>;
  readonly adminKey: string;
  readonly known: Known;
  failures(): readonly RecordedLine[];
  settle(ms?: number): Promise<void>;
}

/** A flow with one terminal screen. */
const form = {
  version: '7.3',
  screens: [
    {
      id: 'END',
      title: 'End',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [{ type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } }],
      },
    },
  ],
};

/** A response of the network that fits each call of numbers on the Cloud API. */
const ofNetwork = { data: [], id: '594425479261596', status: 'PENDING', category: 'UTILITY', success: true };

const assets: Readonly<Record<string, object>> = {
  'content-cards': { name: 'hours', text: 'Nine to five' },
  'code-skills': { name: 'one', source: 'export default () => 1' },
  'ai-connections': { name: 'model', vendor: 'scripted', rules: [] },
};

export async function startWorld(t: Tap, also: readonly Plugin[] = [], options: Partial<TestPlatformOptions> = {}): Promise<World> {
  const platform = await startPlatform(t, { plugins: [...(await everyPlugin()), ...also], ...options });
  const { server, number, http, log, clock } = platform;
  http.answer('*', { body: { messages: [{ id: 'named' }] } });
  http.answer('https://graph.facebook.com/*', { body: ofNetwork });
  const bodyOf = (what: string, { status, body }: Answer): Answer['body'] => {
    if (status >= 300) throw new Error(`cannot set up the fuzzer: ${what} got ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const admin = async (method: string, path: string, payload?: object) =>
    bodyOf(`${method} ${path}`, await platform.admin(method, path, payload));
  const call = async (token: string, path: string, payload: unknown, headers: Record<string, string> = {}) =>
    bodyOf(path, await platform.call('POST', path, { token, payload, headers }));

  const network = await number('network', { account: 'acme' });
  const sandbox = await number('sandbox');
  const channel = (await admin('POST', '/channels', { from_addr: 'desk', name: 'Desk', endpoint: ENDPOINT })).number.uuid as string;
  const token = (await admin('POST', `/numbers/${channel}/tokens`, { name: 'fuzz' })).text as string;
  const webchat = (await admin('POST', '/connections', { type: 'webchat', settings: {} })).connection.number.uuid as string;
  const session = (await call(token, `/webchat/${webchat}/sessions`, {})).token as string;
  const owner = { number: network.uuid };
  const { webhook } = await admin('POST', '/webhooks', { ...owner, url: ENDPOINT, name: 'Hook', subscriptions: ['msgapp', 'svc'] });
  const { integration } = await admin('POST', '/integrations', { ...owner, name: 'Orders', url: ENDPOINT });
  await admin('PUT', `/journeys/${JOURNEY}`, { ...owner, name: 'Names', definition: journey, triggers: [{ on: 'message' }] });
  await admin('POST', `/journeys/${JOURNEY}/publish`, { revision: 'production' });
  for (const [kind, about] of Object.entries(assets)) await admin('PUT', `/${kind}/${JOURNEY}`, { ...owner, ...about });
  await admin('PUT', `/numbers/${network.uuid}/secrets`, { name: 'TOKEN', value: 'a token of a service' });
  const contact = { id: '+27820001001', profile: { name: 'Ann' } };
  const message = { type: 'text', from: contact.id, id: 'in-1', timestamp: '1767600000', text: { body: 'hi' } };
  await call(token, `/v1/numbers/${channel}/messages`, { contact, message });
  await admin('POST', `/network/numbers/${network.uuid}/messages`, { from: contact.id, type: 'text', text: { body: 'hi' } });
  await clock.advance(1_000);
  const media = await call(network.token, '/v1/media', 'a picture', { 'content-type': 'image/png' });
  const flow = (await call(network.token, '/v1/flows', { name: 'Form', flow_json: form })).id as string;
  const uuids = async (path: string, key: string): Promise<string[]> =>
    ((await admin('GET', path))[key] as { uuid: string }[]).map(({ uuid }) => uuid);
  const contacts = await uuids(`/numbers/${network.uuid}/contacts`, 'contacts');
  const known: Readonly<Record<string, readonly string[]>> = {
    number: [network.uuid, sandbox.uuid, webchat, channel],
    webchat: [webchat],
    journey: [JOURNEY],
    stack: [JOURNEY],
    'content-card': [JOURNEY],
    'code-skill': [JOURNEY],
    'ai-connection': [JOURNEY],
    secret: ['TOKEN'],
    webhook: [webhook.uuid],
    integration: [integration.uuid],
    flow: [flow],
    medium: [media.media[0].id],
    contact: [contact.id, ...contacts],
    conversation: await uuids(`/numbers/${network.uuid}/conversations`, 'conversations'),
    delivery: await uuids('/deliveries', 'deliveries'),
    message: ['in-1', 'named'],
    to: [contact.id],
    from: [contact.id],
    wa_id: [contact.id],
  };
  return {
    server,
    adminKey: ADMIN_KEY,
    tokens: { network: network.token, sandbox: sandbox.token, channel: token, webchat: session },
    known: (field) => known[field] ?? known[singular(field)] ?? [],
    failures: () => log.lines.filter(({ level }) => level === 'error'),
    settle: (ms = 100) => clock.advance(ms),
  };
}

/** The singular noun of a field: `deliveries` -> `delivery`, `flow_id` -> `flow`, `media` -> `medium`. */
const singular = (field: string): string =>
  field === 'media'
    ? 'medium'
    : field
        .replace(/(_uuid|_id)$/, '')
        .replace(/ies$/, 'y')
        .replace(/s$/, '');
