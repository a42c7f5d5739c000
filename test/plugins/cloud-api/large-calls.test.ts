import { createHmac } from 'node:crypto';
import t from 'tap';
import type { JsonObject, Route } from '#core';
import { ManualClock } from '#core/testing';
import { createCounters } from '../../../plugins/cloud-api/metrics.js';
import type { Connections } from '../../../plugins/cloud-api/numbers/connections.js';
import { createSigning } from '../../../plugins/cloud-api/receiving/signing.js';
import { itemsOf } from '../../../plugins/cloud-api/receiving/split.js';
import type { ConnectionRecord } from '../../../plugins/cloud-api/records.js';
import { webhookRoutes } from '../../../plugins/cloud-api/routes.js';

const MEBIBYTE = 1024 * 1024;
const hmac = (secret: string, bytes: Uint8Array): string => createHmac('sha256', secret).update(bytes).digest('hex');

/** Connections of the numbers 1, 2, … to an app each, in the accounts 9001, 9002, … */
function connectedApps(count: number): Connections {
  const list = Array.from({ length: count }, (_, i): ConnectionRecord => {
    const id = String(i + 1);
    return { number: `uuid-${id}`, phone_number_id: id, waba_id: `900${id}`, connected_at: '2026-01-01T00:00:00.000Z' };
  });
  const secretOf = ({ phone_number_id }: ConnectionRecord) => `secret ${phone_number_id}`;
  const connections: Partial<Connections> = {
    list: async () => list,
    byPhone: async (id) => list.find(({ phone_number_id }) => phone_number_id === id),
    byPath: async (id) => list.find(({ phone_number_id, number }) => phone_number_id === id || number === id),
    byAccount: async (id) => list.filter(({ waba_id }) => waba_id === id),
    secret: async (uuid) => secretOf(list.find(({ number }) => number === uuid)!),
    appSecrets: async (of) => of.map(secretOf),
  };
  return connections as Connections;
}

function signingUnderTest(apps: number) {
  const clock = new ManualClock();
  let hashed = 0;
  const signing = createSigning(connectedApps(apps), clock, (secret, bytes) => {
    hashed += bytes.length;
    return hmac(secret, bytes);
  });
  const call = async (path: string, body: string | Buffer, by = 'another secret') => {
    const bytes = Buffer.from(body);
    hashed = 0;
    const result = await signing.secret(path, `sha256=${hmac(by, bytes)}`, bytes).catch((error: Error) => error.constructor.name);
    return { result, hashed };
  };
  return { clock, signing, call };
}

const largeFor = (id: string, bytes = 8 * MEBIBYTE) =>
  `${JSON.stringify({ entry: [{ id: `900${id}`, changes: [{ value: { metadata: { phone_number_id: id } } }] }] })}${' '.repeat(bytes)}`;

t.test('a forged call costs one HMAC of the app that it names, and a bounded amount when it names none', async (t) => {
  const { clock, signing, call } = signingUnderTest(60);
  const large = largeFor('7');
  t.strictSame(await call('404', large), { result: 'NotFound', hashed: large.length }, 'the app of the named number');
  t.strictSame(await call('404', large, 'secret 7'), { result: 'secret 7', hashed: large.length });
  t.strictSame(
    await call('404', largeFor('7000')),
    { result: 'NotFound', hashed: 0 },
    'no number is named, and 60 apps would take 480 MiB',
  );
  for (const header of [undefined, 'sha256=7'])
    await t.rejects(signing.secret('404', header, Buffer.from(large)), { status: 404, code: 'connection_not_found' });
  t.strictSame(await call('7', large), { result: 'SignatureRefused', hashed: large.length });

  // Small calls of an app whose number was disconnected still find their app, unless a minute has had too many forged ones.
  const small = largeFor('7000', 100_000);
  t.match(await call('404', small, 'secret 60'), { result: 'secret 60', hashed: 60 * small.length });
  let forged = 0;
  for (let i = 0; i < 10; i++) forged += (await call('404', small)).hashed;
  t.ok(forged > 0 && forged <= 16 * MEBIBYTE, `${forged} bytes`);
  t.match(await call('404', small, 'secret 60'), { result: 'NotFound', hashed: 0 });
  t.equal((await call('404', largeFor('7'), 'secret 7')).result, 'secret 7', 'calls that name a number do not count');
  await clock.advance(60_000);
  t.equal((await call('404', small, 'secret 60')).result, 'secret 60');
});

t.test('a call of an account is signed by one of its apps, and ids beyond the first ten thousand are not read', async (t) => {
  const { call } = signingUnderTest(3);
  const ofAccount = JSON.stringify({ entry: [{ id: '9002', changes: [{ field: 'message_template_status_update', value: {} }] }] }, null, 2);
  t.match(await call('404', ofAccount, 'secret 2'), { result: 'secret 2', hashed: ofAccount.length });
  const many = `[${'{"id":"8"},'.repeat(10_000)}{"id":"9002"}]`;
  t.equal((await call('404', many, 'secret 2')).hashed, 2 * many.length, 'the secrets of all apps, in order');
});

