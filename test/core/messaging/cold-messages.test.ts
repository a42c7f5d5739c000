import t from 'tap';
import { createPlatform } from '#core';
import { startPlatform, type Tap } from '#core/testing';
import { SeededIds } from '../../../core/adapters/seeded-ids.js';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { MemoryStore } from '../../../core/adapters/store/memory-store.js';
import { conversations } from '../../../core/messaging/conversation.js';
import { messages as messageRecords } from '../../../core/messaging/message.js';
import type { Store } from '../../../core/ports/store.js';
import { RecordingLogger } from '../../../core/testing/recording-logger.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { SimulatedDisk } from '../adapters/store/simulated-disk.js';

const CONTACTS = ['web-a', 'web-b', 'web-c'];

/** A conversation of a channel: old messages and all their later uses. @returns everything that callers and listeners saw */
async function scenario(t: Tap, store: Store, between: () => Promise<void>) {
  const platform = await startPlatform(t, {
    plugins: [channels(), messages()],
    secretKey: '0'.repeat(64),
    ports: { store, ids: new SeededIds('the same') },
  });
  const { call, admin, clock, events } = platform;
  const seen: unknown[] = [];
  const { uuid, token } = await platform.number('channel');
  const at = `/v1/numbers/${uuid}`;
  const see = async (method: string, path: string, payload?: object) => {
    const { status, body } = await call(method, path, { token, ...(payload && { payload }) });
    seen.push([method, path, status, body]);
    return body;
  };
  const receive = (id: string, from: string, more: object = {}) =>
    see('POST', `${at}/messages`, {
      contact: { id: from, profile: { name: from.toUpperCase() } },
      message: { id, from, type: 'text', timestamp: '1767600000', text: { body: `message ${id}` }, ...more },
    });
  const long = 'a long text '.repeat(1_000);
  const sent: string[] = [];
  for (let n = 0; n < 24; n++) {
    await receive(`in-${n}`, CONTACTS[n % 3]!, n === 4 ? { text: { body: long } } : {});
    if (n % 4 === 3) {
      await platform.platform.store.transaction(async (tx) => {
        const number = await platform.platform.numbers.require(uuid);
        const contact = (await platform.platform.contacts.current(tx, number, CONTACTS[n % 3]!))!;
        const author = { type: 'SYSTEM', id: '', name: '' } as const;
        const { message } = await platform.platform.messages.queued(tx, number, contact, {
          type: 'text',
          content: { text: { body: `${n}` } },
          author,
        });
        await platform.platform.messages.accepted(tx, number, message.uuid, `out-${n}`);
        sent.push(message.uuid);
      });
    }
    clock.jump(1_000);
    await between();
  }
  await between();
  for (const status of ['delivered', 'read']) {
    await see('POST', `${at}/statuses`, { status: { id: 'out-3', recipient_id: CONTACTS[0], status, timestamp: '1767600100' } });
    await between();
  }
  await see('POST', `${at}/statuses`, { status: { id: 'out-none', recipient_id: CONTACTS[0], status: 'read', timestamp: '1767600100' } });
  await receive('in-2', CONTACTS[2]!);
  await receive('in-2', CONTACTS[2]!, { text: { body: 'another text' } });
  await receive('in-2', CONTACTS[0]!);
  await receive('quote', CONTACTS[1]!, { context: { id: 'out-7' } });
  await see('PUT', '/v1/messages/in-1', { status: 'read' });
  await see('POST', '/v1/messages/in-0/labels', { labels: ['old'] });
  await between();
  for (const path of [`/numbers/${uuid}/conversations?limit=2`, `/numbers/${uuid}/contacts?limit=2`, `/conversations?limit=2`]) {
    const { status, body } = await admin('GET', path);
    seen.push([path, status, body]);
  }
  const listed = (await platform.platform.store.open(conversations).find('recent')).map((one) => one.uuid);
  for (const conversation of listed) {
    for (const before of ['', '&before=9', '&before=3']) {
      const { body } = await admin('GET', `/conversations/${conversation}/messages?limit=4${before}`);
      seen.push(body);
    }
    seen.push((await admin('GET', `/conversations/${conversation}`)).body);
  }
  for (const id of [sent[0], 'in-4', 'quote', 'none']) seen.push((await admin('GET', `/why?message=${id}`)).body);
  await see('GET', `/v1/contacts/${CONTACTS[0]}/messages`);
  const [a, b] = (await platform.platform.contacts.list(uuid)).map((contact) => contact.uuid);
  seen.push((await admin('POST', '/contacts/merge', { kept: a, merged: b })).body);
  await between();
  seen.push(await platform.platform.store.open(messageRecords).find('conversation'));
  seen.push((await admin('POST', '/contacts/split', { merged: b })).body);
  await between();
  const all = await platform.platform.store.open(messageRecords).list();
  seen.push(all, await platform.platform.store.open(messageRecords).count(), await platform.platform.store.open(conversations).list());
  seen.push(events.map(({ name, data }) => [name, data]));
  return seen;
}

