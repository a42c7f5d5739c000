import t from 'tap';
import type { Json, JsonObject } from '../../../../core/json.js';
import { checkContainer, checkJourney } from '../../../../plugins/journeys/engine/container.js';
import type { Effect, EffectResult } from '../../../../plugins/journeys/engine/effect.js';
import { unknownAssets } from '../../../../plugins/journeys/engine/lint/references.js';
import type { StepInput } from '../../../../plugins/journeys/engine/session.js';
import type { StepResult } from '../../../../plugins/journeys/engine/step.js';
import { runStep } from '../../../../plugins/journeys/engine/step.task.js';
import { runTurn } from '../../../../plugins/journeys/running/run-turn.js';
import { containerOf, type Draft, seen, Talk } from './journey-under-test.js';

const OPEN = 'MobilePrimitives.OpenResponse';
const SAY = 'MobilePrimitives.Message';
const talkOf = (draft: Draft, environment = {}): Talk => new Talk({ main: containerOf(draft) }, environment);
const turnsOf = ({ events }: StepResult): readonly JsonObject[] =>
  events.flatMap((event) => (event.type === 'message_out' ? [event.turn as unknown as JsonObject] : []));
const effectOf = ({ next }: StepResult): Effect | undefined => (next.kind === 'effect' ? next.effect : undefined);
/** A lone surrogate would not survive encoding. */
const isWhole = (text: string): boolean => Buffer.from(text).toString() === text;
const varsOf = (talk: Talk): Json => (talk.session?.stack.at(-1)?.vars ?? null) as Json;

t.test('each question has its own attempt count', async (t) => {
  const asks = (name: string, to: string | null) => ({
    name,
    type: OPEN,
    config: { prompt: name, validate: "block.response = 'ok'", on_invalid: { max_attempts: 1, message: 'again' } },
    exits: [{ to }],
  });
  const talk = talkOf({ texts: { one: 'One?', two: 'Two?', again: 'Again.' }, blocks: [asks('one', 'two'), asks('two', null)] });
  talk.start();
  t.strictSame(seen(talk.say('no')), ['Again.', 'One?']);
  t.strictSame(seen(talk.say('ok')), ['Two?']);
  t.strictSame(seen(talk.say('no')), ['Again.', 'Two?'], 'attempts at the first question do not count for the second');
  t.equal(talk.say('no').next.kind, 'end');
});

t.test('the attempt count survives an effect that runs before the question is repeated', async (t) => {
  const button = { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'yes' }] };
  const template = { name: 'order', language: { code: 'en' }, components: [button] };
  const talk = talkOf({
    texts: { again: 'Again.' },
    blocks: [
      {
        name: 'sent',
        type: 'Svc.Template',
        config: { template, on_invalid: { max_attempts: 2, message: 'again' } },
        exits: [{ to: null }],
      },
    ],
  });
  const performed = () => talk.send({ kind: 'result', value: { kind: 'template' } });
  talk.start();
  performed();
  for (const _ of [1, 2]) {
    t.match(effectOf(talk.say('what?')), { kind: 'template' });
    t.equal(performed().next.kind, 'wait');
  }
  t.equal(talk.say('what?').next.kind, 'end', 'the question is not repeated after the second attempt');
});

t.test('the contact’s answer is still available after the effect that it caused', async (t) => {
  const agent = { instructions: 'i', connection: 'c', opening: 'none', actions: [{ name: 'done', description: 'Done' }] };
  const talk = talkOf({
    texts: { i: 'Help.' },
    blocks: [
      {
        name: 'helper',
        type: 'Svc.AiAgent',
        config: agent,
        exits: [{ name: 'done', test: 'block.value = "done"', to: null }, { to: null }],
      },
    ],
  });
  talk.start();
  talk.say('thank you');
  const calls = [{ id: '1', name: 'route_done', arguments: '{}' }];
  const connection = { uuid: 'c', name: 'c', vendor: 'v', model: 'm' };
  talk.send({ kind: 'result', value: { kind: 'model', connection, text: '', calls, tokens: { input: 1, output: 1 }, elapsedMs: 1 } });
  t.match(talk.session?.stack[0]?.results, { helper: { __value__: 'done', response: 'thank you' } });
});

