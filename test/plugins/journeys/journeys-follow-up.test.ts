import t from 'tap';
import { plannedStarts } from '../../../plugins/journeys/records.js';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';
import type { Draft, DraftBlock } from './engine/journey-under-test.js';

const minutes = (count: number): number => count * 60_000;
const MESSAGE = 'MobilePrimitives.Message';
const OPEN = 'MobilePrimitives.OpenResponse';
const say = (name: string): DraftBlock => ({ name, type: MESSAGE, config: { prompt: name } });

t.test('labels are added to the answered message', async (t) => {
  const { say: write, publish, platform, uuid } = await startChannel(t);
  await publish({
    texts: { r: 'Question' },
    blocks: [{ name: 'mark', type: 'Svc.Label', config: { labels: ['r', 'From @contact.name'] } }],
  });
  await write('hi');
  const [conversation] = await platform.conversations.list(uuid, 1);
  const [message] = await platform.conversations.newest(conversation!.uuid, 1);
  t.strictSame(message?.labels, ['Question', 'From Ann']);
});

t.test('a handed-over conversation is in the queue of the operators', async (t) => {
  const { say: write, publish, received, platform, uuid, told } = await startChannel(t);
  const journey = await publish({
    texts: { wait: 'A colleague will write to you.' },
    blocks: [{ name: 'hand', type: 'Svc.Handover', config: { queue: 'Desk', note: 'about @event.message.text.body' } }, say('wait')],
  });
  await write('my order');
  t.strictSame(received(), ['A colleague will write to you.']);
  t.match(await platform.conversations.list(uuid, 1), [
    { state: 'OPEN', state_reason: "Handed over by journey 'Journey': about my order", assigned_to: { id: 'Desk', name: 'Desk' } },
  ]);
  t.match(told('journey.handed_over'), [{ journey, queue: 'Desk', note: 'about my order' }]);
});

t.test('a wait continues when its time is up, however long it is', async (t) => {
  const { say: write, publish, received, clock } = await startChannel(t);
  await publish({
    texts: { before: 'Wait', after: 'Done', stop: 'Stopped' },
    blocks: [
      say('before'),
      {
        name: 'pause',
        type: 'Svc.Wait',
        config: { seconds: '60 * 60' },
        exits: [
          { name: 'interrupted', test: 'block.value = "interrupted"', to: 'stop' },
          { name: 'elapsed', to: 'after' },
        ],
      },
      { ...say('after'), exits: [{ to: null }] },
      say('stop'),
    ],
  });
  await write('hi');
  await clock.advance(minutes(60) - 1);
  t.strictSame(received(), ['Wait']);
  await clock.advance(1);
  t.strictSame(received(), ['Wait', 'Done']);
  await write('again');
  await clock.advance(minutes(30));
  await write('stop that');
  t.strictSame(received().slice(2), ['Wait', 'Stopped']);
  await clock.advance(minutes(60));
  t.equal(received().length, 4);
});

t.test('an unanswered question leaves by its time-out exit', async (t) => {
  const { say: write, publish, received, clock, told } = await startChannel(t);
  await publish({
    texts: { ask: 'Well?', late: 'Too late: @block.error' },
    blocks: [
      {
        name: 'ask',
        type: OPEN,
        config: { prompt: 'ask', timeout: { seconds: 600 } },
        exits: [{ to: null }, { label: 'timeout', to: 'late' }],
      },
      say('late'),
    ],
  });
  await write('hi');
  await clock.advance(minutes(10) - 1);
  t.strictSame(received(), ['Well?'], 'even if the limit is longer than the interaction timeout of the flow');
  await clock.advance(1);
  t.strictSame(received(), ['Well?', 'Too late: timeout']);
  t.strictSame(told('journey.session_expired'), []);
});

const reminder: Draft = {
  texts: { text: 'Remember, @contact.name!' },
  blocks: [{ name: 'text', type: MESSAGE, config: { prompt: 'text' } }],
};
const plans = (journey: string, config: object): Draft => ({
  texts: { ok: 'Planned' },
  blocks: [{ name: 'later', type: 'Svc.Schedule', config: { journey, ...config } }, say('ok')] as DraftBlock[],
});