t.test('a state with documents on disk is exported and imported, and fields of an old contact are set', async (t) => {
  const plugins = [channels(), messages()];
  const secretKey = '0'.repeat(64);
  const storeOn = (disk: SimulatedDisk) =>
    new JsonStore({
      folder: '/data',
      log: new RecordingLogger(),
      fs: disk,
      partBytes: 400,
      compact: (input) => compact(input, disk),
      now: () => Date.now() * 1e9,
    });
  const store = storeOn(new SimulatedDisk());
  const { call, admin, number, platform, clock } = await startPlatform(t, { plugins, secretKey, ports: { store } });
  const { uuid, token } = await number('channel');
  for (let n = 0; n < 12; n++) {
    await call('POST', `/v1/numbers/${uuid}/messages`, {
      token,
      payload: {
        contact: { id: CONTACTS[n % 3], profile: { name: 'Ann' } },
        message: { id: `in-${n}`, from: CONTACTS[n % 3], type: 'text', timestamp: '1767600000', text: { body: `text ${n}` } },
      },
    });
    clock.jump(1_000);
    if (n % 4 === 3) await store.compact();
  }
  await store.compact();
  const [ann] = await platform.contacts.list(uuid);
  t.match(await admin('PATCH', `/contacts/${ann!.uuid}`, { fields: { size: 'L' } }), { status: 200 });
  const state = await platform.readState();
  t.equal(state.collections['core.messages']!.length, 12);
  for (const target of [new MemoryStore({ log: new RecordingLogger() }), storeOn(new SimulatedDisk())]) {
    const copy = createPlatform({ plugins, secretKey, ports: { store: target } }, { state });
    await copy.start();
    if (target instanceof JsonStore) await target.compact();
    const { collections } = await copy.readState();
    for (const name of ['core.messages', 'core.conversations', 'core.contacts'])
      t.strictSame(collections[name], state.collections[name], name);
    await copy.stop();
  }
});

/** Without the ids of calls, which have the time of the machine. */
const comparable = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null).replaceAll(/"\d{13}-\d{5}"/g, '"call"'));

t.test('every use of old messages, conversations and contacts gives the same, whether they are in memory or on disk', async (t) => {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const cold = new JsonStore({
    folder: '/data',
    log,
    fs: disk,
    partBytes: 100,
    compact: (input) => compact(input, disk),
    now: () => Date.now() * 1e9,
  });
  const expected = await scenario(t, new MemoryStore({ log }), async () => {});
  const found = await scenario(t, cold, () => cold.compact());
  t.ok(expected.length > 40, `${expected.length} answers`);
  for (const [i, one] of expected.entries()) t.strictSame(comparable(found[i]), comparable(one), JSON.stringify(one).slice(0, 60));
  for (const collection of ['messages', 'conversations', 'contacts'])
    t.ok(
      disk.files.some((file) => file.startsWith(`/data/core.${collection}.`) && !file.endsWith(`${collection}.json`)),
      `parts of ${collection}`,
    );
  const failed = expected.filter((one) => Array.isArray(one) && typeof one[2] === 'number' && one[2] >= 404);
  t.equal(failed.length, 0, JSON.stringify(failed).slice(0, 300));
});

t.test('a call that needs a damaged document gets 503 with the cause, and all other calls work', async (t) => {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: '/data', log, fs: disk, partBytes: 100, compact: (input) => compact(input, disk) });
  const { call, admin, number, platform } = await startPlatform(t, {
    plugins: [channels(), messages()],
    secretKey: '0'.repeat(64),
    ports: { store },
  });
  const { uuid, token } = await number('channel');
  const receive = (id: string, from: string) =>
    call('POST', `/v1/numbers/${uuid}/messages`, {
      token,
      payload: {
        contact: { id: from, profile: { name: 'Ann' } },
        message: { id, from, type: 'text', timestamp: '1767600000', text: { body: `text ${id}` } },
      },
    });
  for (const from of ['web-a', 'web-b']) await receive(`of ${from}`, from);
  await store.compact();
  for (const file of disk.files.filter((one) => /core\.messages\.\d+\.json$/.test(one))) {
    const text = disk.read(file).toString();
    disk.put(file, Buffer.from(text.replace('text of web-a', 'text of web-#')));
  }
  const conversationOf = async (id: string) => {
    const found = await platform.contacts.find(await platform.numbers.require(uuid), id);
    return (await platform.conversations.ofContact(uuid, found!.uuid))!.uuid;
  };
  t.strictSame((await admin('GET', '/store')).body, { store: { state: 'open' } });
  t.strictSame((await call('GET', '/ready')).body, { status: 'ready' });
  const damaged = await admin('GET', `/conversations/${await conversationOf('web-a')}/messages`);
  t.match(damaged, { status: 503, headers: { 'x-posthorn-cause': 'document_damaged', 'retry-after': '60' } });
  t.match(await admin('GET', `/conversations/${await conversationOf('web-b')}/messages`), { status: 200 });
  t.match((await receive('of web-a', 'web-a')).status, 503, 'whether it is a duplicate cannot be known');
  t.match((await receive('next', 'web-a')).status, 200);
  t.match(await admin('GET', `/conversations/${await conversationOf('web-a')}/messages?limit=1`), { status: 200 });
  t.match(
    log.lines.filter(({ message }) => /damaged/.test(message)).map(({ fields }) => String((fields.error as Error).message)),
    [/core\.messages\.\d+\.json: bytes \d+ to \d+: the checksum does not match the document/],
  );
  t.match((await admin('GET', '/store')).body.store, {
    state: 'open',
    damaged: [{ file: /^core\.messages\.\d+\.json$/, damage: /^bytes \d+ to/, fix: /data check \/data.*backup.*data repair \/data/ }],
  });
  t.strictSame((await call('GET', '/ready')).body, { status: 'ready', damaged_files: 1 });
});