t.test('random numbers differ between turns and sessions, and repeat when a step is repeated', async (t) => {
  const blocks = [
    {
      name: 'toss',
      type: 'Svc.Random',
      config: { weights: { heads: 1, tails: 1 } },
      exits: [
        { name: 'heads', test: 'false', to: 'q' },
        { name: 'tails', to: 'q' },
      ],
    },
    { name: 'q', type: OPEN, config: { prompt: 'q' }, exits: [{ to: 'toss' }] },
  ];
  const tosses = (session: string): string => {
    const talk = talkOf({ texts: { q: '?' }, blocks });
    talk.start({ session });
    const drawn = [varsOf(talk)];
    for (let i = 0; i < 30; i++) {
      talk.say('again');
      drawn.push(varsOf(talk));
    }
    return drawn.map((vars) => String((vars as JsonObject).toss).charAt(0)).join('');
  };
  const first = tosses('a');
  t.match([first.includes('h'), first.includes('t')], [true, true], first);
  t.equal(tosses('a'), first);
  t.not(tosses('b'), first);
});

t.test('a wait whose timer fires too early continues for the remaining time', async (t) => {
  const draft = {
    texts: { d: 'Done.' },
    blocks: [
      { name: 'w', type: 'Svc.Wait', config: { seconds: 60 }, exits: [{ name: 'elapsed', to: 'd' }] },
      { name: 'd', type: SAY, config: { prompt: 'd' } },
    ],
  };
  const begun = talkOf(draft, { now: '2025-01-15T09:30:00.000Z' });
  begun.start();
  const at = (now: string): StepResult => {
    const talk = talkOf(draft, { now });
    talk.session = begun.session;
    return talk.send({ kind: 'timeout' });
  };
  t.match(at('2025-01-15T09:30:59.001Z').next, { kind: 'wait', timeoutIn: 1 });
  t.strictSame(seen(at('2025-01-15T09:31:00.000Z')), ['Done.']);
});

t.test('schedules are limited to the next 366 days', async (t) => {
  const moments = ['100 * 366 * 86400', '-5'].map((seconds) => {
    const talk = talkOf({ blocks: [{ name: 'later', type: 'Svc.Schedule', config: { journey: 'j', in: seconds } }] });
    return talk.start().events.flatMap((event) => (event.type === 'scheduled' ? event.moment : []));
  });
  t.strictSame(moments, [['2026-01-16T09:30:00.000Z'], ['2025-01-15T09:30:00.000Z']]);
});

t.test('resources use their messaging values, not those for calls', async (t) => {
  const value = (mode: string, text: string) => ({ language_id: 'eng', content_type: 'TEXT', modes: [mode], value: text });
  const talk = talkOf({
    texts: { r: [value('IVR', 'Press one.'), value('TEXT', 'Plain.'), value('RICH_MESSAGING', 'Rich.')] },
    blocks: [{ name: 'say', type: SAY, config: { prompt: 'r' } }],
  });
  t.strictSame(seen(talk.start()), ['Rich.']);
});

t.test('long texts are split at paragraphs, lines or words, else between characters', async (t) => {
  const say = (text: string): readonly string[] => {
    const talk = talkOf({ texts: { r: '@contact.text' }, blocks: [{ name: 'say', type: SAY, config: { prompt: 'r' } }] });
    return turnsOf(talk.start({ contact: { text } })).map(({ text: shown }) => (shown as { body: string }).body);
  };
  const long = 'x'.repeat(3000);
  t.strictSame(
    say(`${long}\n\n${long}`).map(({ length }) => length),
    [3000, 3000],
  );
  t.strictSame(
    say(`a b\n\n${'y'.repeat(5000)}`).map(({ length }) => length),
    [4096, 909],
    'a gap in the first half is not used',
  );
  const smiles = say(`x${'😀'.repeat(3000)}`);
  t.strictSame(
    smiles.map((text) => [text.length, isWhole(text)]),
    [
      [4095, true],
      [1906, true],
    ],
  );
  const cut = say(`x${'😀'.repeat(8000)}`).join('');
  t.strictSame([cut.length, isWhole(cut)], [9999, true], 'the complete text is cut between characters too');
});

