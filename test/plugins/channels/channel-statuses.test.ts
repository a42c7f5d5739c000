import t from 'tap';
import type { DeliveryStatus } from '#core';
import { CONNECTOR, CONTACT, startChannel, tokenOf } from './channel-under-test.js';

const success = { status: 200, body: { success: true } };
const refused = (errors: object) => ({ status: 400, body: { message: 'Bad Request', errors: { status: errors } } });
const OWNER = 'https://owner.test/hook';

/** A channel with a contact, a message with id `out-1` that the connector accepted, and a webhook of the channel's owner. */
async function startConversation(t: Parameters<typeof startChannel>[0]) {
  const test = await startChannel(t);
  await test.say('hi');
  await test.admin('POST', '/webhooks', { number: test.uuid, url: OWNER, subscriptions: ['msgapp'] });
  test.http.answer(OWNER, {});
  const { uuid: message } = await test.send();
  await test.settle();
  const state = async () => {
    const { status, status_timestamp, statuses } = (await test.message(message))!;
    return { status, at: status_timestamp, all: statuses.map(({ status }) => status) };
  };
  /** The statuses that the owner's webhook received. */
  const received = () =>
    test.http
      .callsTo(OWNER)
      .filter(({ json }) => json.statuses)
      .map(({ json }) => `${json.statuses[0].status}@${json.statuses[0].timestamp}`);
  return { ...test, outbound: message, state, received };
}

t.test('a status is recorded on the message with its id', async (t) => {
  const { report, state } = await startConversation(t);
  t.match(await report('out-1', 'sent', { at: 10 }), success);
  t.strictSame(await state(), { status: 'sent', at: '10', all: ['sent'] });
  t.match(await report('out-1', 'delivered', { at: 11 }), success);
  t.match(await report('out-1', 'read', { at: 12 }), success);
  t.strictSame(await state(), { status: 'read', at: '12', all: ['sent', 'delivered', 'read'] });
});

t.test('a failed message has the status failed', async (t) => {
  const { report, state } = await startConversation(t);
  await report('out-1', 'sent', { at: 10 });
  t.match(await report('out-1', 'failed', { at: 10 }), success);
  t.match(await state(), { status: 'failed', at: '10' });
});

t.test('webhooks receive the errors that the connector reports, as far as they can be read', async (t) => {
  const { call, uuid, token, http, settle } = await startConversation(t);
  const untold = { code: 131026, title: 'Message undeliverable', details: /not why/, href: String };
  const blocked = { code: 470, title: 'Blocked', details: 'by the contact', href: 'https://channel.test/470' };
  const cases: [errors: unknown, received: object[]][] = [
    [undefined, [untold]],
    [[], [untold]],
    [[null, 7, {}, [], { code: '', title: ' ', details: null }], [untold]],
    [[{ ...blocked, more: 1 }], [blocked]],
    [[{ title: 'Blocked' }, null], [{ code: 131026, title: 'Blocked', details: '', href: String }]],
    [{ ...blocked, code: '470', href: null }, [{ ...blocked, href: String }]],
    [[{ code: 'E_BLOCKED', details: 'by the contact' }], [{ code: 131026, details: /^E_BLOCKED: by the contact$/ }]],
    [[{ code: 1, title: 'Lost', message: 'on its way' }], [{ code: 1, title: 'Lost', details: /^on its way$/ }]],
    [[{ code: 1, title: 'Lost', message: 'm', error_data: { details: 'there' } }], [{ code: 1, details: /^there$/ }]],
    [[{ ...blocked, href: 'javascript:alert(1)' }], [{ ...blocked, href: /^https:/ }]],
    [[{ code: 1, title: `${'x'.repeat(1023)}😀` }, 7], [{ code: 1, title: /^x{1023}$/, details: '', href: String }]],
    [{ code: '  ' }, [untold]],
    [[{ code: '0x10', title: 'Lost' }], [{ code: 131026, title: 'Lost', details: /^0x10$/ }]],
    [[{ code: ' 7 ', title: 'Lost' }], [{ code: 7, title: 'Lost', details: '' }]],
    ['by the contact', [{ ...untold, details: /^by the contact$/ }]],
  ];
  for (const [i, [errors, received]] of cases.entries()) {
    const status = { id: 'out-1', recipient_id: CONTACT, status: 'failed', timestamp: String(1767600000 + i), errors };
    t.match(await call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload: { status } }), success);
    await settle();
    const told = http.callsTo(OWNER).at(-1)!.json.statuses[0];
    t.match(told, { status: 'failed', timestamp: status.timestamp, errors: received });
    t.strictSame([told.errors.length, Object.keys(told.errors[0]).length], [received.length, 4]);
  }
  const sent = { id: 'out-1', recipient_id: CONTACT, status: 'sent', timestamp: '1767600009', errors: [blocked] };
  await call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload: { status: sent } });
  await settle();
  t.notOk('errors' in http.callsTo(OWNER).at(-1)!.json.statuses[0]);
});