/** A webhook with thousands of messages, each of another contact. */
const manyMessages = (count: number) => ({
  metadata: { phone_number_id: '1' },
  contacts: Array.from({ length: count }, (_, i): JsonObject => ({ wa_id: `1650${count - i}`, profile: { name: `${count - i}` } })),
  messages: Array.from({ length: count }, (_, i): JsonObject => ({ from: `1650${i + 1}`, id: `m-${i}`, type: 'text' })),
});
const bodyWith = (value: object) => JSON.parse(JSON.stringify({ entry: [{ id: '9001', changes: [{ field: 'messages', value }] }] }));

t.test(
  'a call with thousands of messages is stored in parts between which other calls run, and gets 200 only after the last',
  async (t) => {
    const connections = connectedApps(1);
    const stored: number[] = [];
    let failsAt = Number.POSITIVE_INFINITY;
    const store = {
      async transaction(work: (tx: { push: () => void }) => void) {
        if (stored.length === failsAt) throw new Error('the disk is full');
        let pushed = 0;
        work({ push: () => void pushed++ });
        stored.push(pushed);
      },
    };
    const log = { debug: () => undefined };
    const deps = { connections, signing: createSigning(connections, new ManualClock()), counters: createCounters() };
    const [, route] = webhookRoutes({ store, log } as unknown as Parameters<typeof webhookRoutes>[0], deps);
    const body = Buffer.from(JSON.stringify(bodyWith(manyMessages(2_000))));
    const call = { params: { number: '1' }, payload: body, headers: { 'x-hub-signature-256': `sha256=${hmac('secret 1', body)}` } };
    const answer = () => route!.handler(call as unknown as Parameters<Route['handler']>[0], undefined as never);

    let turns = 0;
    let counting = setImmediate(function count() {
      turns++;
      counting = setImmediate(count);
    });
    t.strictSame(await answer(), {});
    clearImmediate(counting);
    t.strictSame(
      stored,
      Array.from({ length: 8 }, () => 250),
    );
    t.ok(turns >= 8, `${turns} turns of the event loop`);
    failsAt = 11;
    await t.rejects(Promise.resolve(answer()), { message: 'the disk is full' });
  },
);

t.test('contacts of a call are found without comparing each message with each contact', async (t) => {
  const deps = { connections: connectedApps(1), counters: createCounters(), signedBy: 'secret 1' };
  const count = 2_000;
  const body = bodyWith(manyMessages(count));
  let reads = 0;
  for (const contact of body.entry[0].changes[0].value.contacts) {
    const { wa_id } = contact;
    Object.defineProperty(contact, 'wa_id', {
      get: () => {
        reads++;
        return wa_id;
      },
    });
  }
  const items = await itemsOf(body, deps);
  t.equal(items.length, count);
  for (const { job } of items) t.equal((job.contact as { profile: { name: string } }).profile.name, String(job.value.from).slice(4));
  t.ok(reads <= 4 * count, `${reads} reads`);
});

t.test('all ids that a contact and a message have must be the same, in any order of contacts', async (t) => {
  const deps = { connections: connectedApps(1), counters: createCounters(), signedBy: 'secret 1' };
  const contacts = [
    { wa_id: '1', user_id: 'A', profile: 'both' },
    { wa_id: '2', profile: 'phone' },
    { user_id: 'C', profile: 'user' },
    { wa_id: '5511987654321', profile: 'with the 9' },
    { profile: 'without ids' },
  ];
  const cases: [from: string | undefined, user: string | undefined, found: string | undefined][] = [
    ['1', undefined, 'both'],
    ['1', 'A', 'both'],
    ['1', 'B', undefined],
    ['9', 'A', undefined],
    [undefined, 'A', 'both'],
    ['2', 'B', 'phone'],
    ['9', 'C', 'user'],
    ['551187654321', undefined, 'with the 9'],
    ['551187654321', 'Z', 'with the 9'],
    ['7', undefined, undefined],
    [undefined, undefined, undefined],
  ];
  const messages = cases.map(([from, from_user_id], i) => ({ from, from_user_id, id: `${i}`, type: 'text' }));
  for (const order of [contacts, contacts.toReversed()]) {
    const items = await itemsOf(bodyWith({ metadata: { phone_number_id: '1' }, contacts: order, messages }), deps);
    t.strictSame(
      items.map(({ job }) => job.contact?.profile),
      cases.map(([, , found]) => found),
    );
  }
  const single = bodyWith({ metadata: { phone_number_id: '1' }, contacts: [contacts[4]], messages: [messages.at(-1)] });
  t.equal((await itemsOf(single, deps))[0]?.job.contact?.profile, 'without ids');
});

t.test('a call with more parts than the network sends gets 413', async (t) => {
  const deps = { connections: connectedApps(1), counters: createCounters(), signedBy: 'secret 1' };
  const statuses = Array.from({ length: 50_001 }, (_, i) => ({ id: `${i}`, status: 'read' }));
  await t.rejects(itemsOf(bodyWith({ metadata: { phone_number_id: '1' }, statuses }), deps), { status: 413, code: 'too_many_parts' });
});
