import { join } from 'node:path';
import t from 'tap';
import { createPlatform } from '#core';
import { ManualClock, RecordingLogger, SeededIds, startPlatform, type Tap } from '#core/testing';
import { nodeFileSystem } from '../../../core/adapters/file-system.js';
import { checkData, repairData } from '../../../core/adapters/store/check/repair-data.js';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { FolderSource, JsonStore, MemoryStore, placingsOf } from '../../../core/adapters/store/index.js';
import { contacts as contactRecords } from '../../../core/messaging/contact.js';
import { conversations as conversationRecords } from '../../../core/messaging/conversation.js';
import { messages as messageRecords } from '../../../core/messaging/message.js';
import type { TenantTypes } from '../../../core/ports/tenant.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { freshFolder } from '../adapters/store/folders.js';
import { everything, SimulatedDisk } from '../adapters/store/simulated-disk.js';

const CONTACTS = ['web-a', 'web-b', 'web-c'];
const ENDPOINT = 'https://hooks.test/in';
const COLD = ['core.messages', 'core.conversations', 'core.contacts'];
const DAY = 24 * 60 * 60 * 1000;
/** Every document of a collection in parts, or all of them in the snapshot file, which is in memory. */
const PART_BYTES = { 'on disk': 100, 'in memory': 1 << 30 };
const AUTHOR = { type: 'SYSTEM', id: '', name: '' } as const;

async function open(t: Tap, disk: SimulatedDisk, { partBytes, day, seed }: { partBytes: number; day: number; seed: string }) {
  const store = new JsonStore({
    folder: '/data',
    log: new RecordingLogger(),
    fs: disk,
    partBytes,
    markEveryMs: 1e6,
    compact: (input) => compact(input, disk),
    now: () => 0,
  });
  const clock = new ManualClock({ start: new Date(Date.UTC(2026, 0, 5) + day * DAY) });
  const options = { plugins: [channels(), messages(), webhooks()], secretKey: '0'.repeat(64), privateTargets: 'allow' as const };
  const test = await startPlatform(t, { ...options, messages: { keptDays: 50 }, ports: { store, clock, ids: new SeededIds(seed) } });
  test.http.answer(ENDPOINT, {});
  return { ...test, store, disk };
}

type Opened = Awaited<ReturnType<typeof open>>;
/** The ids of the records. */
interface Made {
  readonly uuid: string;
  readonly token: string;
  readonly sent: readonly string[];
  readonly received: readonly string[];
  readonly conversations: readonly string[];
  readonly contacts: readonly string[];
}

/** Messages of three contacts in both directions, with statuses, a long text and deliveries to a webhook. */
async function written(partBytes: number): Promise<{ disk: SimulatedDisk; made: Made }> {
  const ends: (() => unknown)[] = [];
  const disk = new SimulatedDisk();
  const test = await open({ teardown: (end: () => unknown) => ends.push(end) } as unknown as Tap, disk, {
    partBytes,
    day: 0,
    seed: 'first',
  });
  const { platform, call, admin, clock, store } = test;
  const { uuid, token } = await test.number('channel');
  await admin('POST', '/webhooks', { number: uuid, name: 'own', url: ENDPOINT, subscriptions: ['msgapp'] });
  const sent: string[] = [];
  for (let n = 0; n < 18; n++) {
    const from = CONTACTS[n % 3]!;
    const body = n === 4 ? 'a long text '.repeat(1_000) : `message ${n}`;
    const { status } = await call('POST', `/v1/numbers/${uuid}/messages`, {
      token,
      payload: {
        contact: { id: from, profile: { name: from.toUpperCase() } },
        message: { id: `in-${n}`, from, type: 'text', timestamp: '1767600000', text: { body } },
      },
    });
    if (status !== 200) throw new Error(String(status));
    if (n % 3 === 2)
      await platform.store.transaction(async (tx) => {
        const number = await platform.numbers.require(uuid);
        const contact = (await platform.contacts.current(tx, number, from))!;
        const content = { text: { body: `answer ${n}` } };
        const { message } = await platform.messages.queued(tx, number, contact, { type: 'text', content, author: AUTHOR });
        await platform.messages.accepted(tx, number, message.uuid, `out-${n}`);
        sent.push(message.uuid);
      });
    await clock.advance(1_000);
  }
  await clock.advance(DAY / 24);
  const all = await store.open(messageRecords).list();
  const conversations = (await store.open(conversationRecords).find('recent')).map((one) => one.uuid);
  const contacts = (await platform.contacts.list(uuid)).map((one) => one.uuid);
  await store.compact();
  for (const end of ends.reverse()) await end();
  const received = all.filter(({ direction }) => direction === 'inbound').map((one) => one.uuid);
  return { disk: disk.afterCrash(everything), made: { uuid, token, sent, received, conversations, contacts } };
}

