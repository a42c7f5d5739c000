import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { beforeCommit, collection, definePlugin } from '#core';
import { messagesExpired } from '#core/messaging';
import { InlinePool, RecordingLogger, startPlatform, type Tap } from '#core/testing';
import { FolderBlobs } from '../../../core/adapters/folder-blobs.js';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { backupData, restoreData } from '../../../core/adapters/store/index.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { hashOf, type ListedErasure } from '../../../core/delivery/erasure.js';
import { accounts } from '../../../core/messaging/account.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { cloudApi } from '../../../plugins/cloud-api/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { integration } from '../../../plugins/integration/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONNECTOR, startChannel, textTurn } from '../../plugins/channels/channel-under-test.js';
import { asks } from '../../plugins/journeys/short-journeys.js';
import { SimulatedDisk } from '../adapters/store/simulated-disk.js';

const points = collection<{ contact: string; number: string; points: number }>({ key: 'contact', tenant: { number: 'number' } });

const ANN = '+27820007771';
const ALIAS = 'user:ann-alias-77';
const BOB = '+27820008882';
const HOOK = 'https://hooks.test/crm';
/** Texts that only Ann has written or received, and her names. */
const PRIVATE = ['27820007771', ALIAS, 'Ann Private', 'SECRET-WORD', 'PICTURE-OF-ANN', 'ECHO-OF-ANN', 'TO-ANN'];

function storeOn(disk: SimulatedDisk) {
  return new JsonStore({
    folder: '/data',
    log: new RecordingLogger(),
    fs: disk,
    partBytes: 2_000,
    compact: (input) => compact(input, disk),
    now: () => 0,
  });
}

/** The files of a disk that contain a text. */
const filesWith = (disk: SimulatedDisk, text: string): string[] =>
  disk.files.filter((path) => disk.read(path)!.includes(Buffer.from(text)));

/** Ann and Bob write to a channel with a journey, a connector and another webhook; then everything is moved to parts. */
async function conversations(t: Tap, disk: SimulatedDisk) {
  const store = storeOn(disk);
  const test = await startChannel(t, {
    plugins: [channels(), webhooks(), journeys(), messages(), network(), flows(), integration(), cloudApi({ numbers: [] })],
    secretKey: '0'.repeat(64),
    recording: { calls: true, deliveries: true },
    ports: { store, blobs: new FolderBlobs({ folder: '/data/media', fs: disk }) },
  });
  const { admin, call, http, say, publish, platform, uuid, token, settle, report } = test;
  http.answer(`POST ${HOOK}`, ({ json }) => ({ body: { note: JSON.stringify(json).includes('27820007771') ? 'ECHO-OF-ANN' : 'ok' } }));
  await admin('POST', '/webhooks', { number: uuid, name: 'crm', url: HOOK, subscriptions: ['msgapp', 'journey_outbound'] });
  await publish(asks, { words: ['start'] });
  const image = await call('POST', '/v1/media', {
    token,
    payload: Buffer.from('PICTURE-OF-ANN'),
    headers: { 'content-type': 'image/png' },
  });
  await say('hello SECRET-WORD', { from: ANN, name: 'Ann Private' });
  await say(`long SECRET-WORD ${'and more '.repeat(900)}`, { from: ANN, name: 'Ann Private' });
  await say('start', { from: ANN, name: 'Ann Private' });
  await say('Ann Private', { from: ANN, name: 'Ann Private' });
  for (let n = 0; n < 12; n++) await say(`hello ${n} from Bob`, { from: BOB, name: 'Bob' });
  const number = await platform.numbers.require(uuid);
  const contactOf = async (id: string) => (await platform.contacts.known(uuid, id))!;
  await platform.store.transaction(async (tx) => platform.contacts.alias(tx, number, await contactOf(ANN), [ALIAS]));
  const sent = await test.send(textTurn('TO-ANN'), ANN);
  const { id } = image.body.media[0];
  const posted = await call('POST', '/v1/messages', { token, payload: { to: ANN, type: 'image', image: { id } } });
  t.equal(posted.status, 200, JSON.stringify(posted.body));
  await settle();
  await report('out-1', 'delivered', { recipient: ANN });
  await settle();
  return { ...test, store, contactOf, sent, media: id };
}