t.test('a status that arrives late does not replace a later one, but webhooks receive it', async (t) => {
  const { report, state, received, settle, told } = await startConversation(t);
  for (const [status, at] of [
    ['read', 20],
    ['delivered', 10],
    ['sent', 5],
  ] as const) {
    t.match(await report('out-1', status, { at }), success);
    await settle();
  }
  t.strictSame(await state(), { status: 'read', at: '20', all: ['read', 'delivered', 'sent'] });
  t.strictSame(received(), ['read@20', 'delivered@10', 'sent@5']);
  t.strictSame(
    told('message.status').map(({ stands }) => stands),
    [true, false, false],
  );
});

t.test('the same status again succeeds, and webhooks do not receive it again', async (t) => {
  const { report, received, settle, state } = await startConversation(t);
  const answers = await Promise.all(Array.from({ length: 10 }, () => report('out-1', 'delivered', { at: 10 })));
  await settle();
  t.ok(answers.every(({ status }) => status === 200));
  t.strictSame(received(), ['delivered@10']);
  t.strictSame((await state()).all, ['delivered']);
});

t.test('of many reports the newest are stored, and the current one', async (t) => {
  const { report, state } = await startConversation(t);
  await report('out-1', 'read', { at: 1 });
  for (let at = 1; at <= 30; at++) await report('out-1', 'sent', { at });
  const { status, all } = await state();
  t.equal(status, 'read');
  t.strictSame(all, ['read', ...Array.from({ length: 20 }, () => 'sent')]);
});

t.test('an id that is not of a message sent on this channel is invalid', async (t) => {
  const test = await startConversation(t);
  const other = (await test.admin('POST', '/channels', { from_addr: 'museum', name: 'Museum', endpoint: 'https://museum.test' })).body
    .number;
  const token = await tokenOf(test, other.uuid);
  const invalid = refused({ id: ['is invalid'] });
  t.match(await test.report('nothing', 'sent'), invalid);
  t.match(await test.report('in-1', 'sent'), invalid, 'an inbound message');
  t.match(await test.report(test.outbound, 'sent'), invalid, "the platform's own id of the message");
  const elsewhere = await test.call('POST', `/v1/numbers/${other.uuid}/statuses`, {
    token,
    payload: { status: { id: 'out-1', recipient_id: CONTACT, status: 'sent', timestamp: '1' } },
  });
  t.match(elsewhere, invalid, 'a message of another channel');
  t.strictSame(test.told('message.status'), []);
});

t.test("a recipient that is not the message's is invalid", async (t) => {
  const { report, state } = await startConversation(t);
  t.match(await report('out-1', 'delivered', { recipient: '+27000000000' }), refused({ recipient_id: ['is invalid'] }));
  t.strictSame((await state()).all, []);
});

t.test('every field of a status is required, and checked', async (t) => {
  const { call, uuid, token } = await startConversation(t);
  const right = { id: 'out-1', recipient_id: CONTACT, status: 'sent', timestamp: '1767600000' };
  const post = (payload: unknown) => call('POST', `/v1/numbers/${uuid}/statuses`, { token, payload });
  const blank = ["can't be blank"];
  const invalid = ['is invalid'];
  for (const field of Object.keys(right)) {
    for (const value of [undefined, null, ''])
      t.strictSame((await post({ status: { ...right, [field]: value } })).body, refused({ [field]: blank }).body);
    t.strictSame((await post({ status: { ...right, [field]: 7 } })).body, refused({ [field]: invalid }).body);
  }
  t.match(await post({ status: { ...right, status: 'bounced' } }), refused({ status: invalid }));
  t.match(await post({ status: { ...right, timestamp: 'now' } }), refused({ timestamp: invalid }));
  const all = { id: blank, recipient_id: blank, status: blank, timestamp: blank };
  for (const body of [{}, { status: null }, { status: {} }, right]) t.match(await post(body), refused(all));
  t.match(await post({ status: { ...right, extra: 1 }, more: true }), success, 'unknown keys are accepted');
});