/** Every use of old records. Each sees a platform that has just started. @returns what callers see */
const USES: Readonly<Record<string, (opened: Opened, made: Made, t: Tap) => Promise<unknown>>> = {
  'statuses of an old message': async ({ call, store }, { uuid, token, sent }) => {
    const report = (id: string, status: string) =>
      call('POST', `/v1/numbers/${uuid}/statuses`, {
        token,
        payload: { status: { id, recipient_id: CONTACTS[2], status, timestamp: '1767600100' } },
      });
    const answers = [await report('out-2', 'delivered'), await report('out-2', 'read'), await report('out-none', 'read')];
    return [answers.map(({ status, body }) => [status, body]), await store.open(messageRecords).get(sent[0]!)];
  },
  'a quote of an old message': async (opened, made) => receive(opened, made, 'quote', CONTACTS[2]!, { context: { id: 'out-5' } }),
  'an old id again': async (opened, made) => [
    await receive(opened, made, 'in-2', CONTACTS[2]!),
    await receive(opened, made, 'in-2', CONTACTS[2]!, { text: { body: 'another text' } }),
    await receive(opened, made, 'in-2', CONTACTS[0]!),
    await opened.store.open(messageRecords).count(),
  ],
  'an id that an old message has': async ({ platform, store }, { uuid }) => {
    const taken = await platform.store
      .transaction(async (tx) => {
        const number = await platform.numbers.require(uuid);
        const contact = (await platform.contacts.current(tx, number, CONTACTS[0]!))!;
        const content = { text: { body: 'new' } };
        const { message } = await platform.messages.queued(tx, number, contact, { type: 'text', content, author: AUTHOR });
        await platform.messages.accepted(tx, number, message.uuid, 'out-2');
      })
      .catch((error: Error) => error.name);
    const [first] = await store.open(messageRecords).list({ limit: 1 });
    const copied = await store
      .transaction((tx) => tx.in(messageRecords).put({ ...first!, uuid: 'another' }))
      .catch((error: Error) => [error.name, error.message]);
    return [taken, copied];
  },
  'pages of conversations, in both directions': async ({ admin, store }, { conversations }) => {
    const pages: unknown[] = [];
    for (const conversation of conversations) {
      for (const before of ['', '&before=6', '&before=3'])
        pages.push((await admin('GET', `/conversations/${conversation}/messages?limit=3${before}`)).body);
      for (const order of ['ascending', 'descending'] as const)
        pages.push(await store.open(messageRecords).find('conversation', { equals: [conversation], limit: 3, order }));
    }
    return pages;
  },
  'lists of conversations and contacts, page by page': async ({ admin, call }, { uuid, token, contacts, conversations }) => [
    (await admin('GET', `/numbers/${uuid}/conversations?limit=2`)).body,
    (await admin('GET', '/conversations?limit=2')).body,
    (await admin('GET', `/conversations/${conversations[0]}`)).body,
    (await admin('GET', `/numbers/${uuid}/contacts?limit=2`)).body,
    (await admin('GET', `/numbers/${uuid}/contacts?limit=2&after=${contacts[1]}`)).body,
    (await admin('GET', `/numbers/${uuid}/contacts?id=${CONTACTS[1]}`)).body,
    (await call('GET', `/v1/contacts/${CONTACTS[0]}/messages`, { token })).body,
  ],
  why: async ({ admin }, { sent, received }) =>
    Promise.all([...sent.slice(0, 2), 'in-4', received[5], 'none'].map(async (id) => (await admin('GET', `/why?message=${id}`)).body)),
  'the deliveries of an old message, and a redelivery': async ({ admin, clock, http }, { received }, t) => {
    const { body } = await admin('GET', `/deliveries?message=${received[4]}`);
    const { uuid } = body.deliveries[0];
    const again = await admin('POST', `/deliveries/${uuid}/redeliver`);
    t.ok(again.status < 300 && received[4], `${again.status}`);
    await clock.advance(1_000);
    return [body, again.status, http.calls.map((call) => [call.url, String(call.body)]), (await admin('GET', '/deliveries?limit=3')).body];
  },
  'marks and labels': async ({ call, store }, { token, received }) => [
    (await call('PUT', '/v1/messages/in-1', { token, payload: { status: 'read' } })).body,
    (await call('POST', '/v1/messages/in-0/labels', { token, payload: { labels: ['old'] } })).body,
    await store.open(messageRecords).get(received[0]!),
    await store.open(conversationRecords).list(),
  ],
  'fields of an old contact': async ({ admin, store }, { contacts }) => [
    (await admin('PATCH', `/contacts/${contacts[0]}`, { fields: { size: 'L' } })).body,
    await store.open(contactRecords).list(),
  ],
  'a merge of contacts, and its undoing': async ({ admin, store }, { contacts: [kept, merged] }) => [
    (await admin('POST', '/contacts/merge', { kept, merged })).body,
    await store.open(messageRecords).find('conversation'),
    (await admin('POST', '/contacts/split', { merged })).body,
    await store.open(messageRecords).list(),
    await store.open(conversationRecords).list(),
  ],
  expiry: async ({ clock, store, admin }) => {
    await clock.advance(20.5 * DAY);
    return [
      await store.open(messageRecords).count(),
      (await admin('GET', '/retention')).body,
      await store.open(conversationRecords).list(),
    ];
  },
  'export and import of the state': async ({ platform }) => {
    const state = await platform.readState();
    const target = new MemoryStore({ log: new RecordingLogger() });
    const copy = createPlatform(
      { plugins: [channels(), messages(), webhooks()], secretKey: '0'.repeat(64), ports: { store: target } },
      { state },
    );
    await copy.start();
    const { collections } = await copy.readState();
    await copy.stop();
    return [...COLD, 'core.outbox', 'core.chunks'].map((name) => [name, state.collections[name], collections[name]]);
  },
  'a check and a repair': async ({ disk }) => {
    const left = disk.afterCrash(everything);
    const options = { hasOwnKey: true };
    const whole = await checkData('/data', left, options);
    left.put('/data/contents.json', Buffer.from('{}'));
    const repaired = await repairData('/data', left, options);
    const after = await checkData('/data', left, options);
    return [whole, repaired, after].map(({ is_whole, documents, problems }) => [is_whole, documents, problems.length]);
  },
  'a move to another place': async ({ disk }, _, t) => {
    const folder = freshFolder(t);
    for (const file of disk.files.filter((name) => !name.includes('lock'))) {
      const written = await nodeFileSystem.open(join(folder, file.slice('/data/'.length)), 'replace');
      await written.write(disk.read(file));
      await written.close();
    }
    const types = new Map<string, unknown>([
      ['core.messages', messageRecords],
      ['core.conversations', conversationRecords],
      ['core.contacts', contactRecords],
    ]) as TenantTypes;
    const source = await FolderSource.open(folder, { log: new RecordingLogger(), placing: placingsOf(types) });
    const found: string[] = [];
    for await (const documents of source.documents())
      for (const { collection, key, json } of documents)
        if (!OF_THE_PROCESS.includes(collection)) found.push(`${collection} ${key} ${json}`);
    await source.close();
    return found.sort();
  },
};

