import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { webhooks as records } from '../../../core/delivery/webhook.js';
import { createPlatform } from '../../../core/platform/platform.js';
import { startPlatform } from '../../../core/testing/start-platform.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { channelOver, startChannel } from '../channels/channel-under-test.js';

const OWNER = 'https://owner.test/hook';
const VALUE = 'Bearer a-long-credential-of-the-owner';
const OWN = { Authorization: VALUE, 'X-Desk': 'desk-of-the-owner' };
const HIDDEN = { Authorization: '…', 'X-Desk': '…' };

const plugins = [channels(), webhooks()];

const textOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

t.test('the values of headers are sent, and nothing shows or stores them in plain text', async (t) => {
  const dataDir = freshFolder(t);
  const test = await startChannel(t, { plugins, dataDir, recording: { deliveries: true, calls: true } });
  const { admin, http, say, uuid, platform, log, events } = test;
  http.answer(OWNER, {});
  const made = await admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'], headers: OWN });
  const { webhook } = made.body;
  t.strictSame(webhook.headers, HIDDEN);
  await say('hi');
  const last = () => http.callsTo(OWNER).at(-1)?.headers;
  t.match(last(), { authorization: VALUE, 'x-desk': OWN['X-Desk'] });
  const [delivery] = (await admin('GET', `/deliveries?webhook=${webhook.uuid}`)).body.deliveries;
  const shown = [
    made.body,
    (await admin('GET', `/webhooks/${webhook.uuid}`)).body,
    (await admin('GET', '/webhooks')).body,
    (await admin('GET', `/deliveries/${delivery.uuid}`)).body,
    (await admin('GET', '/calls')).body,
    (await platform.readState()).collections,
    events,
  ];
  t.match(JSON.stringify(shown[3]), '["X-Desk","…"]', 'the request of a delivery');
  for (const value of [VALUE, 'a-long-credential', OWN['X-Desk']]) {
    t.notOk(JSON.stringify(shown).includes(value), value);
    t.notOk(JSON.stringify(log.lines).includes(value), value);
  }

  for (const [what, change, sent] of [
    ['another field', { name: 'Owner' }, OWN],
    ['what was shown, and one more', { headers: { ...HIDDEN, 'X-More': 'm' } }, { ...OWN, 'X-More': 'm' }],
    ['one value', { headers: { ...HIDDEN, 'X-Desk': 'other' } }, { ...OWN, 'X-Desk': 'other' }],
    ['fewer', { headers: { 'X-Desk': '…' } }, { 'X-Desk': 'other' }],
    ['none', { headers: {} }, {}],
  ] as const) {
    t.equal((await admin('PATCH', `/webhooks/${webhook.uuid}`, change)).status, 200, what);
    await say(what);
    for (const name of ['Authorization', 'X-Desk', 'X-More'])
      t.equal(last()?.[name.toLowerCase()], (sent as Record<string, string>)[name], `${what}: ${name}`);
  }
  const refused = await admin('PATCH', `/webhooks/${webhook.uuid}`, { headers: { Authorization: '…' } });
  t.match(refused, { status: 400, body: { errors: [{ details: /headers.Authorization has no value to keep/ }] } });
  t.equal((await admin('POST', '/webhooks', { number: uuid, url: OWNER, headers: HIDDEN })).status, 400, 'a new webhook has no values');
  t.notOk(JSON.stringify(await admin('PATCH', `/webhooks/${webhook.uuid}`, { headers: { 'X-Desk': `${VALUE}\n` } })).includes(VALUE));

  await admin('PATCH', `/webhooks/${webhook.uuid}`, { headers: OWN });
  t.equal(Object.keys((await platform.readState()).secrets).filter((name) => name.includes(':header:')).length, 2);
  await admin('DELETE', `/webhooks/${webhook.uuid}`);
  t.strictSame(
    Object.keys((await platform.readState()).secrets).filter((name) => name.includes(':header:')),
    [],
  );
  t.notOk(textOf(dataDir).includes(VALUE), 'no file has the value');
});

t.test('the headers of earlier releases are sealed at the first start', async (t) => {
  const dataDir = freshFolder(t);
  const before = await startChannel(t, { plugins, dataDir });
  const { platform, uuid } = before;
  const { body } = await before.admin('POST', '/webhooks', { number: uuid, url: OWNER, subscriptions: ['msgapp'] });
  await platform.store.transaction(async (tx) => {
    const webhook = (await tx.in(records).get(body.webhook.uuid))!;
    tx.in(records).put({ ...webhook, headers: OWN });
  });
  await before.server.stop();

  const after = channelOver(await startPlatform(t, { plugins, dataDir }), before);
  t.strictSame((await after.platform.webhooks.get(body.webhook.uuid))?.headers, HIDDEN);
  t.notOk(JSON.stringify((await after.platform.readState()).collections).includes('credential'));
  after.http.answer(OWNER, {});
  await after.say('hi');
  t.match(after.http.callsTo(OWNER).at(-1)?.headers, { authorization: VALUE, 'x-desk': OWN['X-Desk'] });
});

t.test('beside a process of another release, which could not send them, values are not sealed', async (t) => {
  let isMixed = true;
  const platform = createPlatform({ plugins, admin: { key: 'admin-key-of-the-test' } }, { isMixed: () => isMixed });
  await platform.start();
  t.teardown(() => platform.stop());
  const number = platform.ids.uuid();
  const about = { number, url: OWNER, name: 'Owner', subscriptions: ['network' as const] };
  const { uuid } = await platform.store.transaction(async (tx) => platform.webhooks.create(tx, { ...about, headers: OWN }).webhook);
  const change = (headers: Record<string, string>) => platform.store.transaction((tx) => platform.webhooks.update(tx, uuid, { headers }));
  const sent = async () => platform.webhooks.headersOf(await platform.webhooks.require(uuid));
  t.match(await change({ ...HIDDEN, 'X-More': 'm' }), { headers: { ...OWN, 'X-More': 'm' }, sealed_headers: undefined });
  await platform.webhooks.sealHeaders();
  t.strictSame(await sent(), { ...OWN, 'X-More': 'm' });

  isMixed = false;
  await platform.webhooks.sealHeaders();
  isMixed = true;
  t.match(await change({ ...HIDDEN, 'X-More': 'n' }), { headers: HIDDEN, sealed_headers: String }, 'sealed ones stay so');
  t.strictSame(await sent(), { ...OWN, 'X-More': 'n' });
});
