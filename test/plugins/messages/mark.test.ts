import t from 'tap';
import { startNetwork } from './network-under-test.js';

const typing = { status: 'read', typing_indicator: { type: 'text' } };

async function startMarked(t: Parameters<typeof startNetwork>[0]) {
  const test = await startNetwork(t);
  const mark = (id: string, payload: object = { status: 'read' }) => test.call('PUT', `/v1/messages/${id}`, { token: test.token, payload });
  return { ...test, mark };
}

t.test('a message is marked as read, and the response is empty', async (t) => {
  const { mark, say, platform, told } = await startMarked(t);
  const message = await say('hi');
  const [before] = await platform.conversations.list(message.number, 1);
  t.equal(before?.unread, 1);
  t.match(await mark(message.external_id!), { status: 200, body: {} });
  t.strictSame((await mark(message.external_id!)).body, {});
  t.match(await platform.messages.get(message.uuid), { read_at: '2026-01-05T08:00:00.000Z' });
  t.equal((await platform.conversations.require(message.conversation)).unread, 0);
  t.match(told('message.seen'), [{ message: { uuid: message.uuid } }, {}]);
  t.strictSame(told('typing.started'), []);
});

t.test('a typing indicator ends after 25 seconds', async (t) => {
  const { mark, say, clock, told } = await startMarked(t);
  const { external_id, contact, conversation, number } = await say('hi');
  t.strictSame((await mark(external_id!, typing)).body, {});
  await clock.advance(24_999);
  t.strictSame(told('typing.started'), [{ conversation, number, contact, until: '2026-01-05T08:00:25.000Z' }]);
  t.strictSame(told('typing.ended'), []);
  await clock.advance(1);
  t.strictSame(told('typing.ended'), [{ conversation, number, contact, reason: 'time' }]);
});

t.test('a typing indicator ends with the next message', async (t) => {
  const { mark, say, send, clock, told } = await startMarked(t);
  const { external_id } = await say('hi');
  await mark(external_id!, typing);
  await clock.advance(3_000);
  await send({ text: { body: 'hello' } });
  await clock.advance(60_000);
  t.match(told('typing.ended'), [{ reason: 'message' }]);
  t.equal(told('typing.ended').length, 1, 'and does not end again after 25 seconds');
});

t.test('a repeated typing indicator lasts 25 seconds from then', async (t) => {
  const { mark, say, clock, told } = await startMarked(t);
  const { external_id } = await say('hi');
  await mark(external_id!, typing);
  await clock.advance(20_000);
  await mark(external_id!, typing);
  await clock.advance(24_999);
  t.strictSame(told('typing.ended'), []);
  await clock.advance(1);
  t.equal(told('typing.ended').length, 1);
});

t.test('only inbound messages of the number can be marked', async (t) => {
  const { mark, say, send, number, call } = await startMarked(t);
  const { external_id } = await say('hi');
  const sent = (await send({ text: { body: 'hello' } })).body.messages[0].id;
  const other = await number('network');
  t.match(await mark('nothing'), { status: 404, body: { errors: [{ code: 1006, details: /no message "nothing"/ }] } });
  t.match(await call('PUT', `/v1/messages/${external_id}`, { token: other.token, payload: { status: 'read' } }), { status: 404 });
  t.match(await mark(sent), { status: 400, body: { errors: [{ details: /Only messages from contacts/ }] } });
  t.match(await mark(external_id!, { status: 'delivered' }), { status: 400, body: { errors: [{ code: 1009, details: /status/ }] } });
  t.match(await mark(external_id!, {}), { status: 400, body: { errors: [{ code: 1008, details: /status is required/ }] } });
  t.equal((await mark(external_id!, { status: 'read', typing_indicator: { type: 'audio' } })).status, 400);
});