t.test('an erased contact is nowhere: not in any API, memory or byte of the data folder, and others keep everything', async (t) => {
  const disk = new SimulatedDisk();
  const test = await conversations(t, disk);
  const { admin, call, store, contactOf, platform, uuid, token, say, settle, http, clock } = test;
  await store.compact();
  await say('one more SECRET-WORD', { from: ANN, name: 'Ann Private' });
  await store.compact();
  for (const text of PRIVATE) t.ok(filesWith(disk, text).length > 0, `${text} is on the disk`);
  t.ok(
    filesWith(disk, 'SECRET-WORD').some((file) => /core\.messages\.\d+\.json/.test(file)),
    'in a part',
  );
  const webhook = (await admin('GET', '/webhooks')).body.webhooks.find(({ name }: { name: string }) => name === 'crm');
  await admin('POST', `/webhooks/${webhook.uuid}/pause`);
  await say('pending SECRET-WORD', { from: ANN, name: 'Ann Private' });
  await say('pending of Bob', { from: BOB, name: 'Bob' });
  const [ann, bob] = [await contactOf(ANN), await contactOf(BOB)];
  const before = (await admin('GET', `/deliveries?number=${uuid}&limit=200`)).body.deliveries;
  const { uuid: conversation } = (await platform.conversations.ofContact(uuid, ann.uuid))!;
  const annOnes = before.filter((one: { conversation?: string }) => one.conversation === conversation);
  t.ok(annOnes.length > 5);
  const exported = await admin('GET', `/contacts/${ann.uuid}/export`);
  t.equal(exported.status, 200);
  t.ok(PRIVATE.slice(0, 4).every((text) => JSON.stringify(exported.body).includes(text)));
  t.match(exported.body, { v: 1, contact: { uuid: ann.uuid }, plugins: { journeys: { sessions: [{ contact: ann.uuid }] } } });
  t.notOk(JSON.stringify(exported.body).includes('Bob'));

  const erased = await admin('DELETE', `/contacts/${ann.uuid}?compact=true`);
  t.equal(erased.status, 200, JSON.stringify(erased.body));
  t.match(erased.body.erasure, { state: 'done', removed: { contacts: 1, messages: Number, deliveries: annOnes.length, sessions: 1 } });
  t.ok(erased.body.erasure.purged_at);
  for (const text of PRIVATE) t.strictSame(filesWith(disk, text), [], `${text} is in no file`);

  t.equal((await admin('GET', `/contacts/${ann.uuid}`)).status, 404);
  t.equal((await admin('GET', `/contacts/${ann.uuid}/export`)).status, 404);
  for (const path of [
    '/conversations',
    '/calls',
    '/advice',
    '/events?limit=1000',
    `/numbers/${uuid}/contacts`,
    `/deliveries?number=${uuid}&limit=200`,
  ]) {
    const { status, body } = await admin('GET', path);
    if (path.startsWith('/events')) continue;
    t.equal(status, 200, path);
    for (const text of PRIVATE) t.notOk(JSON.stringify(body).includes(text), `${path} has no ${text}`);
  }
  for (const { uuid: delivery } of annOnes) {
    const shown = await admin('GET', `/deliveries/${delivery}`);
    for (const text of PRIVATE) t.notOk(JSON.stringify(shown.body).includes(text), `the delivery has no ${text}`);
    t.match(shown.body.delivery, { reason: 'contact_erased' });
    const again = await admin('POST', `/deliveries/${delivery}/redeliver`, {});
    t.match(again, { status: 409, headers: { 'x-posthorn-cause': 'body_not_reproducible' } });
  }
  t.equal((await call('GET', `/v1/media/${test.media}`, { token })).status, 404);

  const sent = http.calls.length;
  await admin('POST', `/webhooks/${webhook.uuid}/resume`);
  await clock.advance(60_000);
  const texts = http.calls.slice(sent).map(({ json }) => JSON.stringify(json));
  t.ok(
    texts.some((body) => body.includes('pending of Bob')),
    'what was paused for Bob is sent',
  );
  t.notOk(
    texts.some((body) => PRIVATE.some((text) => body.includes(text))),
    'nothing about Ann is',
  );
  t.equal((await platform.conversations.newest((await platform.conversations.ofContact(uuid, bob.uuid))!.uuid, 100)).length, 13);

  const repeated = await admin('DELETE', `/contacts/${ann.uuid}`);
  t.match(repeated, { status: 200, body: { erasure: { id: erased.body.erasure.id, removed: erased.body.erasure.removed } } });
  await say('I am back', { from: ANN, name: 'Ann' });
  await settle();
  t.not((await contactOf(ANN)).uuid, ann.uuid, 'a later message is that of a new contact');
  t.match(await admin('GET', '/erasures/none'), { status: 404, headers: { 'x-posthorn-cause': 'erasure_not_found' } });
  t.match((await admin('GET', '/erasures')).body, { erasures: [{ id: erased.body.erasure.id, state: 'done' }] });
});

