import t from 'tap';
import { RecordingLogger, type Tap } from '#core/testing';
import { FolderBlobs } from '../../core/adapters/folder-blobs.js';
import { compact } from '../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../core/adapters/store/json-store.js';
import { channels } from '../../plugins/channels/plugin.js';
import { cloudApi } from '../../plugins/cloud-api/plugin.js';
import { flows } from '../../plugins/flows/plugin.js';
import { integration } from '../../plugins/integration/plugin.js';
import { journeys } from '../../plugins/journeys/plugin.js';
import { messages } from '../../plugins/messages/plugin.js';
import { network } from '../../plugins/network/plugin.js';
import { webhooks } from '../../plugins/webhooks/plugin.js';
import { SimulatedDisk } from '../core/adapters/store/simulated-disk.js';
import { startChannel, textTurn } from './channels/channel-under-test.js';
import { asks } from './journeys/short-journeys.js';

const ANN = '+27820007771';
const ALIAS = 'user:ann-alias-77';
const BOB = '+27820008882';
const HOOK = 'https://hooks.test/crm';
/** What only Ann has written, received or is called. */
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
  t.match((await admin('GET', '/erasures')).body, { erasures: [{ id: erased.body.erasure.id, state: 'done' }] });
});
