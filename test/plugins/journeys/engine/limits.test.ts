import t from 'tap';
import type { EffectResult } from '../../../../plugins/journeys/engine/effect.js';
import type { JourneyEvent } from '../../../../plugins/journeys/engine/session.js';
import { containerOf, type Draft, seen, Talk } from './journey-under-test.js';

const MESSAGE = 'MobilePrimitives.Message';
const OPEN = 'MobilePrimitives.OpenResponse';
const talkOf = (draft: Draft): Talk => new Talk({ main: containerOf(draft) });
const failures = (talk: Talk): readonly string[] =>
  (talk.last?.events ?? []).flatMap((event) => (event.type === 'failure' ? event.code : []));
const eventOf = <T extends JourneyEvent['type']>(talk: Talk, type: T) =>
  talk.last?.events.find((event): event is Extract<JourneyEvent, { type: T }> => event.type === type);

t.test('calls are nested at most ten levels deep', async (t) => {
  const down = (name: string, to: string) => [{ name, type: 'Core.RunFlow', config: { flow_id: to } }];
  const flows = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, down(`call${i}`, `f${i + 1}`)]));
  const talk = talkOf({ flows: { ...flows, f12: [{ name: 'end', type: 'Svc.End' }] } });
  talk.start();
  t.strictSame(failures(talk), ['depth_limit']);
  t.equal(talk.last?.events.filter(({ type }) => type === 'journey_entered').length, 10);
  t.equal(talk.session?.status, 'failed');
});

t.test('a session calls at most 100 flows, over all its turns', async (t) => {
  const talk = talkOf({
    texts: { q: '?' },
    flows: {
      main: [
        { name: 'ask', type: OPEN, config: { prompt: 'q' } },
        { name: 'call', type: 'Core.RunFlow', config: { flow_id: 'short' }, exits: [{ to: 'ask' }] },
      ],
      short: [{ name: 'end', type: 'Svc.End' }],
    },
  });
  talk.start();
  for (let i = 0; i < 100; i++) talk.say('go');
  t.strictSame([talk.last?.next.kind, failures(talk)], ['wait', []]);
  t.match(talk.say('go').next, { kind: 'end', failure: { code: 'run_limit' } });
});

t.test('a turn that loops through effects is stopped at the step limit', async (t) => {
  const talk = talkOf({ blocks: [{ name: 'ask', type: 'Svc.Http', config: { url: 'https://a.test' }, exits: [{ to: 'ask' }] }] });
  const value = { kind: 'http', call: {}, answer: { status: 200, headers: {}, body: '' } } as unknown as EffectResult;
  talk.start();
  let turns = 0;
  while (talk.last?.next.kind === 'effect') {
    turns++;
    talk.send({ kind: 'result', value });
  }
  t.match([talk.last?.next, turns <= 200], [{ kind: 'end', failure: { code: 'step_limit' } }, true]);
});

t.test('values that are too long for a contact field or a result are cut with a warning', async (t) => {
  const talk = talkOf({
    blocks: [
      {
        name: 'field',
        type: 'Core.SetContactProperty',
        config: { set_contact_property: [{ property_key: 'a', property_value: '@contact.long' }] },
      },
      { name: 'result', type: 'Core.Output', config: { value: 'contact.long' } },
    ],
  });
  const { events } = talk.start({ contact: { long: 'x'.repeat(5000) } });
  t.equal(String(eventOf(talk, 'contact_field_set')?.new).length, 4096);
  t.equal(String(eventOf(talk, 'result_written')?.value).length, 640);
  t.strictSame(
    events.flatMap((event) => (event.type === 'warning' ? event.reason : [])),
    ['the text is longer than 4096 characters and was cut; shorten it', 'the text is longer than 640 characters and was cut; shorten it'],
  );
});

t.test('input is cut to the limit of a journey', async (t) => {
  const talk = talkOf({ texts: { q: '?' }, blocks: [{ name: 'ask', type: OPEN, config: { prompt: 'q' } }] });
  talk.start();
  talk.say('x'.repeat(1_000_000));
  t.equal(eventOf(talk, 'input_received')?.text.length, 65_536);
  t.ok(JSON.stringify(talk.session).length < 500_000);
});

t.test('an unknown block type fails with an error code, which the error exit catches', async (t) => {
  const odd = { name: 'odd', type: 'Vendor.Odd', config: { any: ['thing'] } };
  const alone = talkOf({ blocks: [odd] });
  alone.start();
  t.strictSame(alone.last?.next, {
    kind: 'end',
    failure: { code: 'unknown_block_type', reason: 'unknown block type Vendor.Odd; replace the block' },
  });
  const caught = talkOf({
    texts: { r: 'Sorry: @block.error' },
    blocks: [
      { ...odd, exits: [{ to: null }, { label: 'error', to: 'sorry' }] },
      { name: 'sorry', type: MESSAGE, config: { prompt: 'r' } },
    ],
  });
  t.strictSame(seen(caught.start()), ['Sorry: unknown_block_type']);
});