t.test("a status that arrives before the connector has returned the message's id is recorded afterwards", async (t) => {
  const test = await startChannel(t);
  await test.say('hi');
  const early: [DeliveryStatus, number][] = [
    ['sent', 10],
    ['delivered', 11],
    ['read', 12],
  ];
  test.http.answer(CONNECTOR, async () => {
    for (const [status, at] of early) t.match(await test.report('early-1', status, { at }), success);
    t.strictSame((await test.message(outbound.uuid))?.statuses, [], 'they are not recorded yet');
    return { body: { messages: [{ id: 'early-1' }] } };
  });
  const outbound = await test.send();
  await test.settle();
  t.match(await test.message(outbound.uuid), { external_id: 'early-1', status: 'read', statuses: { length: 3 } });
  t.strictSame(
    test.told('message.status').map(({ report }) => report.status),
    ['sent', 'delivered', 'read'],
    'in order of arrival',
  );
  t.strictSame(test.told('advice'), []);
});

t.test('a status is pending while a delivery is retried, too', async (t) => {
  const test = await startChannel(t);
  await test.say('hi');
  test.http.answer(CONNECTOR, { status: 500 }, { body: { messages: [{ id: 'late-1' }] } });
  const { uuid } = await test.send();
  await test.settle();
  t.match(await test.report('late-1', 'delivered'), success);
  await test.clock.advance(18_000);
  t.match(await test.message(uuid), { external_id: 'late-1', status: 'delivered' });
});

t.test('a pending status is discarded with advice when no message to its recipient is pending any more', async (t) => {
  const test = await startChannel(t);
  await test.say('hi');
  test.http.answer(CONNECTOR, async () => {
    t.match(await test.report('stray', 'delivered'), success);
    return { body: { messages: [{ id: 'other' }] } };
  });
  const { uuid } = await test.send();
  await test.settle();
  t.match(await test.message(uuid), { external_id: 'other', statuses: { length: 0 } });
  t.match(test.told('advice'), [
    {
      name: 'status_without_message',
      number: test.uuid,
      message: /'delivered' status was discarded: .* message id 'stray'/,
      fix: /messages\[0\]\.id/,
    },
  ]);
  t.match(await test.report('stray', 'read'), refused({ id: ['is invalid'] }), 'from now on it is refused');
});

t.test('a pending status waits for the last delivery to its recipient, and is discarded when that is dropped', async (t) => {
  const test = await startChannel(t);
  await test.say('hi');
  const first = async () => {
    t.match(await test.report('second', 'delivered'), success);
    return { body: { messages: [{ id: 'first' }] } };
  };
  test.http.answer(CONNECTOR, first, 'refuse', { status: 400 });
  await test.send();
  await test.send();
  await test.settle();
  t.strictSame(test.told('advice'), [], 'one delivery is still retried');
  await test.clock.advance(18_000);
  t.match(test.told('message.undeliverable'), [{ reason: /^cancelled: http_4xx \(the endpoint answered 400, which ends retries\)$/ }]);
  t.match(test.told('advice'), [{ name: 'status_without_message' }]);
});

t.test('a pending status of one contact does not wait for another contact', async (t) => {
  const test = await startChannel(t);
  await test.say('hi', { from: '+1' });
  await test.say('hi', { from: '+2' });
  test.http.answer(CONNECTOR, 'refuse');
  await test.send(undefined, '+1');
  await test.settle();
  t.match(await test.report('x', 'sent', { recipient: '+2' }), refused({ id: ['is invalid'] }));
  t.match(await test.report('x', 'sent', { recipient: '+1' }), success);
});

t.test('the number of pending statuses is bounded', async (t) => {
  const test = await startChannel(t);
  await test.say('hi');
  test.http.answer(CONNECTOR, 'refuse');
  await test.send();
  await test.settle();
  for (let i = 0; i < 100; i++) t.equal((await test.report(`stray-${i}`, 'sent')).status, 200);
  t.match(await test.report('stray-100', 'sent'), refused({ id: ['is invalid'] }));
});

t.test('statuses are pending again during a redelivery, and the newest id counts', async (t) => {
  const test = await startConversation(t);
  const [delivery] = await test.platform.deliveries.list({ message: test.outbound, limit: 1 });
  test.http.answer(CONNECTOR, async () => {
    t.match(await test.report('again', 'delivered'), success);
    return { body: { messages: [{ id: 'again' }] } };
  });
  t.equal((await test.admin('POST', `/deliveries/${delivery!.uuid}/redeliver`)).status, 200);
  await test.settle();
  t.match(await test.message(test.outbound), { external_id: 'again', status: 'delivered' });
  t.match(await test.report('out-1', 'read'), success, 'the connector sent the message with this id, too');
  t.match(await test.message(test.outbound), { external_id: 'again', status: 'read' });
});