t.test('a hold of the account refuses an erasure; a merged contact is erased with the one into which it was merged', async (t) => {
  const held = definePlugin({
    name: 'loyalty',
    version: '1.0.0',
    collections: { points },
    register: ({ store }) => ({
      personalData: {
        async erase(tx, { contacts }) {
          const found = (await Promise.all(contacts.map((contact) => tx.in(points).get(contact)))).filter((one) => one !== undefined);
          for (const { contact } of found) tx.in(points).delete(contact);
          return { points: found.length };
        },
        export: async ({ contacts }) => ({ points: (await store.open(points).get(contacts[0]!))?.points ?? 0 }),
      },
    }),
  });
  const { admin, say, platform, uuid, clock } = await startChannel(t, {
    plugins: [channels(), webhooks(), journeys(), held()],
  });
  await admin('PATCH', `/numbers/${uuid}`, { account: 'acme' });
  await say('one', { from: 'ann-one', name: 'Ann' });
  await clock.advance(1_000);
  await say('two', { from: 'ann-two', name: 'Ann' });
  const [one, two] = await Promise.all(['ann-one', 'ann-two'].map(async (id) => (await platform.contacts.known(uuid, id))!));
  await platform.store.transaction((tx) => tx.in(points).put({ contact: one!.uuid, number: uuid, points: 7 }));
  await admin('POST', '/contacts/merge', { contact: two!.uuid, into: one!.uuid });
  await admin('PATCH', '/accounts', { account: 'acme', hold: { reason: 'Case 7' } });
  const refused = await admin('DELETE', `/contacts/${one!.uuid}`);
  t.match(refused, { status: 409, headers: { 'x-posthorn-cause': 'legal_hold' } });
  const listed = { id: hashOf(one!.uuid), number: uuid, hashes: [], at: '2099-01-01T00:00:00.000Z' };
  const posted = await admin('POST', '/erasures', { erasures: [listed] });
  t.match(posted, { status: 409, headers: { 'x-posthorn-cause': 'legal_hold' } }, 'nor does a list of erasures');
  t.equal((await admin('GET', `/contacts/${one!.uuid}`)).status, 200, 'and nothing was erased');
  t.match((await admin('GET', `/contacts/${two!.uuid}/export`)).body, {
    contact: { uuid: one!.uuid },
    messages: [{}, {}, {}],
    merged: [{ uuid: two!.uuid }],
    plugins: { loyalty: { points: 7 } },
  });
  await admin('PATCH', '/accounts', { account: 'acme', hold: null });
  const { status, body } = await admin('DELETE', `/contacts/${two!.uuid}`);
  t.equal(status, 200, 'by the uuid of the merged contact, too');
  t.match(body.erasure, { removed: { messages: 3, points: 1 }, hashes: { length: 2 } });
  for (const contact of [one, two]) t.equal((await admin('GET', `/contacts/${contact!.uuid}`)).status, 404);
  t.equal((await admin('DELETE', '/contacts/00000000-0000-4000-8000-000000000000')).status, 404);
});

