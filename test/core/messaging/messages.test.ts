import t from 'tap';
import type { Inbound, MessageRecord, NumberRecord, Transaction } from '#core';
import type { NotificationError, StatusOutcome } from '#core/messaging';
import { startPlatform, type Tap } from '#core/testing';

const inbound = (id: string, about: Partial<Inbound> = {}): Inbound => ({
  id,
  contact: { id: '+1', name: 'Ann' },
  from: '+1',
  timestamp: '1767600000',
  type: 'text',
  content: { text: { body: 'hi' } },
  ...about,
});
const outbound = { type: 'text', content: { text: { body: 'hello' } }, author: { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' } };

async function startLog(t: Tap) {
  const test = await startPlatform(t, { plugins: [] });
  const { store, numbers, messages, contacts } = test.platform;
  const number: NumberRecord = await store.transaction((tx) =>
    numbers.create(tx, { kind: 'channel', type: 'any', address: 'library', name: 'Library' }),
  );
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => store.transaction(work);
  const receive = (message: Inbound) => inTransaction((tx) => messages.received(tx, number, message));
  await receive(inbound('in-0'));
  const [contact] = await contacts.list(number.uuid);
  return {
    ...test,
    number,
    messages,
    contacts,
    inTransaction,
    receive,
    queue: async (): Promise<MessageRecord> => (await inTransaction((tx) => messages.queued(tx, number, contact!, outbound))).message,
    accept: (uuid: string, id?: string) => inTransaction((tx) => messages.accepted(tx, number, uuid, id)),
    markUndeliverable: (uuid: string, why: string | NotificationError = 'no way') =>
      inTransaction((tx) => messages.undeliverable(tx, number, uuid, why)),
    report: (id: string, about: object = {}): Promise<StatusOutcome> =>
      inTransaction((tx) => messages.status(tx, number, { id, recipient: '+1', status: 'sent', timestamp: '1', ...about })),
    told: (name: string) => test.events.filter((event) => event.name === name).length,
  };
}

t.test('a message is recorded once, however many times it arrives', async (t) => {
  const { receive, told } = await startLog(t);
  t.match(await receive(inbound('in-1')), { isDuplicate: false, message: { position: 2, direction: 'inbound', external_id: 'in-1' } });
  t.match(await receive(inbound('in-1', { content: { text: { body: 'other' } } })), {
    isDuplicate: true,
    message: { content: { text: { body: 'hi' } } },
  });
  const all = await Promise.all(Array.from({ length: 10 }, () => receive(inbound('in-2'))));
  t.equal(all.filter(({ isDuplicate }) => !isDuplicate).length, 1);
  t.equal(told('message.received'), 3);
});

t.test('further parts of a message are messages after it, recorded once with it', async (t) => {
  const { receive, told, messages, number } = await startLog(t);
  const image = { type: 'image', content: { image: { id: 'm1', link: 'media:m1', mime_type: 'image/png' } } };
  const errors = [{ code: 131052, title: 'Media download error', details: 'gone', href: 'https://posthorn.invalid' }];
  const mail = inbound('mail-1', {
    context: { id: 'out-1' },
    channel: { subject: 'Hello' },
    parts: [
      { ...image, id: 'mail-1#2' },
      { ...image, id: 'mail-1#3', errors },
    ],
  });
  const { message } = await receive(mail);
  t.equal(message.quiet, undefined);
  t.equal(message.parts?.length, 2);
  const parts = await Promise.all(message.parts!.map((uuid) => messages.get(uuid)));
  t.match(parts, [
    {
      external_id: 'mail-1#2',
      position: 3,
      type: 'image',
      content: image.content,
      from: '+1',
      context: { id: 'out-1' },
      quiet: /part of .* mail-1$/,
    },
    { external_id: 'mail-1#3', position: 4, errors },
  ]);
  t.equal(parts[0]!.channel, undefined);
  t.equal((await messages.known(number.uuid, 'inbound', 'mail-1'))?.position, 2);
  t.match(await receive(mail), { isDuplicate: true, message: { uuid: message.uuid, parts: message.parts } });
  t.equal(told('message.received'), 4);
});

t.test('the content of a message cannot set its recipient or its time', async (t) => {
  const { inTransaction, messages, number, contacts, platform } = await startLog(t);
  const [contact] = await contacts.list(number.uuid);
  const meddling = { ...outbound, to: '+999', from: '+998', direction: 'inbound', timestamp: '0', pending_for: '+997' };
  const { message } = await inTransaction((tx) => messages.queued(tx, number, contact!, meddling));
  t.match(await platform.messages.get(message.uuid), { to: '+1', from: 'library', direction: 'outbound', pending_for: '+1', type: 'text' });
  t.not(message.timestamp, '0');
});

t.test('the messages of a conversation are numbered without gaps, also when they arrive concurrently', async (t) => {
  const { receive, queue, platform, number } = await startLog(t);
  await Promise.all([
    ...Array.from({ length: 10 }, (_, i) => receive(inbound(`in-${i + 1}`))),
    ...Array.from({ length: 10 }, () => queue()),
  ]);
  const [conversation] = await platform.conversations.list(number.uuid, 10);
  t.equal(conversation?.length, 21);
  const newest = await platform.conversations.newest(conversation!.uuid, 50);
  t.strictSame(
    newest.map(({ position }) => position),
    Array.from({ length: 21 }, (_, i) => 21 - i),
  );
});

t.test('a message is pending until it is accepted or undeliverable', async (t) => {
  const { queue, accept, markUndeliverable, messages, told } = await startLog(t);
  const [withId, withoutId, lost] = [await queue(), await queue(), await queue()];
  t.equal(withId.pending_for, '+1');
  await accept(withId.uuid, 'out-1');
  await accept(withoutId.uuid);
  await markUndeliverable(lost.uuid);
  t.match(await messages.get(withId.uuid), { external_id: 'out-1', pending_for: undefined });
  t.match(await messages.get(withoutId.uuid), { external_id: undefined, pending_for: undefined });
  t.match(await messages.get(lost.uuid), { external_id: undefined, pending_for: undefined });
  t.equal(told('message.accepted'), 2);
  t.equal(told('message.undeliverable'), 1);
  await markUndeliverable(lost.uuid);
  t.equal(told('message.undeliverable'), 1, 'it fails once');
  t.match((await messages.get(lost.uuid))?.statuses, [{ status: 'failed', errors: [{ code: 131026, details: 'no way' }] }]);
  const blocked = { code: 403, title: 'Blocked', details: 'The contact has blocked the bot', href: 'https://channel.test/403' };
  const refused = await queue();
  await markUndeliverable(refused.uuid, blocked);
  t.match((await messages.get(refused.uuid))?.statuses, [{ status: 'failed', errors: [blocked] }]);
});

t.test('a status report is recorded, stored as pending, or refused', async (t) => {
  const { queue, accept, report } = await startLog(t);
  t.equal(await report('out-1'), 'unknown message');
  const { uuid } = await queue();
  t.equal(await report('out-1'), 'held');
  t.equal(await report('out-1', { recipient: '+2' }), 'unknown message', 'no message to this recipient is pending');
  await accept(uuid, 'out-1');
  t.equal(await report('out-1'), 'repeated', 'the pending report is recorded');
  t.equal(await report('out-1', { status: 'delivered' }), 'recorded');
  t.equal(await report('out-1', { recipient: '+2', status: 'read' }), 'other recipient');
  t.equal(await report('out-2'), 'unknown message');
});

t.test('an accepted message keeps its id when a redelivery fails', async (t) => {
  const { queue, accept, markUndeliverable, report, messages, platform, told } = await startLog(t);
  const { uuid } = await queue();
  await accept(uuid, 'out-1');
  await platform.store.transaction((tx) => messages.markPending(tx, uuid));
  t.equal(await report('out-2'), 'held', 'it is pending again');
  await markUndeliverable(uuid);
  t.match(await messages.get(uuid), { external_id: 'out-1', pending_for: undefined });
  t.equal(told('message.undeliverable'), 0);
  t.equal(told('advice'), 1, 'and the pending report is discarded');
});

t.test('a status and the id of its message that arrive concurrently are matched', async (t) => {
  const { queue, accept, report, messages } = await startLog(t);
  for (let i = 0; i < 20; i++) {
    const { uuid } = await queue();
    const [outcome] = await Promise.all([report(`out-${i}`), accept(uuid, `out-${i}`)]);
    t.match(outcome, /held|recorded/);
    t.match(await messages.get(uuid), { status: 'sent' });
  }
});