t.test('a text becomes the caption of an image only if it is short enough', async (t) => {
  const picture = { language_id: 'eng', content_type: 'IMAGE', modes: ['RICH_MESSAGING'], value: 'https://a.test/p.png' };
  const types = [1024, 1025].map((length) => {
    const text = { language_id: 'eng', content_type: 'TEXT', modes: ['RICH_MESSAGING'], value: 'x'.repeat(length) };
    return turnsOf(talkOf({ texts: { r: [picture, text] }, blocks: [{ name: 'say', type: SAY, config: { prompt: 'r' } }] }).start()).map(
      ({ type }) => type,
    );
  });
  t.strictSame(types, [['image'], ['image', 'text']]);
});

t.test('input that is too long is cut between characters', async (t) => {
  const talk = talkOf({ texts: { q: '?' }, blocks: [{ name: 'q', type: OPEN, config: { prompt: 'q' }, exits: [{ to: 'q' }] }] });
  talk.start();
  const [received] = talk.say(`x${'😀'.repeat(40_000)}`).events;
  t.match(received, { type: 'input_received' });
  const { text } = received as { text: string };
  t.strictSame([text.length, isWhole(text)], [65_535, true]);
});

t.test('counting the characters of a very long answer is fast', async (t) => {
  const talk = talkOf({
    texts: { q: '?' },
    blocks: [{ name: 'q', type: OPEN, config: { prompt: 'q', max_response_characters: 60_000 }, exits: [{ to: 'q' }] }],
  });
  talk.start();
  const invalid = ({ events }: StepResult) => events.some(({ type }) => type === 'input_invalid');
  t.equal(invalid(talk.say('x'.repeat(60_001))), true);
  t.equal(invalid(talk.say('x'.repeat(60_000))), false);
  t.equal(invalid(talk.say('😀'.repeat(30_001))), false);
});

t.test('an agent stores the beginning of a very long message, cut between characters', async (t) => {
  const talk = talkOf({
    texts: { i: 'Help.' },
    blocks: [{ name: 'helper', type: 'Svc.AiAgent', config: { instructions: 'i', connection: 'c', opening: 'none' } }],
  });
  talk.start();
  const effect = effectOf(talk.say(`x${'😀'.repeat(5000)}`));
  const said = effect?.kind === 'model' ? (effect.messages.at(-1)?.content ?? '') : '';
  t.strictSame([said.length, isWhole(said), said.endsWith('😀…')], [8000, true, true]);
});

t.test('a secret written with @@ is literal text', async (t) => {
  const talk = talkOf({
    blocks: [
      {
        name: 'ask',
        type: 'Svc.Http',
        config: {
          url: 'https://a.test/',
          headers: [
            ['a', '@@secrets.KEY'],
            ['b', '@secrets.KEY'],
          ],
        },
      },
    ],
  });
  t.match(effectOf(talk.start()), {
    headers: [
      ['a', '@secrets.KEY'],
      ['b', [{ secret: 'KEY' }]],
    ],
  });
});

t.test('a response of the maximum length is accepted; one character more is too_large', async (t) => {
  const responses = [10, 11].map((length) => {
    const talk = talkOf({
      blocks: [{ name: 'hook', type: 'Core.Webhook', config: { method: 'GET', url: 'https://a.test/', max_content_length: 10 } }],
    });
    talk.start();
    const value = { kind: 'http', call: {}, answer: { status: 200, headers: {}, body: 'x'.repeat(length) } } as unknown as EffectResult;
    talk.send({ kind: 'result', value });
    return (varsOf(talk) as { hook: JsonObject }).hook;
  });
  t.match(responses, [
    { response: 'x'.repeat(10), error: null },
    { response: null, error: 'too_large' },
  ]);
});

