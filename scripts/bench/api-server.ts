// What is under load in the bench of the API: `ours <webhook url>`, `ours` without a webhook, or `bare`, hapi with the same validation and nothing behind it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Hapi from '@hapi/hapi';
import Joi from 'joi';
import { createPlatform } from '#core';
import { channels } from '../../plugins/channels/plugin.js';
import { inboundSchema } from '../../plugins/channels/schemas.js';
import { messages } from '../../plugins/messages/plugin.js';
import { markSchema, postedSchema } from '../../plugins/messages/schemas.js';
import { network } from '../../plugins/network/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';

/** What whoever loads it has to know. */
export interface Ready {
  readonly port: number;
  readonly channel: string;
  readonly tokens: { readonly channel: string; readonly network: string };
  /** Inbound messages that can be marked. */
  readonly marks: readonly string[];
}

const MARKS = 200;
const [, , mode, url = ''] = process.argv;
const server = Hapi.server({ host: '127.0.0.1', port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
process.on('disconnect', () => void server.stop({ timeout: 500 }).finally(leave));

function leave(): never {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

process.send!(await (mode === 'ours' ? startOurs() : startBare()));
process.on('message', (question) => {
  if (question === 'cpu?') process.send!({ cpu: process.cpuUsage() });
});

async function startOurs(): Promise<Ready> {
  const plugins = [channels(), webhooks(), messages(), network()];
  const platform = createPlatform({ plugins, dataDir: folder, rateLimits: false, privateTargets: 'allow' });
  await server.register(platform.hapiPlugin);
  await server.start();
  const made = await platform.store.transaction((tx) => {
    const channel = platform.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web', name: 'Web' });
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+27110000000', name: 'Library' });
    if (url !== '') {
      platform.webhooks.create(tx, { number: channel.uuid, url, name: 'Owner', subscriptions: ['network'] });
      platform.webhooks.create(tx, { number: number.uuid, url, name: 'Owner', subscriptions: ['service'] });
    }
    const token = (uuid: string) => platform.tokens.issue(tx, uuid, 'bench').text;
    return { channel, number, tokens: { channel: token(channel.uuid), network: token(number.uuid) } };
  });
  const marks = Array.from({ length: MARKS }, (_, n) => `inbound-${n}`);
  for (const id of marks) {
    const contact = { id: `2782${id.slice(8).padStart(7, '0')}`, name: 'Ann' };
    const said = { id, contact, from: contact.id, timestamp: '1767600000', type: 'text', content: { text: { body: 'hi' } } };
    await platform.store.transaction((tx) => platform.messages.received(tx, made.number, said));
  }
  return { port: Number(server.info.port), channel: made.channel.uuid, tokens: made.tokens, marks };
}

async function startBare(): Promise<Ready> {
  const options = (payload: Joi.Schema) => ({
    validate: {
      payload: Joi.compile(payload).prefs({ convert: false, stripUnknown: { objects: true }, abortEarly: false, allowUnknown: true }),
    },
  });
  const sent = {
    messages: [{ id: `wamid.${'x'.repeat(52)}` }],
    meta: { version: '1', backend: { name: 'n', version: 'l' }, api_status: 'stable' },
  };
  server.route([
    { method: 'POST', path: '/v1/numbers/{uuid}/messages', options: options(inboundSchema), handler: () => ({ success: true }) },
    { method: 'POST', path: '/v1/messages', options: options(postedSchema), handler: () => sent },
    { method: 'PUT', path: '/v1/messages/{id}', options: options(markSchema), handler: () => ({}) },
  ]);
  await server.start();
  const marks = Array.from({ length: MARKS }, (_, n) => `inbound-${n}`);
  return { port: Number(server.info.port), channel: 'channel', tokens: { channel: 'token', network: 'token' }, marks };
}
