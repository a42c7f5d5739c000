import t from 'tap';
import { definePlugin, type NumberKind } from '#core';
import { InlinePool, ScriptedHttp, startPlatform, type Tap } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { plannedStarts } from '../../../plugins/journeys/records.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { freshFolder } from '../../core/adapters/store/folders.js';
import { CONNECTOR, CONTACT, channelOver, startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';
import { MESSAGE, minutes, OPEN, poolWith, says } from './short-journeys.js';

/** The time of the tenth attempt: after 1, 2, 4, 8, 16, 32 and three times 60 seconds. */
const LAST_TRY = 243_000;

t.test('a failing step is retried without side effects, while other contacts get answers', async (t) => {
  let steps = 0;
  const workers = poolWith(new InlinePool(), (input) => {
    if (!JSON.stringify(input).includes('poison')) return;
    steps++;
    throw new Error('the worker died');
  });
  const { say, publish, received, clock, log, told, uuid } = await startChannel(t, { ports: { workers } });
  await publish(says('fine'));
  await say('poison');
  await say('good');
  t.strictSame(received(), ['fine']);
  await clock.advance(LAST_TRY - 1);
  t.strictSame([steps, told('advice')], [9, []], 'retries are left');
  await clock.advance(1);
  t.strictSame([steps, told('advice').length], [10, 1]);
  await clock.advance(minutes(60));
  t.strictSame(received(), ['fine']);
  t.equal(steps, 10);
  t.ok(log.messages('error').includes('a job has failed permanently'));
  const [{ message }] = told('message.received');
  t.equal(told('advice').length, 1);
  t.match(told('advice'), [
    {
      name: 'journey_turn_given_up',
      number: uuid,
      message: 'A turn of a journey failed in all 10 attempts: the worker died.',
      about: { contact: message.contact, message: message.uuid },
    },
  ]);
});

t.test('a turn whose last attempt is interrupted by a stop runs after the next start', async (t) => {
  const dataDir = freshFolder(t);
  let steps = 0;
  let letGo = () => {};
  const workers = poolWith(new InlinePool(), async () => {
    if (++steps === 10) await new Promise<void>((resolve) => (letGo = resolve));
    throw new Error('the worker died');
  });
  // By then the queue has stopped, but the store has not.
  const stop = async () => {
    letGo();
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const late = definePlugin({ name: 'late', version: '1.0.0', register: () => ({ stop }) })();
  const plugins = [channels(), webhooks(), journeys(), late];
  const first = await startChannel(t, { plugins, dataDir, shutdown: { deadlineMs: 20 }, ports: { workers } });
  await first.publish(says('fine'));
  await first.say('hi');
  await first.clock.advance(LAST_TRY);
  t.equal(steps, 10);
  await first.server.stop({ timeout: 10 });
  t.strictSame(first.told('advice'), []);

  const { clock } = first;
  const http = new ScriptedHttp({ clock }).answer(CONNECTOR, () => ({ body: { messages: [{ id: 'out-1' }] } }));
  const second = channelOver(await startPlatform(t, { plugins, dataDir, ports: { clock, http } }), first);
  await second.clock.advance(minutes(10));
  t.strictSame([second.received(), second.told('advice')], [['fine'], []]);
});

const BEN = '+27820001002';
const impatient: Draft = {
  texts: { quick: 'Quick: a number!' },
  blocks: [
    {
      name: 'quick',
      type: OPEN,
      config: { prompt: 'quick', timeout: { seconds: 30 } },
      exits: [{ label: 'timeout', to: null }, { to: null }],
    },
  ],
};

t.test('a permanently failed turn without a message issues advice, too', async (t) => {
  let isBroken = false;
  const workers = poolWith(new InlinePool(), () => {
    if (isBroken) throw new Error('the worker died');
  });
  const { say, publish, admin, told, clock, uuid, platform } = await startChannel(t, { ports: { workers } });
  const waiting = await publish(impatient, { words: ['hi'] });
  const planned = await publish(says('planned'), { words: ['never'] });
  await say('hi');
  await say('hi', { from: BEN, name: 'Ben' });
  await say('7', { from: BEN });
  isBroken = true;
  const known = await platform.contacts.list(uuid);
  const [ann, ben] = [CONTACT, BEN].map((address) => known.find((contact) => contact.address === address)!.uuid);
  t.equal((await admin('POST', `/journeys/${planned}/start`, { contact: ben })).status, 202);
  t.equal(await platform.store.open(plannedStarts).count(), 1);
  await clock.advance(minutes(10));
  t.equal(await platform.store.open(plannedStarts).count(), 0, 'the planned start is deleted');
  const given = told('advice').filter(({ name }) => name === 'journey_turn_given_up');
  t.strictSame(
    given.map(({ number, about }) => [number, about.journey, about.contact]),
    [
      [uuid, planned, ben],
      [uuid, waiting, ann],
    ],
  );
});

const orders = [
  { name: 'order', type: 'Svc.Http', config: { method: 'POST', url: 'https://shop.test/order' } },
  {
    name: 'note',
    type: 'Core.SetContactProperty',
    config: { set_contact_property: [{ property_key: 'town', property_value: 'Kaapstad' }] },
  },
];
const ordersAndSays: Draft = { texts: { hi: 'Hello' }, blocks: [...orders, { name: 'hi', type: MESSAGE, config: { prompt: 'hi' } }] };

async function startWithoutDriver(t: Tap, kind: NumberKind, type: string) {
  const test = await startChannel(t);
  const { platform, http, clock } = test;
  const { uuid } = await test.number(kind, { type });
  http.answer('POST https://shop.test/order', { body: {} });
  return {
    ...test,
    uuid,
    ordered: () => http.callsTo('https://shop.test/order').length,
    /** A plugin records a message; then the clock passes the time of all attempts. */
    async broughtIn(id: string) {
      const inbound = { id, contact: { id: 'ann', name: 'Ann' }, from: 'ann', timestamp: '1767600000', type: 'text' };
      const number = await platform.numbers.require(uuid);
      await platform.store.transaction((tx) => platform.messages.received(tx, number, { ...inbound, content: { text: { body: 'hi' } } }));
      await clock.advance(minutes(10));
    },
  };
}

t.test('on a number whose plugin is not loaded a journey runs no turn, and so makes no HTTP calls', async (t) => {
  const { publish, uuid, told, ordered, broughtIn } = await startWithoutDriver(t, 'channel', 'pigeon-post');
  await publish(ordersAndSays, { number: uuid });
  await broughtIn('in-1');
  t.equal(ordered(), 0);
  t.strictSame(told('journey.turn_taken'), []);
  t.equal(told('advice').length, 1);
  t.match(told('advice'), [
    {
      name: 'journey_turn_given_up',
      number: uuid,
      message: /No loaded plugin has a driver for numbers of type 'pigeon-post'/,
      fix: /This turn is not retried/,
    },
  ]);
});

t.test('on a number without outbound support journeys run their turns; their messages are refused with advice', async (t) => {
  const { publish, uuid, told, ordered, broughtIn, log } = await startWithoutDriver(t, 'network', 'network');
  const journey = await publish({ blocks: orders }, { number: uuid });
  await broughtIn('in-1');
  t.equal(ordered(), 1);
  t.match(told('contact.changed').at(-1), { contact: { fields: { town: 'Kaapstad' } } });
  t.match(told('journey.turn_taken'), [{ session: { journey, state: 'ended' }, failure: null }]);
  t.strictSame(told('advice'), []);

  await publish(ordersAndSays, { number: uuid, uuid: journey });
  await broughtIn('in-2');
  t.equal(ordered(), 2, 'once for each message');
  t.equal(told('journey.turn_taken').length, 2);
  t.equal(told('advice').length, 1);
  t.match(told('advice'), [
    {
      name: 'journey_message_refused',
      number: uuid,
      message: /No loaded plugin has a driver for numbers of type 'network'/,
      fix: /^Load a plugin/,
      about: { journey },
    },
  ]);
  t.strictSame(log.messages('error'), []);
});