t.test('the token of a form identifies one run and one question', async (t) => {
  const flow = { flow_id: '1', cta: 'Open', screen: 'FIRST' };
  const tokens = ['a', 'b'].map((session) => {
    const talk = talkOf({ texts: { b: 'Please.' }, blocks: [{ name: 'form', type: 'Svc.FlowMessage', config: { body: 'b', flow } }] });
    return JSON.stringify(turnsOf(talk.start({ session }))).match(/"flow_token":"([^"]*)"/)?.[1];
  });
  t.strictSame(tokens, ['a.form', 'b.form']);
});

t.test('a location must have a valid latitude and longitude', async (t) => {
  const talk = talkOf({
    texts: { q: 'Where?' },
    blocks: [{ name: 'place', type: 'SmartDevices.LocationResponse', config: { prompt: 'q' }, exits: [{ to: 'place' }] }],
  });
  talk.start();
  const places = ['-90, 180', '90 -180', '90.1, 0', '0, 180.1'].map((text) => {
    talk.say(text);
    return (varsOf(talk) as JsonObject).place;
  });
  t.strictSame(places, [[-90, 180, null, null], [90, -180, null, null], '90.1, 0', '0, 180.1']);
});

t.test('a turn performs at most 100 effects; further ones fail', async (t) => {
  let performed = 0;
  const signals: string[] = [];
  const run = async (_task: unknown, { signal }: { signal: { kind: string; value?: EffectResult } }) => {
    signals.push(signal.value?.kind ?? signal.kind);
    const next = signal.value?.kind === 'failed' ? { kind: 'end' } : { kind: 'effect', effect: { kind: 'content', content: 'c' } };
    return { session: '{}', head: {}, events: [], next };
  };
  const perform = async (): Promise<EffectResult> => {
    performed++;
    return { kind: 'template' };
  };
  const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 's' };
  const result = await runTurn({
    workers: { run } as never,
    perform,
    definitions: {},
    session: '{}',
    signal: { kind: 'timeout' },
    environment,
  });
  t.equal(performed, 100);
  t.equal(signals.at(-1), 'failed');
  t.strictSame(result.next, { kind: 'end' });
});

