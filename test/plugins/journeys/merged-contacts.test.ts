import t from 'tap';
import { InlinePool, type Tap } from '#core/testing';
import { startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';
import { asks, MESSAGE, minutes, OPEN, poolWith } from './short-journeys.js';

const ANN = '+27820001001';
const OTHER = 'user:7';
const HOUR = 60 * 60 * 1000;

/** A channel whose connector may name a person by two ids. */
async function start(t: Tap, options: Parameters<typeof startChannel>[1] = {}) {
  const channel = await startChannel(t, options);
  const { platform, uuid, admin, clock } = channel;
  const contact = async (id: string) => (await platform.contacts.list(uuid)).find((one) => one.id === id)!;
  return {
    ...channel,
    contact,
    /** A second after everything before, so that it is known who wrote first. */
    say: async (text: string, about: { from: string; context?: string }) => {
      await clock.advance(1_000);
      return channel.say(text, about);
    },
    /** The channel says that both are one person. */
    join: async (id: string, other: string) => {
      const number = await platform.numbers.require(uuid);
      return platform.store.transaction(async (tx) =>
        platform.contacts.alias(tx, number, (await platform.contacts.current(tx, number, id))!, [other]),
      );
    },
    split: (contact: string) => admin('POST', '/contacts/split', { contact }),
  };
}

t.test('a waiting journey gets the answer under the other id, and its timers still apply', async (t) => {
  for (const [asked, answers] of [
    [ANN, OTHER],
    [OTHER, ANN],
  ] as const) {
    const { publish, say, received, join, clock, told } = await start(t);
    await publish(asks, { words: ['start'] });
    await say('hi', { from: ANN });
    await say('hi', { from: OTHER });
    await say('start', { from: asked });
    await join(ANN, OTHER);
    await say('Ann', { from: answers });
    t.equal(received().at(-1), 'Where do you live, Ann?');
    await clock.advance(minutes(6));
    t.match(told('journey.session_expired'), [{ session: { state: 'expired' } }]);
  }
});

t.test('of two waiting journeys the one that asked last waits; a reply by context resumes the other one', async (t) => {
  const { publish, say, received, join, told, call, token, contact, split, admin } = await start(t);
  const journey = await publish(asks);
  await say('hi', { from: ANN });
  await say('hi', { from: OTHER });
  const other = await contact(OTHER);
  await join(ANN, OTHER);
  t.match(told('journey.session_expired').length, 1);
  for (const id of [ANN, OTHER])
    t.equal((await call('GET', `/v1/contacts/${encodeURIComponent(id)}/claim`, { token })).status, 200, `${id} is claimed`);
  for (const answer of ['Bob', 'Rome']) await say(answer, { from: ANN });
  t.equal(received().at(-1), 'Goodbye Bob of Rome', 'the journey that asked last');
  await say('Ann', { from: OTHER, context: 'out-1' });
  await say('Paarl', { from: ANN });
  t.equal(received().at(-1), 'Goodbye Ann of Paarl', 'the question of the other one');
  t.equal((await split(other.uuid)).status, 200);
  const { body } = await admin('GET', `/journeys/${journey}/sessions`);
  t.equal(body.sessions.filter((one: { contact: string }) => one.contact === other.uuid).length, 1, 'its session is its own again');
});

t.test('a turn that runs while two contacts become one is that of the person, and messages keep their order', async (t) => {
  const pool = new InlinePool();
  const held: (() => void)[] = [];
  let holds = false;
  const workers = poolWith(pool, () => (holds ? new Promise<void>((resolve) => held.push(resolve)) : undefined));
  const { publish, post, received, join, settle, clock } = await start(t, { ports: { workers } });
  await publish(asks);
  holds = true;
  const text = (from: string, id: string, body: string) => ({
    contact: { id: from, profile: { name: 'Eve' } },
    message: { type: 'text', from, id, timestamp: '1767600000', text: { body } },
  });
  await post(text('eve-1', 'e1', 'hi'));
  await clock.advance(1_000);
  await post(text('eve-2', 'e2', 'Eve'));
  await clock.advance(0);
  t.equal(held.length, 2, 'both turns run: these are two contacts');
  await join('eve-1', 'eve-2');
  await post(text('eve-2', 'e3', 'Paarl'));
  await clock.advance(0);
  t.equal(held.length, 2, 'the next message waits for both');
  holds = false;
  for (const release of held) release();
  await settle();
  await settle();
  t.strictSame(received().slice(-3), ['What is your name?', 'Where do you live, Eve?', 'Goodbye Eve of Paarl']);
});

const reminded: Draft = {
  texts: { quick: 'Quick!', late: 'Too late' },
  blocks: [
    {
      name: 'quick',
      type: OPEN,
      config: { prompt: 'quick', timeout: { seconds: 30 } },
      exits: [{ to: null }, { label: 'timeout', to: 'late' }],
    },
    { name: 'late', type: MESSAGE, config: { prompt: 'late' } },
  ],
};

t.test('a timeout applies to the person after a merge', async (t) => {
  const { publish, say, received, join, clock } = await start(t);
  await publish(reminded, { words: ['start'] });
  await say('hi', { from: ANN });
  await say('start', { from: OTHER });
  await join(ANN, OTHER);
  await clock.advance(31_000);
  t.strictSame(received(), ['Quick!', 'Too late']);
});

t.test('planned starts follow the contact, also back', async (t) => {
  const { publish, say, deliveries, join, clock, platform, contact, split } = await start(t);
  const later = await publish(
    { texts: { hello: 'Reminder' }, blocks: [{ name: 'say', type: MESSAGE, config: { prompt: 'hello' } }] },
    { words: ['never'] },
  );
  const schedule: Draft = {
    blocks: [{ name: 'plan', type: 'Svc.Schedule', config: { journey: later, in: '2 * 60 * 60' } }],
  };
  await publish(schedule, { words: ['plan'] });
  for (const from of [ANN, OTHER]) await say('hi', { from });
  const other = await contact(OTHER);
  await say('plan', { from: OTHER });
  await join(ANN, OTHER);
  await say('plan', { from: ANN });
  await clock.advance(HOUR);
  await split(other.uuid);
  await clock.advance(2 * HOUR);
  t.strictSame(
    deliveries()
      .map(({ json }) => json.to)
      .sort(),
    [ANN, OTHER].sort(),
  );
  t.equal((await platform.contacts.get(other.uuid))!.id, OTHER);
});

t.test('deliveries that were not attempted yet keep the order of the conversation', async (t) => {
  const { say, send, admin, webhook, join, deliveries, contact, clock } = await start(t);
  for (const from of [ANN, OTHER]) await say('hi', { from });
  await admin('POST', `/webhooks/${webhook.uuid}/pause`);
  const text = (body: string) => ({ type: 'text', text: { body } }) as const;
  await send(text('one'), OTHER);
  await send(text('two'), ANN);
  await join(ANN, OTHER);
  const kept = await contact(ANN);
  await send(text('three'), kept.id);
  await admin('POST', `/webhooks/${webhook.uuid}/resume`);
  await clock.advance(1_000);
  t.strictSame(
    deliveries().map(({ json }) => json.turn.text.body),
    ['one', 'two', 'three'],
  );
  const { body } = await admin('GET', `/deliveries?webhook=${webhook.uuid}`);
  t.equal(new Set(body.deliveries.map(({ conversation }: { conversation: string }) => conversation)).size, 1);
});
