import t from 'tap';
import { messageBody } from '#core/messaging';
import { remoteIds } from '../../../core/messaging/remote-id.js';
import { startContacts } from './contacts-under-test.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const ANN = '+27820001001';

t.test('a message has further ids of the service, and statuses name it by any of them, in any order', async (t) => {
  const { receive, send, within, messages, number, told } = await startContacts(t, 'channel');
  await receive(ANN);
  const { uuid } = await send(ANN);
  const report = (id: string, status: 'sent' | 'delivered' | 'read', timestamp: string) =>
    within((tx) => messages.status(tx, number, { id, recipient: ANN, status, timestamp }));
  const add = (message: string, id: string) => within((tx) => messages.addRemoteId(tx, number, message, id));

  t.equal(await report('part-2', 'sent', '1'), 'held', 'its id is not known yet');
  for (const id of ['part-1', 'part-2', 'part-1']) await add(uuid, id);
  t.strictSame(await messages.remoteIdsOf(uuid), ['part-1', 'part-2']);
  t.equal((await messages.get(uuid))?.status, 'sent', 'the report was waiting for the id');
  await within((tx) => messages.accepted(tx, number, uuid, 'ours'));
  t.equal(await report('part-1', 'delivered', '2'), 'recorded');
  t.equal(await report('ours', 'read', '3'), 'recorded');
  t.equal(await report('part-3', 'read', '4'), 'unknown message');
  t.equal((await messages.get(uuid))?.status, 'read');

  t.equal((await messages.byRemoteId(undefined, number.uuid, 'part-2'))?.uuid, uuid);
  t.equal(await messages.byRemoteId(undefined, 'another number', 'part-2'), undefined);
  await within(async (tx) => {
    await messages.addRemoteId(tx, number, uuid, 'new');
    t.equal((await messages.byRemoteId(tx, number.uuid, 'new'))?.uuid, uuid, 'in the transaction');
    t.strictSame(await messages.remoteIdsOf(uuid, tx), ['part-1', 'part-2', 'new']);
    t.equal(await messages.byRemoteId(undefined, number.uuid, 'new'), undefined);
  });

  const other = await send(ANN);
  await add(other.uuid, 'part-1');
  t.equal((await messages.byRemoteId(undefined, number.uuid, 'part-1'))?.uuid, uuid, 'an id remains with the message that has it');
  t.match(told('advice'), [{ name: 'message_id_repeated', message: /'part-1'/, about: { message: uuid } }]);
  await add('gone', 'part-9');
  t.equal(await messages.byRemoteId(undefined, number.uuid, 'part-9'), undefined);
});

t.test('further ids go with their message', async (t) => {
  const { receive, send, within, messages, number, clock, platform } = await startContacts(t, 'channel', { messages: { keptDays: 7 } });
  await receive(ANN);
  const { uuid } = await send(ANN);
  await within((tx) => messages.addRemoteId(tx, number, uuid, 'part-1'));
  await within((tx) => messages.accepted(tx, number, uuid));
  await clock.advance(9 * DAY_MS);
  t.equal(await messages.get(uuid), undefined);
  t.equal(await messages.byRemoteId(undefined, number.uuid, 'part-1'), undefined);
  t.equal(await platform.store.open(remoteIds).count(), 0);
});

t.test('a message keeps what only its channel knows, which webhooks and connectors do not receive', async (t) => {
  const { receive, admin, all } = await startContacts(t, 'channel');
  const channel = { subject: 'Your loans', parts: [1, null] };
  const message = await receive(ANN, { channel });
  const { body } = await admin('GET', `/conversations/${message.conversation}`);
  t.strictSame(body.messages[0].channel, channel, 'the admin API, from which the console reads, shows it');
  t.notOk('channel' in messageBody(message), 'the form in webhooks, payloads of connectors and journeys');
  const before = (await all()).length;
  for (const wrong of [{ text: 'x'.repeat(4_090) }, { text: 'é'.repeat(2_050) }])
    await t.rejects(receive('+27820001002', { channel: wrong }), TypeError);
  t.equal((await all()).length, before, 'a refused message leaves nothing behind');
  await receive(ANN, { channel: { text: 'x'.repeat(4_096 - '{"text":""}'.length) } });
});