t.test('until and at parse dates like expressions: day first, in the zone of the journeys; other texts fail', async (t) => {
  const now = '2026-12-01T08:00:00.000Z';
  const wait = { name: 'w', type: 'Svc.Wait', config: { until: 'contact.at' }, exits: [{ name: 'elapsed', to: null }] };
  const plan = { name: 'p', type: 'Svc.Schedule', config: { journey: 'j', at: 'contact.at' }, exits: [{ to: null }] };
  const moments: [text: string, moment: string | null, timeZone?: string][] = [
    ['05/12/2026 10:00', '2026-12-05T10:00:00.000Z'],
    ['05/12/2026 10:00', '2026-12-05T08:00:00.000Z', 'Africa/Johannesburg'],
    ['25/12/2026', '2026-12-25T00:00:00.000Z'],
    ['25-12-2026', '2026-12-24T22:00:00.000Z', 'Africa/Johannesburg'],
    ['2026-12-05T10:00:00+02:00', '2026-12-05T08:00:00.000Z', 'America/Lima'],
    ['2026-12-05t10:00:00z', '2026-12-05T10:00:00.000Z', 'America/Lima'],
    ['2026-12-05 10:00:00 +0200', '2026-12-05T08:00:00.000Z', 'America/Lima'],
    ['2026-12-05 10:00:00 +02:00', '2026-12-05T08:00:00.000Z'],
    ['2026-12-5 9:30 UTC', '2026-12-05T09:30:00.000Z', 'America/Lima'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['2026-12-05T10:00:00.0001234567Z', '2026-12-05T10:00:00.000Z'],
    ['Sat, 05 Dec 2026 10:00:00 +0000', '2026-12-05T10:00:00.000Z', 'America/Lima'],
    ['Sat, 05 Dec 2026 10:00:00 GMT', '2026-12-05T10:00:00.000Z', 'America/Lima'],
    ['5 December 2026 10:00', '2026-12-05T15:00:00.000Z', 'America/Lima'],
    ['5 Dec 2026', '2026-12-05T00:00:00.000Z'],
    ['Monday, 31 MAY 2027', '2027-05-31T00:00:00.000Z'],
    ...[
      '31 feb',
      '31/02/2027',
      'room 12',
      '1',
      '12/2026',
      'tomorrow',
      '',
      '1796464800',
      '5/12/26',
      '12/5/2026 10:00',
      '2026',
      '2026-12-05T24:00:01Z',
      '2027-02-29 10:00 +0200',
      '31 Feb 2027',
      '2026-12-05 room 12',
      '5 Decibel room 2026',
      '31 Marble 2027',
      '5 Decem 2026',
      'Sauna, 5 Dec 2026',
      'Mon, 05 Dec 2026 10:00:00 GMT',
      'Sunday, 31 May 2027',
    ].map((text): [string, null] => [text, null]),
  ];
  for (const [at, moment, timeZone = 'UTC'] of moments) {
    const [waits, plans] = [wait, plan].map((block) => talkOf({ blocks: [block] }, { now, timeZone }).start({ contact: { at } }));
    const seconds = moment && (Date.parse(moment) - Date.parse(now)) / 1000;
    const failed = { kind: 'end', failure: { code: 'no_moment' } };
    t.match(waits?.next, moment ? { kind: 'wait', timeoutIn: seconds } : failed, `${at} in ${timeZone}`);
    const planned = plans?.events.flatMap((event) => (event.type === 'scheduled' ? event.moment : []));
    t.strictSame(planned, moment ? [moment] : [], `${at} in ${timeZone}`);
    if (!moment) t.match(plans?.next, failed);
  }
});

t.test('a block has at most 100 exits', async (t) => {
  const problems = [100, 101].map((count) => {
    const exits = Array.from({ length: count }, (_, i) =>
      i < count - 1 ? { name: `e${i}`, test: 'contact.a = 1', to: null } : { to: null },
    );
    return checkContainer(containerOf({ blocks: [{ name: 'sort', type: 'Core.Case', exits }] })).map(({ code }) => code);
  });
  t.strictSame(problems, [[], ['too_large']]);
});

t.test('a cycle without a wait is an error only when no exit leaves it', async (t) => {
  const codes = (type: string, config: JsonObject, ...ends: readonly object[]) => {
    const exits = [...ends, { to: 'b' }] as never;
    const blocks = [
      { name: 'a', type, config, exits },
      { name: 'b', type: 'Core.Log', config: { message: 'round' }, exits: [{ to: 'a' }] },
    ];
    return checkJourney(containerOf({ blocks }), unknownAssets).flatMap(({ code }) => (/cycle/.test(code) ? code : []));
  };
  t.strictSame(codes('Core.Log', { message: 'x' }), ['endless_cycle']);
  t.strictSame(codes('Core.Case', {}, { name: 'out', test: 'contact.a = 1', to: null }), ['cycle_without_wait']);
  t.strictSame(codes('Svc.ContentCard', { content_id: 'c' }), ['endless_cycle'], 'a card that does not wait does not stop the cycle');
  t.strictSame(codes('Svc.ContentCard', { content_id: 'c', wait_for_input: true }), []);
  const template = { name: 't', language: { code: 'en' } };
  t.strictSame(codes('Svc.Template', { template }), ['endless_cycle']);
  t.strictSame(codes('Svc.Template', { template, wait_for_input: true }), []);
});

t.test('a session of a later version is rejected', (t) => {
  const input = { definitions: {}, session: JSON.stringify({ v: 2 }), signal: {}, environment: {} } as unknown as StepInput;
  t.throws(() => runStep(input), /session version 2 is unknown; a later release wrote this session/);
  t.end();
});
