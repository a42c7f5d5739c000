// The server under load in the API benchmark. Modes: `ours [webhook url] [marks] [history] [recording]`: the platform; `bare`: hapi with the same validation only;
// `least <webhook url>`: bare, plus a line in a file before the response and a signed POST after it (minimal durability); and
// `documents <webhook url>`: bare, plus minimal storage that could serve later requests.
import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Hapi from '@hapi/hapi';
import Joi from 'joi';
import { Pool } from 'undici';
import { createPlatform, type NumberRecord, object, string } from '#core';
import { channels } from '../../../plugins/channels/plugin.js';
import { inboundSchema } from '../../../plugins/channels/schemas.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { markSchema, messageParams, postedSchema } from '../../../plugins/messages/schemas.js';
import { network } from '../../../plugins/network/plugin.js';
import { DEFAULT_POLICY } from '../../../plugins/network/policy.js';
import { policies } from '../../../plugins/network/records.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { FaultRules } from '../../../sandbox/faults/fault-rules.js';
import { admin } from '../measuring/admin.js';
import { bareJournal } from '../measuring/bare-journal.js';
import { folderOnDisk } from '../measuring/folders.js';
import { minimalDocuments } from './least-documents.js';
import { phone } from './phones.js';

/** The message to the load generator when the server is ready. */
export interface Ready {
  readonly port: number;
  readonly channel: string;
  /** The secret that signs the deliveries to each path of the receiver. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The data folder. */
  readonly folder: string;
  /** On the number `unreported` the network sends no statuses of its own. */
  readonly tokens: { readonly channel: string; readonly network: string; readonly unreported: string };
}

const [, , mode, url = '', marks = '0', history = '0', recording] = process.argv;
/** Inbound messages that are not marked as read yet. */
const unread = Array.from({ length: Number(marks) }, (_, n) => `inbound-${n}`);
const LOT = 32;
/** The messages of the history in one transaction. */
const A_TIME = 200;
const SECRET = 'x'.repeat(43);
const server = Hapi.server({ host: '127.0.0.1', port: 0 });
const folder = folderOnDisk();
process.on('disconnect', () => void server.stop({ timeout: 500 }).finally(leave));

/** The warm-up has the same concurrency as the measurement, because V8 optimizes for the load that it has seen. */
async function fill(receive: (id: string, n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < unread.length; n += LOT) await Promise.all(unread.slice(n, n + LOT).map((id, at) => receive(id, n + at)));
}

