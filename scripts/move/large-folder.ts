import { FolderTarget, LinePacker, placingsOf } from '../../core/adapters/store/index.js';
import type { MovedDocument } from '../../core/ports/move.js';

/** The size of a large folder. */
export interface LargeFolder {
  readonly messages: number;
  /** Numbers; every third one has no account, and the two after it share one. */
  readonly numbers?: number;
}

const MESSAGES_PER_CONVERSATION = 50;
const TIME = '2026-01-05T08:00:00.000Z';

/** A uuid that is the same in each run. */
const uuid = (kind: number, n: number): string => `01900000-${String(kind).padStart(4, '0')}-7000-8000-${String(n).padStart(12, '0')}`;

/** Writes a data folder with messages, and with the records, jobs and chunks around them, without a platform: 100,000 messages take seconds. */
export async function writeLargeFolder(folder: string, { messages, numbers = 10 }: LargeFolder): Promise<void> {
  const target = new FolderTarget(folder, { placing: placingsOf(new Map()) });
  await target.begin({ id: 'large folder', shards: ['main'], through: 1 });
  const packer = new LinePacker();
  const write = async (lines: Uint8Array | undefined) => lines && target.write('main', packer.parts, lines);
  for (const document of documents(messages, numbers)) await write(packer.add(document));
  await write(packer.rest());
  await target.publish();
  await target.close();
}

function* documents(messages: number, numbers: number): Generator<MovedDocument, void> {
  const of = (collection: string, key: string, document: object): MovedDocument => ({ collection, key, json: JSON.stringify(document) });
  for (let n = 0; n < numbers; n++) {
    const [number, webhook, journey] = [uuid(1, n), uuid(2, n), uuid(3, n)];
    const account = n % 3 === 0 ? null : `account-${Math.floor(n / 3)}`;
    const about = { kind: 'network', type: 'network', address: `+2782${1_000_000 + n}`, name: `Number ${n}` };
    yield of('core.numbers', number, { uuid: number, ...about, account, created_at: TIME });
    const hook = { uuid: webhook, number, url: 'http://127.0.0.1:9/hook', name: 'hook', subscriptions: ['message'] };
    const settings = { hmac_digest: 'sha256', enabled: false, headers: {}, lane: 'default', created_at: TIME };
    yield of('core.webhooks', webhook, { ...hook, ...settings });
    yield of('core.secrets', `webhook:${webhook}`, { name: `webhook:${webhook}`, key_id: 'test', sealed: 'AAAA' });
    const draft = { uuid: journey, number, name: 'j', enabled: true, order: 1, triggers: [], draft: uuid(4, n) };
    yield of('core.journeys', journey, {
      ...draft,
      ...{ revisions: { staging: null, production: null }, deleted_at: null, created_at: TIME, updated_at: TIME },
    });
    yield of('core.revisions', uuid(4, n), { uuid: uuid(4, n), journey, count: 1, created_at: TIME, definition: {} });
    const job = { queue: 'core.webhook-releases', id: webhook, lane: 'default', dueAt: 4_000_000_000_000, order: n, attempts: 0 };
    const key = `${job.queue}/${webhook}`;
    yield of('core.jobs', key, { key, ...job, payload: { webhook } });
  }
  yield of('core.secrets', 'core/media-links', { name: 'core/media-links', key_id: 'test', sealed: 'BBBB' });
  for (let m = 0; m < messages; m++) yield* conversationOf(m, numbers, of);
}

function* conversationOf(
  m: number,
  numbers: number,
  of: (collection: string, key: string, document: object) => MovedDocument,
): Generator<MovedDocument, void> {
  const c = Math.floor(m / MESSAGES_PER_CONVERSATION);
  const [position, number] = [(m % MESSAGES_PER_CONVERSATION) + 1, uuid(1, c % numbers)];
  const [conversation, contact, chunk] = [uuid(5, c), uuid(6, c), `chunk-${c}`];
  const address = `+2783${1_000_000 + c}`;
  if (position === 1) {
    const times = { created_at: TIME, updated_at: TIME };
    yield of('core.contacts', contact, { uuid: contact, number, id: address, address, fields: { name: `Contact ${c}` }, ...times });
    const state = { owner: address, state: 'OPEN', state_reason: '', unread: 0, length: MESSAGES_PER_CONVERSATION };
    yield of('core.conversations', conversation, { uuid: conversation, number, contact, ...state, ...times });
    yield of('core.chunks', chunk, { id: chunk, string: 'A long text. '.repeat(30) });
    yield of('core.chunk-uses', chunk, { id: chunk, uses: 1 });
  }
  const message = uuid(7, m);
  const addresses = { direction: 'inbound', from: address, to: `+2782${1_000_000 + (c % numbers)}` };
  const common = { uuid: message, number, conversation, contact, position, ...addresses, timestamp: '1767600000', recorded_at: TIME };
  const author = { type: 'contact' };
  const content =
    position === 1
      ? { content_text: { pieces: ['{"text":{"body":', 0, '}}'], chunks: [chunk] } }
      : { content: { text: { body: `Message ${m}: when does my order arrive? It was promised for today.` } } };
  yield of('core.messages', message, { ...common, type: 'text', author, statuses: [], external_id: `wamid.${m}`, ...content });
  const id = `${number}/${String(m).padStart(12, '0')}`;
  const record = { uuid: uuid(8, m), webhook: uuid(2, c % numbers), event: message, state: 'delivered', created_at: TIME };
  const attempt = { uuid: uuid(9, m), started_at: TIME, ended_at: TIME, status: 200, outcome: 'delivered' };
  yield of('core.outbox', id, { id, ...record, attempts: 1, settled_at: TIME, message, conversation, tries: { '1.1': attempt } });
}
