import t from 'tap';
import { InlinePool } from '#core/testing';
import { messages } from '../../../core/messaging/message.js';
import { prompts, sessions } from '../../../plugins/journeys/records.js';
import { startChannel } from '../channels/channel-under-test.js';
import type { Draft } from './engine/journey-under-test.js';
import { asks, MESSAGE, minutes, OPEN, poolWith, says } from './short-journeys.js';

const impatient: Draft = {
  texts: { quick: 'Quick: a number!', why: 'Too late. Why?', thanks: 'It is @quick', slept: 'You slept: @why' },
  blocks: [
    {
      name: 'quick',
      type: OPEN,
      config: { prompt: 'quick', timeout: { seconds: 30 } },
      exits: [{ to: 'thanks' }, { label: 'timeout', to: 'why' }],
    },
    { name: 'thanks', type: MESSAGE, config: { prompt: 'thanks' }, exits: [{ to: null }] },
    { name: 'why', type: OPEN, config: { prompt: 'why' } },
    { name: 'slept', type: MESSAGE, config: { prompt: 'slept' } },
  ],
};

t.test('a journey waits five minutes for a reply, or as long as the flow says', async (t) => {
  for (const [timeout, waits] of [
    [undefined, minutes(5)],
    [60, minutes(1)],
    [3600, minutes(60)],
  ] as const) {
    const { say, publish, received, clock, told } = await startChannel(t);
    await publish(asks, { ...(timeout !== undefined && { timeout }) });
    await say('hi');
    await clock.advance(waits - 1);
    t.strictSame(told('journey.session_expired'), []);
    await say('Ann');
    t.equal(received().at(-1), 'Where do you live, Ann?', 'just in time');
    await clock.advance(waits);
    t.match(told('journey.session_expired'), [{ session: { state: 'expired', expires_at: null } }]);
    await say('Kaapstad');
    t.equal(received().at(-1), 'What is your name?', 'too late: the journey starts again');
    t.equal(told('journey.session_expired').length, 1);
  }
});

t.test('an overdue wait is over even before its timer runs', async (t) => {
  const { say, publish, received, clock, told } = await startChannel(t);
  await publish(asks);
  await say('hi');
  clock.jump(minutes(5));
  await say('Ann');
  t.equal(received().at(-1), 'What is your name?');
  t.match(told('journey.session_expired'), [{ session: { state: 'expired', turns: 1 } }]);
  await clock.advance(minutes(5) - 1);
  t.equal(told('journey.session_expired').length, 1, 'it expires once');
});

t.test('a late reply with context.id resumes from its question', async (t) => {
  const { say, publish, received, clock, told } = await startChannel(t);
  await publish(asks);
  await say('hi');
  await say('Ann');
  await clock.advance(minutes(60));
  t.equal(told('journey.session_expired').length, 1);
  await say('Kaapstad', { context: 'out-2' });
  t.equal(received().at(-1), 'Goodbye Ann of Kaapstad');
  await say('Bo', { context: 'out-1' });
  t.equal(received().at(-1), 'Where do you live, Bo?', 'also from an earlier question of an ended session');
  await say('Durban');
  t.equal(received().at(-1), 'Goodbye Bo of Durban', 'and the session continues from there');
});

t.test('an active session ignores a reference to an earlier question', async (t) => {
  const { say, publish, received } = await startChannel(t);
  await publish(asks);
  await say('hi');
  await say('Ann');
  await say('Kaapstad', { context: 'out-1' });
  t.equal(received().at(-1), 'Goodbye Ann of Kaapstad');
});

t.test(
  'a late reply does not resume from a question to another contact, a message without a question, or a disabled journey',
  async (t) => {
    const { say, publish, received, clock, admin } = await startChannel(t);
    const journey = await publish(asks);
    await say('hi');
    await say('Ann');
    await say('Kaapstad');
    await clock.advance(minutes(10));
    const fresh = 'What is your name?';
    await say('Bo', { context: 'out-1', from: '+2' });
    t.equal(received().at(-1), fresh, "another contact's message");
    await say('Bo', { context: 'out-3' });
    t.equal(received().at(-1), fresh, 'a message that asked nothing');
    await clock.advance(minutes(10));
    await say('Bo', { context: 'no such message' });
    t.equal(received().at(-1), fresh, 'an unknown message');
    await clock.advance(minutes(10));
    await admin('POST', `/journeys/${journey}/disable`);
    await publish(says('new journey'));
    await say('Bo', { context: 'out-1' });
    t.equal(received().at(-1), 'new journey', 'a journey that is disabled');
  },
);