function leave(): never {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

const kept: Readonly<Record<string, () => Promise<Kept>>> = { least: minimalDurable, documents: minimalDocumentStore };
process.send!(await (mode === 'ours' ? startOurs() : startBare(await kept[mode!]?.())));

async function startOurs(): Promise<Ready> {
  const plugins = [channels(), webhooks(), messages(), network()];
  const watched = recording !== undefined && {
    recording: { calls: true, deliveries: true },
    ports: { faults: new FaultRules() },
  };
  const settled = Number(history);
  const platform = createPlatform({
    ...{ plugins, dataDir: folder, rateLimits: false, privateTargets: 'allow', admin, ...watched },
    ...(settled > 0 && { deliveries: { kept: settled, keptBytes: Number.MAX_SAFE_INTEGER } }),
  });
  await server.register(platform.hapiPlugin);
  await server.start();
  const made = await platform.store.transaction((tx) => {
    const channel = platform.numbers.create(tx, { kind: 'channel', type: 'channel_http_api', address: 'web', name: 'Web' });
    const number = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+27110000000', name: 'Library' });
    const unreported = platform.numbers.create(tx, { kind: 'network', type: 'network', address: '+27110000001', name: 'Unreported' });
    tx.in(policies).put({ ...DEFAULT_POLICY, mode: 'manual', number: unreported.uuid });
    const secrets: Record<string, string> = {};
    const subscribe = ({ uuid }: NumberRecord, subscription: 'network' | 'service') => {
      const hook = { number: uuid, url: `${url}/${uuid}`, name: 'Owner', subscriptions: [subscription] };
      secrets[`/${uuid}`] = platform.webhooks.create(tx, hook).secret;
    };
    if (url !== '') {
      subscribe(channel, 'network');
      subscribe(number, 'service');
      subscribe(unreported, 'service');
    }
    const token = ({ uuid }: NumberRecord) => platform.tokens.issue(tx, uuid, 'bench').text;
    return { channel, number, secrets, tokens: { channel: token(channel), network: token(number), unreported: token(unreported) } };
  });
  const received = (n: number, id: string) => {
    const contact = { id: phone(n), name: 'Ann' };
    return { id, contact, from: contact.id, timestamp: '1767600000', type: 'text', content: { text: { body: 'hi' } } };
  };
  const receive = (id: string, n: number) =>
    platform.store.transaction((tx) => platform.messages.received(tx, made.number, received(n, id)));
  await fill(receive);
  const isBusy = async (): Promise<boolean> => {
    const waiting = (['queued', 'sending'] as const).map((state) => platform.deliveries.list({ state, limit: 1 }));
    return (await Promise.all(waiting)).some(({ length }) => length > 0);
  };
  process.once('message', async () => {
    for (let n = 0; n < settled; ) {
      const end = Math.min(n + A_TIME, settled);
      await platform.store.transaction(async (tx) => {
        for (; n < end; n++) await platform.messages.received(tx, made.channel, received(n, `past-${n}`));
      });
      while (await isBusy()) await sleep(1);
    }
    process.send!('filled');
  });
  return { port: Number(server.info.port), channel: made.channel.uuid, secrets: made.secrets, folder, tokens: made.tokens };
}

/** How to store the body of each kind of call before the response. */
interface Kept {
  readonly inbound?: (record: Inbound) => Promise<void>;
  readonly posted?: (record: Posted) => Promise<void>;
  readonly mark?: (id: string) => Promise<void>;
}

interface Inbound {
  readonly contact: { readonly id: string; readonly profile: { readonly name: string } };
  readonly message: { readonly id: string; readonly type: string; readonly text: object };
}

interface Posted {
  readonly to: string;
  readonly type: string;
  readonly text: object;
}

function sign(body: string): string {
  return createHmac('sha256', SECRET).update(body).digest('base64');
}

/** Stores each body as a line of a file, then notifies the webhook. */
async function minimalDurable(): Promise<Kept> {
  const journal = await bareJournal(join(folder, 'lines'));
  const pool = new Pool(url, { connections: 64 });
  const tell = async (body: string): Promise<void> => {
    const signature = sign(body);
    const headers = { 'content-type': 'application/json', 'x-svc-hook-signature': signature, 'x-svc-hook-subscription': 'msgapp' };
    const { body: answer } = await pool.request({ path: '/', method: 'POST', body, headers });
    await answer.text();
    await journal.append('{"delivered":true}\n');
  };
  const record = async (what: object): Promise<void> => {
    const body = JSON.stringify(what);
    await journal.append(`${body}\n`);
    void tell(body);
  };
  return { inbound: record, posted: record, mark: (id) => journal.append(`${JSON.stringify({ read: id })}\n`) };
}

/** Stores documents that could serve later requests. */
async function minimalDocumentStore(): Promise<Kept> {
  const { record, read } = minimalDocuments(await bareJournal(join(folder, 'lines')), url, sign);
  let sent = 0;
  await fill((id, n) =>
    record({ id, direction: 'inbound', contact: phone(n), name: 'Ann', type: 'text', content: { text: { body: 'hi' } } }),
  );
  return {
    inbound: ({ contact, message: { id, type, text } }) =>
      record({ id, direction: 'inbound', contact: contact.id, name: contact.profile.name, type, content: { text } }),
    posted: ({ to, type, text }) =>
      record({ id: `wamid.${++sent}`, direction: 'outbound', contact: to, name: 'Ann', type, content: { text } }),
    mark: read,
  };
}

async function startBare({ inbound, posted, mark }: Kept = {}): Promise<Ready> {
  const [tolerant, strict] = [
    { abortEarly: false, allowUnknown: true },
    { convert: false, stripUnknown: { objects: true } },
  ];
  const options = (payload: Joi.Schema, params?: Joi.Schema) => ({
    validate: {
      payload: Joi.compile(payload).prefs({ ...tolerant, ...strict }),
      ...(params && { params: Joi.compile(params).prefs(tolerant) }),
    },
  });
  const sent = {
    messages: [{ id: `wamid.${'x'.repeat(52)}` }],
    meta: { version: '1', backend: { name: 'n', version: 'l' }, api_status: 'stable' },
  };
  const answered =
    (answer: object, keep: (request: Hapi.Request) => Promise<void> = async () => {}) =>
    async (request: Hapi.Request) => {
      await keep(request);
      return answer;
    };
  const payload = <T>(keep?: (payload: T) => Promise<void>) => keep && ((request: Hapi.Request) => keep(request.payload as T));
  const id = mark && ((request: Hapi.Request) => mark(String(request.params.message_id)));
  server.route([
    {
      method: 'POST',
      path: '/v1/numbers/{number_uuid}/messages',
      options: options(inboundSchema, object({ number_uuid: string().lowercase() })),
      handler: answered({ success: true }, payload(inbound)),
    },
    { method: 'POST', path: '/v1/messages', options: options(postedSchema), handler: answered(sent, payload(posted)) },
    { method: 'PUT', path: '/v1/messages/{message_id}', options: options(markSchema, messageParams), handler: answered({}, id) },
  ]);
  await server.start();
  const tokens = { channel: 'token', network: 'token', unreported: 'token' };
  return { port: Number(server.info.port), channel: 'channel', secrets: { '/': SECRET }, folder, tokens };
}
