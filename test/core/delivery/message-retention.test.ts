import t from 'tap';
import { RecordingLogger, startPlatform, type Tap, type TestPlatformOptions } from '#core/testing';
import { compact } from '../../../core/adapters/store/compaction.task.js';
import { JsonStore } from '../../../core/adapters/store/json-store.js';
import { chunks, chunkUses } from '../../../core/memory/chunks.js';
import { conversations as conversationRecords } from '../../../core/messaging/conversation.js';
import { messages as messageRecords } from '../../../core/messaging/message.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { SimulatedDisk } from '../adapters/store/simulated-disk.js';

const DAY = 24 * 60 * 60 * 1000;
const ENDPOINT = 'https://hooks.test/in';
const LONG = 'A text of many words. '.repeat(500);

async function start(t: Tap, options: Partial<TestPlatformOptions> = {}) {
  const test = await startPlatform(t, { plugins: [webhooks()], privateTargets: 'allow', ...options });
  const { platform, clock, admin } = test;
  const { store } = platform;
  let ids = 0;
  const numberOf = async (address: string, account: string | null = null) =>
    store.transaction((tx) => platform.numbers.create(tx, { kind: 'channel', type: 'any', address, name: address, account }));
  return {
    ...test,
    numberOf,
    /** A contact writes to a number. @returns the uuid of the message */
    async write(number: Awaited<ReturnType<typeof numberOf>>, { from = '+1', body = 'hello', id = `in-${++ids}` } = {}) {
      const { message } = await store.transaction((tx) =>
        platform.messages.received(tx, number, {
          id,
          contact: { id: from, name: from },
          from,
          timestamp: '1767600000',
          type: 'text',
          content: { text: { body } },
        }),
      );
      return message.uuid;
    },
    stored: async () => (await store.open(messageRecords).list()).map(({ uuid }) => uuid).sort(),
    days: (n: number) => clock.advance(n * DAY),
    retention: async () => (await admin('GET', '/retention')).body,
  };
}

t.test('nothing expires unless a limit is set', async (t) => {
  const { numberOf, write, stored, days, retention } = await start(t);
  const number = await numberOf('a');
  const message = await write(number);
  await days(400);
  t.strictSame(await stored(), [message]);
  t.match(await retention(), {
    numbers: [{ number: number.uuid, kept_days: null, kept_bytes: null, messages: null, next: null }],
    accounts: [],
  });
});

t.test(
  'a message expires with its age, with its long texts, deliveries and unread count, and its contact and conversation remain',
  async (t) => {
    const test = await start(t, { messages: { keptDays: 10 } });
    const { platform, http, admin, numberOf, write, stored, days, events } = test;
    const { store } = platform;
    http.answer(ENDPOINT, {});
    const number = await numberOf('a');
    await admin('POST', '/webhooks', { number: number.uuid, name: 'own', url: ENDPOINT, subscriptions: ['msgapp'] });
    const old = [await write(number, { body: LONG, id: 'same' }), await write(number)];
    await days(5);
    const young = await write(number, { body: LONG });
    await days(0.01);
    const { deliveries } = (await admin('GET', '/deliveries')).body;
    t.equal(deliveries.length, 3);
    t.ok(
      deliveries.every(({ state }: { state: string }) => state === 'delivered'),
      JSON.stringify(deliveries),
    );
    await days(4.89);
    t.strictSame(await stored(), [...old, young].sort(), 'not before');
    await days(0.2);
    t.strictSame(await stored(), [young]);
    t.strictSame(
      (await admin('GET', '/deliveries')).body.deliveries.map(({ message }: { message: string }) => message),
      [young],
      'settled deliveries, which have the content, go with their message',
    );
    t.match(await store.open(conversationRecords).list(), [{ length: 3, unread: 1 }]);
    t.equal((await admin('GET', `/numbers/${number.uuid}/contacts`)).body.contacts.length, 1);
    t.match(
      events.filter(({ name }) => name === 'messages.expired').map(({ data }) => data),
      [{ number: number.uuid, reason: 'age', messages: { length: 2 } }],
    );
    const again = await write(number, { body: LONG, id: 'same' });
    t.not(again, old[0], 'an id is new again when its message has expired');
    await days(10.1);
    t.strictSame(await stored(), []);
    t.equal(await store.open(chunks).count(), 0, 'no long text remains');
    t.equal(await store.open(chunkUses).count(), 0);
    t.match(await store.open(conversationRecords).list(), [{ length: 4, unread: 0 }], 'the conversation remains');
    t.match((await admin('GET', '/conversations')).body.conversations, [{ conversation: { length: 4 } }]);
    await write(number);
    t.match(await store.open(conversationRecords).list(), [{ length: 5, unread: 1 }], 'and goes on');
  },
);

