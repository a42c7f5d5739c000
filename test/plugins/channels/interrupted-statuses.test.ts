import t from 'tap';
import { beforeCommit, definePlugin } from '#core';
import { type DeliverySettled, deliverySettled } from '../../../core/delivery/delivery.js';
import type { Tap } from '../../../core/testing/tap.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { CONNECTOR, CONTACT, startChannel } from './channel-under-test.js';

/** As a crash after each response of the connector: nothing that is delivered can be recorded. */
async function crashing(t: Tap) {
  const loop = { isCrashing: true };
  const crash = definePlugin({
    name: 'crash',
    version: '1.0.0',
    register: () => ({
      on: [
        beforeCommit(deliverySettled, ({ delivery }: DeliverySettled) => {
          if (loop.isCrashing && delivery.state === 'delivered') throw new Error('the process was killed');
        }),
      ],
    }),
  });
  const test = await startChannel(t, { plugins: [channels(), webhooks(), crash()] });
  await test.say('hi');
  test.http.answer(`POST ${CONNECTOR}`, ({ json }) => ({ body: { messages: [{ id: `of ${json.message.text.body}` }] } }));
  const send = async (text: string) => (await test.send({ type: 'text', text: { body: text } })).uuid;
  const stateOf = async (uuid: string) => {
    const { external_id: id, status, statuses } = (await test.message(uuid))!;
    return { id, status, all: statuses.map((one) => one.status) };
  };
  return { ...test, loop, send, stateOf, drop: () => test.clock.advance(3_600_000) };
}

const failed = { id: undefined, status: 'failed', all: ['failed'] } as const;
const invalid = { status: 400, body: { errors: { status: { id: ['is invalid'] } } } };

t.test('a status that came while every attempt was interrupted wins over the interruption', async (t) => {
  const { send, report, drop, stateOf, told } = await crashing(t);
  const message = await send('a');
  t.match(await report('of a', 'delivered', { at: 10 }), { status: 200 });
  await drop();
  t.strictSame(await stateOf(message), { id: 'of a', status: 'delivered', all: ['delivered'] });
  t.equal(told('message.undeliverable').length, 0);
  t.equal(told('message.accepted').length, 1);
  t.match(await report('of a', 'read', { at: 11 }), { status: 200 });
  t.match(await stateOf(message), { status: 'read' });
});

t.test('a status that comes after the message has failed wins as well, whatever its time', async (t) => {
  const { send, report, drop, stateOf, told } = await crashing(t);
  const message = await send('a');
  await drop();
  t.strictSame(await stateOf(message), failed);
  t.equal(told('message.undeliverable').length, 1);
  t.match(await report('of a', 'sent', { recipient: '+1' }), invalid, 'not one of another recipient');
  t.match(await report('of a', 'sent', { at: 10 }), { status: 200 });
  t.strictSame(await stateOf(message), { id: 'of a', status: 'sent', all: ['sent'] });
  t.match(await report('of b', 'sent', { at: 10 }), invalid, 'there is no other such message');
});

t.test('which of several messages a status is of is not guessed', async (t) => {
  const { send, report, drop, stateOf } = await crashing(t);
  const messages = [await send('a'), await send('b')];
  t.match(await report('of b', 'delivered'), { status: 200 }, 'it is held while they are pending');
  await drop();
  for (const message of messages) t.strictSame(await stateOf(message), failed);
  t.match(await report('of a', 'delivered'), invalid);
});

t.test('the id of the delivery, which connectors may use as theirs, tells of which message a status is', async (t) => {
  const { send, report, drop, stateOf, platform } = await crashing(t);
  const messages = [await send('a'), await send('b'), await send('c')];
  const ids: string[] = [];
  for (const message of messages) ids.push((await platform.deliveries.list({ message, limit: 1 }))[0]!.uuid);
  const [early, late, other] = ids as [string, string, string];
  t.match(await report(early, 'delivered', { at: 10 }), { status: 200 }, 'it is held while they are pending');
  await drop();
  t.strictSame(await stateOf(messages[0]!), { id: early, status: 'delivered', all: ['delivered'] });
  t.strictSame(await stateOf(messages[1]!), failed);
  t.match(await report(late, 'sent', { recipient: '+1' }), invalid, 'not one of another recipient');
  t.match(await report(late, 'read', { at: 11 }), { status: 200 });
  t.strictSame(await stateOf(messages[1]!), { id: late, status: 'read', all: ['read'] });
  t.match(await report(late, 'sent', { at: 9 }), { status: 200 }, 'it is its id from then on');
  t.strictSame(await stateOf(messages[2]!), failed);
  t.match(await report(other, 'delivered'), { status: 200 });
  t.match(await stateOf(messages[2]!), { id: other, status: 'delivered' });
});

t.test('an id that the connector returned late is that of the message, although later attempts were interrupted', async (t) => {
  const { send, report, drop, stateOf, http, settle, clock, told } = await crashing(t);
  const reply = (id: string, afterMs = 0) => ({ body: { messages: [{ id }] }, afterMs });
  http.answer(`POST ${CONNECTOR}`, reply('late', 6_000), reply('again'));
  const message = await send('a');
  await settle();
  await clock.advance(5_500);
  t.match(await report('late', 'delivered', { at: 10 }), { status: 200 }, 'it is held');
  await clock.advance(600);
  await drop();
  t.strictSame(await stateOf(message), { id: 'late', status: 'delivered', all: ['delivered'] });
  t.match(await report('late', 'read', { at: 11 }), { status: 200 });
  t.match(await stateOf(message), { status: 'read' });
  t.equal(told('message.undeliverable').length, 0);
});

t.test('a message that the connector refused has not arrived, and a redelivery begins again', async (t) => {
  const { send, report, drop, stateOf, loop, http, admin, platform, settle } = await crashing(t);
  http.answer(`POST ${CONNECTOR}`, { status: 400 });
  const refused = await send('refused');
  await drop();
  t.strictSame(await stateOf(refused), failed);
  t.match(await report('x', 'delivered'), invalid);

  http.answer(`POST ${CONNECTOR}`, { body: { messages: [{ id: 'late' }] } });
  const message = await send('a');
  await drop();
  t.strictSame(await stateOf(message), failed);
  const [delivery] = await platform.deliveries.list({ message, limit: 1 });
  http.answer(`POST ${CONNECTOR}`, 'refuse');
  await admin('POST', `/deliveries/${delivery!.uuid}/redeliver`);
  await settle();
  t.match(await report('late', 'delivered'), { status: 200 }, 'it is held, because the message is pending again');
  t.match(await stateOf(message), { id: undefined, all: [] });
  loop.isCrashing = false;
  http.answer(`POST ${CONNECTOR}`, { body: { messages: [{ id: 'late' }] } });
  await drop();
  t.strictSame(await stateOf(message), { id: 'late', status: 'delivered', all: ['delivered'] });
  t.equal((await platform.messages.known((await platform.messages.get(message))!.number, 'outbound', 'late'))?.to, CONTACT);
});