t.test('a scheduled journey starts at its time, once', async (t) => {
  const { say: write, publish, received, clock, platform } = await startChannel(t);
  const reminding = await publish(reminder, { words: ['never said'] });
  await publish(plans(reminding, { in: '24 * 60 * 60' }));
  await write('hi');
  await clock.advance(minutes(24 * 60) - 1);
  t.strictSame(received(), ['Planned']);
  await clock.advance(1);
  t.strictSame(received(), ['Planned', 'Remember, Ann!']);
  await clock.advance(minutes(48 * 60));
  t.equal(received().length, 2);
  t.strictSame(await platform.store.open(plannedStarts).list(), []);
});

t.test('a scheduled journey does not interrupt a waiting session', async (t) => {
  const { say: write, publish, received, clock } = await startChannel(t);
  const reminding = await publish(reminder, { words: ['never said'] });
  const draft = plans(reminding, { in: '60' });
  await publish({
    texts: { ...draft.texts, q: 'Name?' },
    blocks: [...draft.blocks!, { name: 'q', type: OPEN, config: { prompt: 'q' } }],
  });
  await write('hi');
  await clock.advance(minutes(5) - 1);
  t.strictSame(received(), ['Planned', 'Name?']);
  await clock.advance(1);
  t.strictSame(received(), ['Planned', 'Name?', 'Remember, Ann!'], 'and starts after it');
});

t.test('all scheduled starts can be cancelled; journeys that are deleted by then do not start', async (t) => {
  const { say: write, publish, received, clock, admin, log } = await startChannel(t);
  const reminding = await publish(reminder, { words: ['never said'] });
  await publish(plans(reminding, { cancel: true }), { words: ['cancel'] });
  await publish(plans(reminding, { in: '60' }));
  await write('one');
  await write('two');
  await write('cancel');
  await clock.advance(minutes(5));
  t.strictSame(received(), ['Planned', 'Planned', 'Planned']);
  await write('three');
  await admin('POST', `/journeys/${reminding}/disable`);
  await clock.advance(minutes(5));
  t.equal(received().length, 4);
  t.ok(log.lines.some(({ message }) => message.startsWith('cannot start a scheduled journey')));
});

t.test('a tap on a button of an earlier question resumes from that question', async (t) => {
  const { say: write, post, settle, publish, received } = await startChannel(t);
  const choice = (name: string) => ({ name, prompt: name });
  await publish({
    texts: { size: 'Size?', small: 'Small', large: 'Large', colour: 'Colour?', red: 'Red', blue: 'Blue', bye: '@size and @colour' },
    blocks: [
      { name: 'size', type: 'MobilePrimitives.SelectOneResponse', config: { prompt: 'size', choices: [choice('small'), choice('large')] } },
      {
        name: 'colour',
        type: 'MobilePrimitives.SelectOneResponse',
        config: { prompt: 'colour', choices: [choice('red'), choice('blue')] },
      },
      say('bye'),
    ],
  });
  let taps = 0;
  const tap = async (id: string, context: string) => {
    const interactive = { type: 'button_reply', button_reply: { id, title: id } };
    const message = {
      type: 'interactive',
      from: CONTACT,
      id: `tap-${++taps}`,
      timestamp: '1767600000',
      interactive,
      context: { id: context },
    };
    t.equal((await post({ contact: { id: CONTACT, profile: { name: 'Ann' } }, message })).status, 200);
    await settle();
  };
  await write('hi');
  await tap('small', 'out-1');
  t.strictSame(received(), ['Size?', 'Colour?']);
  await tap('large', 'out-1');
  t.strictSame(received(), ['Size?', 'Colour?', 'Colour?'], 'the question is repeated for the other size');
  await tap('red', 'out-3');
  t.equal(received().at(-1), 'large and red');
  await tap('blue', 'out-2');
  t.equal(received().at(-1), 'small and blue', 'the state of the first question remains after the session has ended');
});