t.test('unsettled work holds a message: one that is pending, and one with an unsettled delivery', async (t) => {
  const { platform, http, admin, numberOf, write, stored, days } = await start(t, { messages: { keptDays: 7 } });
  const { store, messages, contacts, deliveries } = platform;
  const number = await numberOf('a');
  const plain = await write(number);
  const [contact] = await contacts.list(number.uuid);
  const author = { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' };
  const content = { text: { body: 'hi' } };
  const { message: pending } = await store.transaction((tx) => messages.queued(tx, number, contact!, { type: 'text', content, author }));
  http.answer(ENDPOINT, {});
  await admin('POST', '/webhooks', { number: number.uuid, name: 'own', url: ENDPOINT, subscriptions: ['msgapp'] });
  const [webhook] = (await admin('GET', '/webhooks')).body.webhooks;
  await admin('POST', `/webhooks/${webhook.uuid}/pause`);
  const paused = await write(number);
  await days(9);
  t.notOk((await stored()).includes(plain));
  t.strictSame(await stored(), [pending.uuid, paused].sort());
  await admin('POST', `/webhooks/${webhook.uuid}/resume`);
  await store.transaction((tx) => messages.accepted(tx, number, pending.uuid, 'out-1'));
  await days(0.1);
  t.strictSame(await stored(), []);
  t.equal((await deliveries.list({ limit: 10 })).length, 0);
});

t.test('bytes: the oldest messages of all numbers go, those of seven days stay', async (t) => {
  const { numberOf, write, stored, days, retention } = await start(t, { messages: { keptBytes: 3_000 } });
  const [a, b] = [await numberOf('a'), await numberOf('b')];
  const all: string[] = [];
  for (let day = 0; day < 10; day++) {
    all.push(await write(day % 2 === 0 ? a : b, { body: 'x'.repeat(300) }));
    await days(1);
  }
  await days(0.1);
  const left = await stored();
  t.strictSame(left, all.slice(4).sort(), 'the messages of the last seven days stay, although they take more');
  const { numbers } = await retention();
  t.match(numbers[0].next, { reason: 'bytes', messages: 1 });
  await days(10);
  const rest = await stored();
  t.strictSame(rest, all.slice(-rest.length).sort(), 'the newest remain, of both numbers');
  const report = await retention();
  const bytes = report.numbers.reduce((sum: number, one: { bytes: number }) => sum + one.bytes, 0);
  t.ok(bytes <= 3_000 && bytes > 1_500, `${bytes} bytes remain`);
  t.equal(
    report.numbers.reduce((sum: number, one: { messages: number }) => sum + one.messages, 0),
    rest.length,
  );
});

t.test('a number or an account has its own limits', async (t) => {
  const { admin, numberOf, write, stored, days, retention } = await start(t, { messages: { keptDays: 7 } });
  const [standard, ofAccount, own] = [await numberOf('a'), await numberOf('b', 'clinic'), await numberOf('c', 'clinic')];
  const { status, body } = await admin('PATCH', '/accounts', { account: 'clinic', kept_days: 20 });
  t.strictSame([status, body], [200, { account: { account: 'clinic', kept_days: 20 } }]);
  t.match(await admin('PATCH', `/numbers/${own.uuid}`, { kept_days: 30 }), { status: 200, body: { number: { kept_days: 30 } } });
  const written = [await write(standard), await write(ofAccount), await write(own)];
  t.match(
    (await retention()).numbers.map((one: { kept_days: number }) => one.kept_days),
    [7, 20, 30],
  );
  await days(8);
  t.strictSame(await stored(), written.slice(1).sort());
  await days(13);
  t.strictSame(await stored(), written.slice(2));
  t.match(await admin('PATCH', `/numbers/${own.uuid}`, { kept_days: null }), { status: 200, body: { number: { kept_days: undefined } } });
  await days(0.1);
  t.strictSame(await stored(), []);
  for (const [path, payload] of [
    [`/numbers/${own.uuid}`, { kept_days: 6 }],
    ['/accounts', { account: 'clinic', kept_days: 1 }],
    ['/accounts', { account: 'clinic', kept_bytes: 0 }],
    ['/accounts', { account: 'clinic', hold: {} }],
    ['/accounts', { account: 'clinic', hold: { reason: ' \n' } }],
    ['/accounts', { kept_days: 10 }],
  ] as const)
    t.equal((await admin('PATCH', path, payload)).status, 400, JSON.stringify(payload));
});

t.test('a change of an account that changes nothing is not announced', async (t) => {
  const { admin, events } = await start(t);
  const changes: readonly (readonly [object, object | undefined])[] = [
    [{ hold: null }, undefined],
    [{ kept_days: 30 }, { kept_days: 30 }],
    [{ kept_days: 30, kept_bytes: null }, undefined],
    [{ hold: { reason: 'case 12' } }, { kept_days: 30, hold: { reason: 'case 12', since: String } }],
    [{ hold: { reason: 'case 12' }, kept_days: 30 }, undefined],
    [{}, undefined],
    [{ hold: { reason: 'case 13' } }, { hold: { reason: 'case 13' } }],
    [
      { kept_days: null, hold: null },
      { kept_days: undefined, hold: undefined },
    ],
  ];
  for (const [change, announced] of changes) {
    const before = events.length;
    t.match(await admin('PATCH', '/accounts', { account: 'clinic', ...change }), { status: 200, body: { account: { account: 'clinic' } } });
    const found = events.slice(before).filter(({ name }) => name === 'account.changed');
    t.match(
      found.map(({ data }) => data),
      announced ? [{ account: { account: 'clinic', ...announced } }] : [],
      JSON.stringify(change),
    );
    t.equal(found.length, announced ? 1 : 0);
  }
});

t.test('an account on hold expires nothing: messages, deliveries and media', async (t) => {
  const test = await start(t, { messages: { keptDays: 7 }, mediaKeptDays: 7, deliveries: { kept: 1 } });
  const { platform, admin, http, numberOf, write, stored, days, retention } = test;
  http.answer(ENDPOINT, {});
  const [held, free] = [await numberOf('a', 'clinic'), await numberOf('b', 'shop')];
  for (const number of [held, free])
    await admin('POST', '/webhooks', { number: number.uuid, name: 'own', url: ENDPOINT, subscriptions: ['msgapp'] });
  t.match((await admin('PATCH', '/accounts', { account: 'clinic', hold: { reason: 'case 12' } })).body, {
    account: { account: 'clinic', hold: { reason: 'case 12', since: String } },
  });
  t.match((await admin('PATCH', `/numbers/${held.uuid}`, { account: 'shop' })).headers['x-posthorn-cause'], 'account_on_hold');
  const kept: string[] = [];
  for (let n = 0; n < 5; n++) {
    kept.push(await write(held));
    await write(free);
    await days(0.01);
  }
  const media = await platform.media.put(held.uuid, new TextEncoder().encode('bytes'), { mimeType: 'text/plain' });
  const other = await platform.media.put(free.uuid, new TextEncoder().encode('other'), { mimeType: 'text/plain' });
  await days(0.1);
  const deliveriesOf = async ({ uuid }: { uuid: string }) => (await platform.deliveries.list({ number: uuid, limit: 50 })).length;
  t.strictSame([await deliveriesOf(held), await deliveriesOf(free)], [5, 1], 'deliveries on hold do not count, others are evicted');
  await days(40);
  t.strictSame(await stored(), kept.sort());
  t.equal((await platform.media.get(media.id)).media.id, media.id);
  await t.rejects(platform.media.get(other.id), { code: 'medium_not_found' });
  t.strictSame([await deliveriesOf(held), await deliveriesOf(free)], [5, 0], 'beyond the age of deliveries too');
  t.match(await retention(), {
    numbers: [{ on_hold: true, messages: 5, next: null }, { on_hold: false }],
    accounts: [{ hold: { reason: 'case 12' } }],
  });
  t.match((await admin('GET', '/metrics')).body, /posthorn_numbers_on_hold 1\n/);
  t.match((await admin('PATCH', '/accounts', { account: 'clinic', hold: null })).body, { account: { account: 'clinic', hold: undefined } });
  await days(1.1);
  t.strictSame(await stored(), []);
  await t.rejects(platform.media.get(media.id), { code: 'medium_not_found' });
  t.equal((await platform.deliveries.list({ limit: 50 })).length, 0);
  const metrics = (await admin('GET', '/metrics')).body;
  t.match(metrics, /posthorn_kept_evicted_total\{history="messages",reason="age"\} 10\n/);
  t.match(metrics, /posthorn_kept_documents\{history="messages"\} 0\n/);
  t.match(metrics, /posthorn_numbers_on_hold 0\n/);
});

t.test('a damaged message keeps those of its number, and those of other numbers expire', async (t) => {
  const disk = new SimulatedDisk();
  const log = new RecordingLogger();
  const store = new JsonStore({ folder: '/data', log, fs: disk, partBytes: 2_000, compact: (input) => compact(input, disk), now: () => 0 });
  const test = await start(t, { messages: { keptDays: 10, keptBytes: 3_000 }, secretKey: '0'.repeat(64), ports: { store, log } });
  const { numberOf, write, days, retention, admin } = test;
  const [broken, whole] = [await numberOf('a', 'clinic'), await numberOf('b')];
  for (let n = 0; n < 4; n++) await write(broken, { body: 'x'.repeat(1_000) });
  await store.compact();
  const part = disk.files.find((file) => /core\.messages\.\d+\.json$/.test(file))!;
  const bytes = Buffer.from(disk.read(part));
  bytes[bytes.indexOf('xxx')]! ^= 1;
  disk.put(part, bytes);
  const young = [await write(whole), await write(whole)];
  const report = await retention();
  t.match(report.numbers, [
    { name: 'a', oldest: null, next: null },
    { name: 'b', oldest: String, next: { reason: 'age' } },
  ]);
  await days(7.5);
  t.notSame(await store.open(messageRecords).get(young[0]!), undefined);
  await days(3);
  for (const uuid of young) t.equal(await store.open(messageRecords).get(uuid), undefined, 'expired by age');
  t.match((await retention()).numbers[0], { name: 'a', oldest: null, next: null });
  await admin('PATCH', '/accounts', { account: 'clinic', kept_days: 400 });
  for (let n = 0; n < 5; n++) await write(whole, { body: 'y'.repeat(1_000) });
  await days(8);
  t.equal(
    (await store.open(messageRecords).find('age', { equals: [whole.uuid] })).length,
    2,
    'expired because of the bytes of all numbers',
  );
  const reported = log.lines.filter(({ message }) => message === 'messages of a number do not expire until a damaged file is repaired');
  t.ok(reported.length > 0 && reported.length < 19 * 24, `${reported.length} lines`);
  t.match(reported[0], { level: 'error', fields: { number: broken.uuid, error: { name: 'DocumentDamaged' } } });
});

t.test('limits below the window in which ids are recognized are refused', async (t) => {
  await t.rejects(start(t, { messages: { keptDays: 6 } }), { message: /messages\.keptDays/ });
});
