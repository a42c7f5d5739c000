import t from 'tap';
import type { Reply, ScriptedAnswer } from '#core/testing';
import { type ChannelUnderTest, CONNECTOR, startChannel } from './channel-under-test.js';

const answered = (id: string, afterMs = 0, more: Reply = {}): Reply => ({ body: { messages: [{ id }] }, afterMs, ...more });

/** Sends a message to a connector that gives these responses. */
async function sent(channel: ChannelUnderTest, ...answers: [ScriptedAnswer, ...ScriptedAnswer[]]): Promise<string> {
  channel.http.answer(CONNECTOR, ...answers);
  const { uuid } = await channel.send();
  await channel.settle();
  return uuid;
}

t.test('the id in a response that comes too late is that of the message, and its statuses are recorded', async (t) => {
  const channel = await startChannel(t);
  const { say, clock, report, message, told, deliveries } = channel;
  await say('hi');
  const uuid = await sent(channel, answered('late-1', 6_000), answered('out-2'), answered('out-3'));
  await clock.advance(5_500);
  t.match(await message(uuid), { external_id: undefined, pending_for: String });
  t.equal((await report('late-1', 'sent', { at: 10 })).status, 200, 'a status that comes even before');
  await clock.advance(600);
  t.match(await message(uuid), { external_id: 'late-1', status: 'sent', pending_for: undefined });
  t.match(told('message.accepted'), [{ message: { uuid, external_id: 'late-1' } }]);
  t.match(told('delivery.answered_late'), [{ delivery: { message: uuid, attempts: 0 }, status: 200 }]);
  t.equal((await report('late-1', 'delivered', { at: 20 })).status, 200);
  t.match(await message(uuid), { status: 'delivered' });

  await clock.advance(20_000);
  t.equal(deliveries().length, 2, 'the attempt has failed, and is retried');
  t.match(await message(uuid), { external_id: 'out-2' });
  t.equal((await report('late-1', 'read', { at: 30 })).status, 200, 'a status with the first id');
  t.match(await message(uuid), { external_id: 'out-2', status: 'read', statuses: { length: 3 } });
  t.equal((await report('out-2', 'read', { at: 31 })).status, 200);
  t.match(await message(uuid), { statuses: { length: 4 } });
  t.match(await report('late-2', 'read'), { status: 400 }, 'an id that the connector has not returned');
});

t.test('a response that comes after the retry was accepted adds an id', async (t) => {
  const channel = await startChannel(t);
  const { say, clock, report, message, told } = channel;
  await say('hi');
  const uuid = await sent(channel, answered('slow', 25_000), answered('quick'));
  await clock.advance(24_000);
  t.match(await message(uuid), { external_id: 'quick' });
  await clock.advance(2_000);
  t.match(await message(uuid), { external_id: 'quick' });
  t.equal(told('message.accepted').length, 1);
  t.equal((await report('slow', 'delivered')).status, 200);
  t.match(await message(uuid), { status: 'delivered' });
});

t.test('ids of earlier runs are known for a week, until another message has them', async (t) => {
  const channel = await startChannel(t);
  const { say, clock, report, message, admin } = channel;
  await say('hi');
  const uuid = await sent(channel, answered('first'), answered('second'), answered('other'), answered('second'));
  const [delivery] = (await admin('GET', `/deliveries?message=${uuid}`)).body.deliveries;
  await admin('POST', `/deliveries/${delivery.uuid}/redeliver`);
  await channel.settle();
  t.match(await message(uuid), { external_id: 'second' });
  t.equal((await report('first', 'delivered', { at: 1 })).status, 200);
  t.match(await message(uuid), { status: 'delivered' });
  await clock.advance(7 * 24 * 60 * 60 * 1_000);
  t.equal((await report('first', 'read', { at: 2 })).status, 400);
  t.equal((await report('second', 'read', { at: 2 })).status, 200);
});

t.test('a late response without an id, or that refuses the message, changes nothing', async (t) => {
  const channel = await startChannel(t);
  const { say, clock, report, message, told } = channel;
  await say('hi');
  const late: Record<string, Reply> = {
    'a refusal': answered('x', 6_000, { status: 400 }),
    'no id': { body: 'OK', afterMs: 6_000 },
    'more than 30 seconds': answered('x', 31_000),
  };
  for (const [what, answer] of Object.entries(late)) {
    const uuid = await sent(channel, answer, { status: 404 });
    await clock.advance(40_000);
    t.match(await message(uuid), { external_id: undefined, status: 'failed' }, what);
    t.equal((await report('x', 'delivered')).status, 400, what);
  }
  t.equal(told('message.accepted').length, 0);
});

t.test('a body that comes late has the id of a message that was delivered without one', async (t) => {
  const channel = await startChannel(t);
  const { say, clock, message, deliveries } = channel;
  await say('hi');
  const uuid = await sent(channel, answered('in-the-body', 0, { bodyAfterMs: 6_000 }));
  await clock.advance(10_000);
  t.match(await message(uuid), { external_id: 'in-the-body' });
  t.equal(deliveries().length, 1);
});