t.test('unanswered questions are evicted after a month', async (t) => {
  const { say, publish, received, clock, platform } = await startChannel(t);
  const { store } = platform;
  await publish(asks);
  await say('hi');
  await clock.advance(minutes(5));
  const [over] = await store.open(sessions).list();
  t.match(over, { state: 'expired', data: '', parked_for: undefined });
  t.equal((await store.open(prompts).list()).length, 1);
  // Retention runs every hour.
  await clock.advance(minutes(60 * 24 * 30 + 60));
  await say('hi', { from: '+2' });
  t.strictSame(
    (await store.open(sessions).list()).map(({ state }) => state),
    ['waiting'],
  );
  t.equal((await store.open(prompts).list()).length, 1);
  await say('Ann', { context: 'out-1' });
  t.equal(received().at(-1), 'What is your name?');
});

t.test('a question with its own limit continues without an answer', async (t) => {
  const { say, publish, received, clock, told } = await startChannel(t);
  await publish(impatient);
  await say('hi');
  await clock.advance(29_999);
  t.strictSame(received(), ['Quick: a number!']);
  await clock.advance(1);
  t.strictSame(received(), ['Quick: a number!', 'Too late. Why?']);
  await say('I slept');
  t.equal(received().at(-1), 'You slept: I slept');
  await clock.advance(minutes(10));
  t.strictSame(told('journey.session_expired'), []);
});

t.test('a limit that ends together with the interaction timeout comes first', async (t) => {
  const { say, publish, received, clock } = await startChannel(t);
  await publish(impatient, { timeout: 30 });
  await say('hi');
  await clock.advance(30_000);
  t.equal(received().at(-1), 'Too late. Why?');
});

t.test('an answer that arrives while the limit ends counts as an answer to the next question', async (t) => {
  let isSlow = false;
  const workers = poolWith(new InlinePool(), async (input) => {
    // The turn of the answer takes two seconds; meanwhile the limit ends and the journey asks the next question.
    if (isSlow && (input as { signal: { kind: string } }).signal.kind === 'input') {
      isSlow = false;
      await test.clock.sleep(2000);
    }
  });
  const test = await startChannel(t, { ports: { workers } });
  await test.publish(impatient);
  await test.say('hi');
  await test.clock.advance(29_000);
  isSlow = true;
  await test.say('seven');
  await test.clock.advance(5000);
  t.strictSame(test.received(), ['Quick: a number!', 'Too late. Why?', 'You slept: seven']);
  t.strictSame(
    test.told('journey.turn_taken').map(({ session }) => session.turns),
    [1, 2, 3],
    'no turn is lost and none is counted twice',
  );
});

t.test('a question does not expire while its session waits, and then goes with its state', async (t) => {
  const DAY = minutes(24 * 60);
  const { say, publish, received, clock, platform } = await startChannel(t, { messages: { keptDays: 7 } });
  const stored = async () =>
    (await platform.store.open(messages).find('age')).map(({ direction, external_id: id }) => `${direction} ${id}`);
  await publish(asks, { timeout: 20 * 24 * 3600 });
  await say('hi');
  await clock.advance(9 * DAY);
  t.strictSame(await stored(), ['outbound out-1'], 'the message of the contact has expired, the question has not');
  await say('Ann');
  t.equal(received().at(-1), 'Where do you live, Ann?');
  t.equal((await platform.store.open(prompts).list()).length, 2);
  await clock.advance(DAY);
  t.equal((await stored()).includes('outbound out-1'), false, 'once it is answered, it expires');
  t.match(await platform.store.open(prompts).list(), [{ replies: [] }], 'with the state from which a late reply would resume');
  await say('Durban', { context: 'out-1' });
  t.equal(received().at(-1), 'Goodbye Ann of Durban', 'a reply that quotes an expired question answers the current one');
});
