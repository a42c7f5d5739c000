import t from 'tap';
import type { NumberRecord } from '#core';
import { startPlatform, type Tap } from '#core/testing';
import { chunks } from '../../../core/memory/chunks.js';
import { messages } from '../../../core/messaging/message.js';

const body = 'A text of many words. '.repeat(500);
const inbound = (id: string, text = body) => ({
  id,
  contact: { id: '+1', name: 'Ann' },
  from: '+1',
  timestamp: '1767600000',
  type: 'text',
  content: { text: { body: text } },
});

async function startLog(t: Tap) {
  const test = await startPlatform(t, { plugins: [] });
  const { store, numbers } = test.platform;
  const number: NumberRecord = await store.transaction((tx) =>
    numbers.create(tx, { kind: 'channel', type: 'any', address: 'library', name: 'Library' }),
  );
  return { ...test, number };
}

t.test('a long message is read unchanged everywhere, and its content is stored separately', async (t) => {
  const { platform, number } = await startLog(t);
  const { store, messages: log, conversations, contacts } = platform;
  const { message } = await store.transaction((tx) => log.received(tx, number, inbound('in-1')));
  const content = { text: { body } };
  t.match(message, { content });
  t.match(await log.get(message.uuid), { content, external_id: 'in-1' });
  t.match(await log.known(number.uuid, 'inbound', 'in-1'), { content });
  t.match(await log.find(number, message.uuid), { content });
  t.match(await conversations.newest(message.conversation, 5), [{ content }]);
  t.match(await store.transaction((tx) => log.received(tx, number, inbound('in-1'))), { isDuplicate: true, message: { content } });

  const stored = await store.open(messages).get(message.uuid);
  t.notOk('content' in stored!);
  t.ok(JSON.stringify(stored).length < 1_000);
  t.equal(await store.open(chunks).count(), 1);

  await store.transaction(async (tx) => {
    await log.markRead(tx, number, message.uuid);
    await log.label(tx, message.uuid, ['urgent']);
    t.match(await log.current(tx, message.uuid), { content, labels: ['urgent'] }, 'also within a transaction');
  });
  t.match(await log.get(message.uuid), { content, labels: ['urgent'] });
  t.equal(await store.open(chunks).count(), 1, 'the content is not stored again');

  const [contact] = await contacts.list(number.uuid);
  const author = { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' };
  const sent = await store.transaction(async (tx) => {
    const { message: queued } = await log.queued(tx, number, contact!, { type: 'text', content, author });
    return log.accepted(tx, number, queued.uuid, 'out-1');
  });
  t.match(sent, { content, external_id: 'out-1' }, 'recorded and accepted in one transaction');
  await store.transaction((tx) => log.status(tx, number, { id: 'out-1', recipient: '+1', status: 'read', timestamp: '1767600001' }));
  t.match(await log.get(sent!.uuid), { content, status: 'read' });
  t.equal(await store.open(chunks).count(), 1, 'equal content is stored once');
});

t.test('a long message that an earlier release stored without chunks is read and changed', async (t) => {
  const { platform, number } = await startLog(t);
  const { store, messages: log } = platform;
  const { message } = await store.transaction((tx) => log.received(tx, number, inbound('in-1')));
  await store.transaction((tx) => tx.in(messages).put({ ...message, uuid: 'older', external_id: 'in-0' }));
  t.match(await log.get('older'), { content: { text: { body } } });
  await store.transaction((tx) => log.label(tx, 'older', ['found']));
  t.match(await log.get('older'), { content: { text: { body } }, labels: ['found'] });
});

t.test('labels of a message and fields of a contact have a maximum', async (t) => {
  const { platform, number } = await startLog(t);
  const { store, messages: log, contacts } = platform;
  const { message } = await store.transaction((tx) => log.received(tx, number, inbound('in-1', 'hi')));
  const labels = Array.from({ length: 100 }, (_, i) => `label ${i}`);
  await store.transaction((tx) => log.label(tx, message.uuid, labels));
  await store.transaction((tx) => log.label(tx, message.uuid, ['label 7']));
  await t.rejects(
    store.transaction((tx) => log.label(tx, message.uuid, ['one more'])),
    { code: 'too_many_labels' },
  );
  const field = (n: number) => ({ [`field ${n}`]: 'x'.repeat(4_000) });
  for (let n = 0; n < 16; n++) await store.transaction((tx) => contacts.setFields(tx, number, message.contact, field(n)));
  await t.rejects(
    store.transaction((tx) => contacts.setFields(tx, number, message.contact, field(16))),
    { code: 'contact_too_large', message: /at most 65536 characters/ },
  );
  await store.transaction((tx) => contacts.setFields(tx, number, message.contact, { 'field 0': 'shorter' }));
});