async function receive({ call, store }: Opened, { uuid, token }: Made, id: string, from: string, more: object = {}) {
  const { status, body } = await call('POST', `/v1/numbers/${uuid}/messages`, {
    token,
    payload: {
      contact: { id: from, profile: { name: from.toUpperCase() } },
      message: { id, from, type: 'text', timestamp: '1767600000', text: { body: `message ${id.slice(3)}` }, ...more },
    },
  });
  const stored = (await store.open(messageRecords).list()).filter(({ external_id: external }) => external === id);
  return [status, body, stored];
}

/** Collections whose documents are random, or have the time of the machine. */
const OF_THE_PROCESS = ['core.secrets', 'core.audit'];

/** Without the ids of calls, which have the time of the machine. */
const comparable = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null).replaceAll(/"\d{13}-\d{5}"/g, '"call"'));

t.test('every use of old records gives the same, whether all of them are on disk or in memory', async (t) => {
  const places = await Promise.all(Object.values(PART_BYTES).map(written));
  const inFile = ({ disk }: { disk: SimulatedDisk }, name: string): number =>
    (JSON.parse(disk.read(`/data/${name}.json`).toString()) as { documents: unknown[] }).documents.length;
  for (const name of COLD) t.strictSame([inFile(places[0]!, name), inFile(places[1]!, name) > 2], [0, true], name);
  t.strictSame(places[0]!.made, places[1]!.made);
  for (const [use, run] of Object.entries(USES)) {
    await t.test(use, async (t) => {
      const seen: unknown[] = [];
      for (const [i, partBytes] of Object.values(PART_BYTES).entries()) {
        const { disk, made } = places[i]!;
        const opened = await open(t, disk.afterCrash(everything), { partBytes, day: 30, seed: 'later' });
        const result = await run(opened, made, t);
        seen.push(comparable([result, opened.events.map(({ name, data }) => [name, data])]));
      }
      t.strictSame(seen[0], seen[1]);
      t.ok(JSON.stringify(seen[0]).length > 20, JSON.stringify(seen[0]).slice(0, 200));
    });
  }
});
