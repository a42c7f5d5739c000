import t from 'tap';
import { InlinePool } from '#core/testing';
import { prompts, sessions } from '../../plugins/journeys/records.js';
import type { Draft } from '../core/engine/journey-under-test.js';
import { startChannel } from './channel-under-test.js';
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

t.test('a journey waits five minutes for a reply, or as long as it says', async (t) => {
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
    t.equal(received().at(-1), 'What is your name?', 'too late: a fresh start');
    t.equal(told('journey.session_expired').length, 1);
  }
});

t.test('a wait is over when its time is up, even if nobody has noticed yet', async (t) => {
  const { say, publish, received, clock, told } = await startChannel(t);
  await publish(asks);
  await say('hi');
  clock.jump(minutes(5));
  await say('Ann');
  t.equal(received().at(-1), 'What is your name?');
  t.match(told('journey.session_expired'), [{ session: { state: 'expired', turns: 1 } }]);
  await clock.advance(minutes(5) - 1);
  t.equal(told('journey.session_expired').length, 1, 'and is over once');
});

t.test('a late reply that names what it replies to goes on from there', async (t) => {
  const { say, publish, received, clock, told } = await startChannel(t);
  await publish(asks);
  await say('hi');
  await say('Ann');
  await clock.advance(minutes(60));
  t.equal(told('journey.session_expired').length, 1);
  await say('Kaapstad', { context: 'out-2' });
  t.equal(received().at(-1), 'Goodbye Ann of Kaapstad');
  await say('Bo', { context: 'out-1' });
  t.equal(received().at(-1), 'Where do you live, Bo?', 'also to an earlier question of a conversation that is over');
  await say('Durban');
  t.equal(received().at(-1), 'Goodbye Bo of Durban', 'and the conversation goes on from there');
});

t.test('a conversation that goes on minds no reference to an earlier question', async (t) => {
  const { say, publish, received } = await startChannel(t);
  await publish(asks);
  await say('hi');
  await say('Ann');
  await say('Kaapstad', { context: 'out-1' });
  t.equal(received().at(-1), 'Goodbye Ann of Kaapstad');
});

t.test('a late reply finds no way back to what asked somebody else, asked nothing, or is not there any more', async (t) => {
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
  t.equal(received().at(-1), fresh, 'a message that nobody sent');
  await clock.advance(minutes(10));
  await admin('POST', `/journeys/${journey}/disable`);
  await publish(says('new journey'));
  await say('Bo', { context: 'out-1' });
  t.equal(received().at(-1), 'new journey', 'a journey that is disabled');
});

t.test('what nobody replied to for a month is forgotten', async (t) => {
  const { say, publish, received, clock, platform } = await startChannel(t);
  const { store } = platform;
  await publish(asks);
  await say('hi');
  await clock.advance(minutes(5));
  const [over] = await store.open(sessions).list();
  t.match(over, { state: 'expired', data: '', parked_for: undefined });
  t.equal((await store.open(prompts).list()).length, 1);
  // It is looked for every hour.
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

t.test('a question that has its own limit goes on by itself when nobody answers', async (t) => {
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

t.test('a limit that ends together with the patience of the journey comes first', async (t) => {
  const { say, publish, received, clock } = await startChannel(t);
  await publish(impatient, { timeout: 30 });
  await say('hi');
  await clock.advance(30_000);
  t.equal(received().at(-1), 'Too late. Why?');
});

t.test('an answer that comes while the time runs out is understood as an answer to what is asked then', async (t) => {
  let isSlow = false;
  const workers = poolWith(new InlinePool(), async (input) => {
    // The answer takes its turn two seconds, in which the limit ends and the journey asks something else.
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