t.test('a hold that is set while an erasure runs stops it, and its release continues it', async (t) => {
  let batches = 0;
  const court = definePlugin({
    name: 'court',
    version: '1.0.0',
    register: () => ({
      on: [
        beforeCommit(messagesExpired, async (_, tx) => {
          const account = { account: 'acme', hold: { reason: 'Case 7', since: '2026-01-01T00:00:00.000Z' } };
          if (++batches === 1) tx.in(accounts).put(account);
        }),
      ],
    }),
  });
  const { admin, say, platform, uuid, clock, log } = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), court()] });
  await admin('PATCH', `/numbers/${uuid}`, { account: 'acme' });
  for (let n = 0; n < 120; n++) await say(`letter ${n}`, { from: 'ann' });
  const contact = (await platform.contacts.known(uuid, 'ann'))!;
  const stopped = await admin('DELETE', `/contacts/${contact.uuid}`);
  t.match(stopped, { status: 409, headers: { 'x-posthorn-cause': 'legal_hold' } });
  t.match(JSON.stringify(stopped.body), /Removed before: 1 contacts, 100 messages/);
  const erasure = async () => (await admin('GET', `/erasures/${hashOf(contact.uuid)}`)).body.erasure;
  t.match(await erasure(), { state: 'running', removed: { messages: 100 } });
  t.match(await admin('DELETE', `/contacts/${contact.uuid}`), { status: 409 }, 'a repeated call is refused, too');
  await clock.advance(60_000);
  t.match(await erasure(), { state: 'running', removed: { messages: 100 } });
  t.match(
    log.lines.filter(({ message }) => message.startsWith('an erasure stopped')),
    [{ level: 'warn' }],
  );
  await admin('PATCH', '/accounts', { account: 'acme', hold: null });
  await clock.advance(1_000);
  t.match(await erasure(), { state: 'done', removed: { messages: 120 } });
});

t.test('a restored backup does not bring an erased contact back, and sends nothing about it', async (t) => {
  const root = t.testdir();
  const [folder, backups, restored] = ['data', 'backups', 'restored'].map((name) => join(root, name)) as [string, string, string];
  const options = { plugins: [channels(), webhooks(), journeys(), messages()], ports: { workers: new InlinePool() } };
  const test = await startChannel(t, { ...options, dataDir: folder });
  const { admin, call, http, say, platform, uuid, token } = test;
  http.answer(HOOK, {});
  await admin('POST', '/webhooks', { number: uuid, name: 'crm', url: HOOK, subscriptions: ['msgapp'] });
  const webhook = (await admin('GET', '/webhooks')).body.webhooks.find(({ name }: { name: string }) => name === 'crm');
  await admin('POST', `/webhooks/${webhook.uuid}/pause`);
  const picture = await call('POST', '/v1/media', { token, payload: Buffer.from('PICTURE'), headers: { 'content-type': 'image/png' } });
  await say('hello SECRET-WORD', { from: ANN, name: 'Ann Private' });
  await call('POST', '/v1/messages', { token, payload: { to: ANN, type: 'image', image: { id: picture.body.media[0].id } } });
  await say('hello from Bob', { from: BOB, name: 'Bob' });
  const ann = (await platform.contacts.known(uuid, ANN))!;
  const { backup } = await backupData(folder, backups);
  t.equal((await admin('DELETE', `/contacts/${ann.uuid}`)).status, 200);
  await backupData(folder, backups, { at: new Date(Date.now() + 60_000) });
  const list = readFileSync(join(backups, 'erasures.jsonl'), 'utf8');
  t.match(JSON.parse(list), { number: uuid, hashes: [String] });
  t.notOk(list.includes(ann.uuid));
  await restoreData(backup, restored);
  const log = new RecordingLogger();
  const later = await startPlatform(t, { ...options, dataDir: restored, ports: { ...options.ports, log } });
  t.ok(log.lines.some(({ message }) => message === 'contacts of a restored backup were erased again'));
  t.equal((await later.admin('GET', `/contacts/${ann.uuid}`)).status, 404);
  t.match((await later.admin('GET', '/conversations')).body.conversations, [{ contact: { id: BOB } }]);
  later.http.answer(HOOK, {});
  later.http.answer(`POST ${CONNECTOR}`, {});
  await later.admin('POST', `/webhooks/${webhook.uuid}/resume`);
  await later.clock.advance(60_000);
  t.match(
    later.http.callsTo(HOOK).map(({ json }) => json.messages?.[0].text.body),
    ['hello from Bob'],
  );
  const { erasures } = (await later.admin('GET', '/erasures')).body;
  t.match(erasures, [{ state: 'done', removed: { messages: 2, media: 1 } }]);
  const again = await later.admin('POST', '/erasures', {
    erasures: erasures.map(({ id, number, hashes, at }: ListedErasure) => ({ id, number, hashes, at })),
  });
  t.match(again.body, { erased: 0 });
});
