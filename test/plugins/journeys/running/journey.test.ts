import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { InlinePool } from '../../../../core/adapters/workers/inline-pool.js';
import { PiscinaPool } from '../../../../core/adapters/workers/piscina-pool.js';
import type { JsonObject } from '../../../../core/json.js';
import { patient } from '../../../../core/testing/slowness.js';
import { readContext } from '../../../../plugins/journeys/engine/context.js';
import type { Container } from '../../../../plugins/journeys/engine/floip.js';
import type { Definitions, Session, Signal } from '../../../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../../../plugins/journeys/engine/shared-definition.js';
import { step } from '../../../../plugins/journeys/engine/step.js';
import { type Perform, type RunTurn, runTurn, type TurnResult } from '../../../../plugins/journeys/running/run-turn.js';
import { runs } from '../../../forms.js';
import { containerOf, type DraftBlock, seen, Talk } from '../engine/journey-under-test.js';

const demo = JSON.parse(readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8')) as Container;
const environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
const say: DraftBlock['type'] = 'MobilePrimitives.Message';

t.test('the demo journey works in English', async (t) => {
  const talk = new Talk({ main: demo });
  t.strictSame(seen(talk.start()), [
    'Welcome to the Riverside Library! In which language shall we talk?\nDans quelle langue voulez-vous parler ? [English] [Français]',
  ]);
  t.strictSame(seen(talk.say('English')), ['What may I call you?']);
  t.strictSame(seen(talk.say('R2D2!')), ['A name of up to 40 letters, please.', 'What may I call you?']);
  t.strictSame(seen(talk.say('  mary ann ')), [
    'Nice to meet you, Mary Ann!',
    'What can I do for you? [Book a visit] [Opening hours] [Leave a message]',
  ]);
  t.strictSame(seen(talk.say('when are you open?')), [
    'We are open Monday to Friday from 9:00 to 18:00, and on Saturday from 10:00 to 14:00. Today we close at 18:00.',
    'Is there anything else? [Back to the menu] [That is all]',
  ]);
  t.strictSame(seen(talk.say('Back to the menu')), ['What can I do for you? [Book a visit] [Opening hours] [Leave a message]']);
  t.strictSame(seen(talk.say('Book a visit', { type: 'interactive', reply: { id: 'visit', title: 'Book a visit' } })), [
    'Where would you like to go tomorrow? [Story hour] [Games room] [Reading room] [Town archive]',
  ]);
  t.strictSame(seen(talk.say('town archive')), ['At what time? [10:00] [12:00] [14:00] [16:00]']);
  t.strictSame(seen(talk.say('at 14')), ['How many people will come?']);
  t.strictSame(seen(talk.say('twelve')), ['A number from 1 to 8, please.', 'How many people will come?']);
  t.strictSame(seen(talk.say('there are 2 of us')), [
    'Town archive tomorrow at 14:00 for 2: shall I book that? [Yes, please] [Change it] [No, thanks]',
  ]);
  t.strictSame(seen(talk.say('yes')), [
    'Done, Mary Ann: Town archive, 14:00, for 2. See you tomorrow!',
    'Is there anything else? [Back to the menu] [That is all]',
  ]);
  t.strictSame(seen(talk.say('That is all')), ['Goodbye, Mary Ann. Write whenever you like.']);
  t.strictSame(talk.last?.next, { kind: 'end' });
  t.strictSame(talk.session?.contact, { language: 'eng', name: 'Mary Ann', last_visit: 'archive 14:00 (2)' });
});

t.test('the demo journey recognises a contact, speaks French, takes messages and ends politely after invalid answers', async (t) => {
  const talk = new Talk({ main: demo });
  t.strictSame(seen(talk.start({ contact: { name: 'Léa', language: 'fra' } })), [
    'Quel plaisir de vous lire, Léa.',
    "Que puis-je faire pour vous ? [Réserver une visite] [Heures d'ouverture] [Laisser un message]",
  ]);
  t.strictSame(seen(talk.say('LAISSER un message')), [
    'Écrivez votre message, en 500 caractères au plus. Une bibliothécaire le lira demain matin.',
  ]);
  t.strictSame(seen(talk.say('Gardez-moi @contact.name svp')), [
    'Merci, Léa. Vous avez écrit :\n> Gardez-moi @contact.name svp',
    "Puis-je faire autre chose ? [Retour au menu] [C'est tout]",
  ]);
  talk.say('Retour au menu');
  talk.say('???');
  t.strictSame(seen(talk.say('???'))[0], "Je n'ai pas compris. Touchez une des options, ou écrivez ses mots.");
  t.strictSame(seen(talk.say('???')), ['Au revoir, Léa. Écrivez-nous quand vous voulez.']);
  t.match(
    talk.start({ contact: { name: 'Bo', language: 'eng' } }).events.find(({ type }) => type === 'message_out'),
    { at: { card: 'Welcome' } },
    'a place has the card of its block',
  );
});

t.test('every offered label is accepted as an answer, in every language', async (t) => {
  for (const language of ['eng', 'fra']) {
    const fresh = () => new Talk({ main: demo });
    const offered = fresh()
      .start({ contact: { name: 'Bo', language } })
      .events.flatMap((event) => (event.type === 'message_out' ? event.options : []));
    t.equal(offered.length, 3);
    for (const label of offered) {
      const talk = fresh();
      talk.start({ contact: { name: 'Bo', language } });
      t.notOk(
        talk.say(label).events.some(({ type }) => type === 'input_invalid'),
        label,
      );
    }
  }
});

t.test('a journey that loops is stopped', async (t) => {
  const circle = containerOf({ texts: { r: 'Hi' }, blocks: [{ name: 'a', type: say, config: { prompt: 'r' }, exits: [{ to: 'a' }] }] });
  const talk = new Talk({ main: circle });
  talk.start();
  t.match(talk.last?.next, { kind: 'end', failure: { code: 'step_limit' } });
  t.equal(talk.session?.status, 'failed');
  t.equal(seen(talk.last ?? { events: [] }).length, 200);
  t.equal(talk.last?.events.filter(({ type }) => type === 'exit_taken').length, 200, 'no block is entered beyond the limit');
});

t.test('a runaway journey fails at a limit instead of hanging', async (t) => {
  const asks = { name: 'q', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'r' }, exits: [{ to: 'q' }] };
  const endless = new Talk({ main: containerOf({ texts: { r: '?' }, blocks: [asks] }) });
  endless.start();
  for (let i = 0; i < 999; i++) endless.say('again');
  t.equal(endless.last?.next.kind, 'wait');
  t.match(endless.say('again').next, { kind: 'end', failure: { code: 'turn_limit' } });

  const calls = [{ name: 'call', type: 'Core.RunFlow', config: { flow_id: 'short' }, exits: [{ to: 'call' }] }];
  const runs = new Talk({
    main: containerOf({ flows: { main: calls, short: [{ name: 'n', type: 'Core.Case', exits: [{ name: '1', to: null }] }] } }),
  });
  t.match(runs.start().next, { kind: 'end', failure: { code: /run_limit|step_limit/ } });

  const costly = 'count(map(1..9000, &(&1 + 1)))';
  const sums = { name: 'n', type: 'Core.Case', exits: [{ name: costly, to: 'n' }] };
  const started = performance.now();
  t.match(new Talk({ main: containerOf({ blocks: [sums] }) }).start().next, { kind: 'end', failure: { code: 'expression_limit' } });
  t.ok(performance.now() - started < patient(1000));

  const long = new Talk({
    main: containerOf({ texts: { r: '@rept("abc ", 5000)' }, blocks: [{ name: 'a', type: say, config: { prompt: 'r' } }] }),
  });
  const { events } = long.start();
  t.strictSame(
    events.flatMap((event) =>
      event.type === 'message_out' && 'text' in event.turn && event.turn.type === 'text' ? event.turn.text.body.length : [],
    ),
    [4095, 4095, 1807],
    'a long text is cut at 10,000 characters and sent in pieces',
  );
  t.match(
    events.find(({ type }) => type === 'warning'),
    { reason: 'the text is longer than 10000 characters and was cut; shorten it' },
  );
});

t.test('a failure continues at the exit block of the flow', async (t) => {
  const container = containerOf({
    texts: { r: 'Sorry: @block.error' },
    blocks: [
      { name: 'odd', type: 'Vendor.Odd' },
      { name: 'sorry', type: say, config: { prompt: 'r' } },
    ],
  });
  const flows = container.flows.map((flow) => ({ ...flow, exit_block_id: 'sorry' }));
  t.strictSame(seen(new Talk({ main: { ...container, flows } }).start()), ['Sorry: unknown_block_type']);
});

t.test('event.message is the latest message of the contact, from the first one on', async (t) => {
  const asks = { name: 'q', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'r' }, exits: [{ to: 'q' }] };
  const talk = new Talk({ main: containerOf({ texts: { r: '@event.message.id @event.kept' }, blocks: [asks] }) });
  const opening = talk.start({ globals: { event: { kept: 'yes' } }, input: { text: 'hi', type: 'text', message: { id: 'm1' } } });
  t.strictSame(seen(opening), ['m1 yes'], 'it does not answer the first question');
  t.strictSame(seen(talk.say('a', { message: { id: 'm2' } })), ['m2 yes']);
});

t.test('the contact of an input replaces the contact in the session', async (t) => {
  const asks = { name: 'q', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'r' }, exits: [{ to: 'q' }] };
  const talk = new Talk({ main: containerOf({ texts: { r: 'Hi @contact.name' }, blocks: [asks] }) });
  talk.start({ contact: { name: 'Bo' } });
  t.strictSame(seen(talk.send({ kind: 'input', input: { text: 'x', type: 'text' }, contact: { name: 'Mo' } })), ['Hi Mo']);
});

t.test('the context has all public names, and no private ones', async (t) => {
  const talk = new Talk({ main: demo });
  talk.start({ contact: { name: 'Bo', language: 'eng' }, globals: { number: { name: 'n' }, _secret: 1 } });
  talk.say('Leave a message');
  talk.say('hello');
  const context = readContext(JSON.stringify(talk.session));
  t.match(context, {
    contact: { name: 'Bo' },
    number: { name: 'n' },
    note: 'hello',
    menu: { name: 'note' },
    results: { note: { value: 'hello' } },
    block: {},
  });
  t.notOk('_secret' in context);
});

const answers = fc.array(
  fc.oneof(
    fc.constantFrom(
      'English',
      'Français',
      'Book a visit',
      'Opening hours',
      'Leave a message',
      'Back to the menu',
      'games room',
      '14',
      '2',
      'yes',
      'no',
      'Mary',
      '@contact.name',
    ),
    fc.string({ maxLength: 20 }),
    fc.constant(null),
  ),
  { maxLength: 15 },
);
const signalFor = (answer: string | null): Signal =>
  answer === null ? { kind: 'timeout' } : { kind: 'input', input: { text: answer, type: 'text' } };

t.test('a session is unchanged by serialisation, and the same signals give the same events', async (t) => {
  fc.assert(
    fc.property(answers, (given) => {
      const written = new Talk({ main: demo });
      const kept = new Talk({ main: demo });
      for (const signal of [undefined, ...given.map(signalFor)]) {
        const [one, other] = [written, kept].map((talk) => (signal ? talk.send(signal) : talk.start()));
        // The session of `send` went through JSON; this is the frozen object that the step returned.
        kept.session = frozen(other?.session ?? null);
        if (JSON.stringify(one) !== JSON.stringify(other)) return false;
      }
      const [one, other] = [written, written].map((talk) => JSON.stringify(step(talk.stepFor({ kind: 'timeout' }))));
      return one === other;
    }),
    { numRuns: runs(200) },
  );
  t.pass('200 random conversations');
});

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}

t.test('blocks with nonsense settings only fail', async (t) => {
  const nonsense = fc.oneof(fc.jsonValue(), fc.constantFrom('@(', '@contact', '1 +', [{}], { choices: 5 }, null, [null], [[]]));
  const damage = fc.array(fc.tuple(fc.nat(1), fc.nat(), fc.nat(), nonsense), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(damage, answers, (damages, given) => {
      const container = structuredClone(demo);
      for (const [flow, which, where, value] of damages) {
        const blocks = container.flows[flow]?.blocks ?? [];
        const config = (blocks[which % blocks.length]?.config ?? {}) as Record<string, unknown>;
        const keys = [...Object.keys(config), 'timeout', 'list', 'set_contact_property'];
        config[keys[where % keys.length] ?? ''] = value;
      }
      const talk = new Talk({ main: container });
      talk.start();
      return given.every((answer) => {
        const { next } = talk.send(signalFor(answer));
        // An id that is not a flow of the container may be another journey; there is none here.
        if (next.kind === 'effect') talk.send({ kind: 'result', value: { kind: 'failed', code: 'journey_not_found', reason: 'none' } });
        return next.kind !== 'effect' || next.effect.kind === 'journey';
      });
    }),
    { numRuns: runs(300) },
  );
  t.pass('300 damaged journeys');
});

const pools = { 'the inline pool': () => new InlinePool(), 'the piscina pool': () => new PiscinaPool({ maxThreads: 2 }) };

for (const [name, make] of Object.entries(pools)) {
  const nothing: Perform = async ({ kind }) => ({ kind: 'failed', code: 'no_such_journey', reason: `there is no ${kind}` });
  const start = (more: JsonObject = {}): Signal =>
    ({ kind: 'start', session: 'session', journey: 'journey', revision: 'main', contact: {}, globals: {}, ...more }) as Signal;

  t.test(`turns run in ${name}`, async (t) => {
    const workers = make();
    t.teardown(() => workers.stop());
    const turn = (definitions: Definitions, session: string | null, signal: Signal, more: Partial<RunTurn> = {}): Promise<TurnResult> =>
      runTurn({ workers, perform: nothing, definitions, session, signal, environment, ...more });

    await t.test('a session is a string between turns', async (t) => {
      const definitions = { demo: shareDefinition(demo) };
      const direct = new Talk({ main: demo });
      let { session, events, head } = await turn(definitions, null, start({ revision: 'demo' }));
      t.strictSame(events, direct.start().events);
      t.strictSame(head, { status: 'waiting', revisions: ['demo'], contact: {}, card: 'Welcome', block: direct.last?.stop.uuid, turns: 1 });
      for (const text of ['English', 'Bo', 'Book a visit', 'Games room', '10:00', '3', 'Yes, please', 'That is all']) {
        const result = await turn(definitions, session, signalFor(text));
        t.strictSame(result.events, direct.say(text).events, text);
        t.strictSame(result.next, direct.last?.next);
        session = result.session;
        head = result.head;
      }
      t.match(head, { status: 'ended', card: 'Goodbye', contact: { name: 'Bo', last_visit: 'games 10:00 (3)' }, turns: 9 });
    });

    await t.test('another journey is fetched by an effect and runs in the same turn', async (t) => {
      const caller = containerOf({
        texts: { r: 'Back: @child.name' },
        blocks: [
          { name: 'call', type: 'Core.RunFlow', config: { flow_id: 'other' } },
          { name: 'say', type: say, config: { prompt: 'r' } },
        ],
      });
      const called = containerOf({
        texts: { q: 'Name?' },
        blocks: [{ name: 'name', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } }],
      });
      const asked: unknown[] = [];
      const perform: Perform = async (effect) => {
        asked.push(effect);
        return { kind: 'journey', journey: 'other', revision: 'called', definition: shareDefinition(called) };
      };
      const opening = await turn({ caller: shareDefinition(caller) }, null, start({ revision: 'caller' }), { perform });
      t.strictSame(asked, [{ kind: 'journey', journey: 'other' }]);
      t.strictSame(seen(opening), ['Name?']);
      t.strictSame(opening.head.revisions, ['caller', 'called'], 'the next turn needs both');
      const answered = await turn({ caller: shareDefinition(caller), called: shareDefinition(called) }, opening.session, signalFor('Bo'));
      t.strictSame(seen(answered), ['Back: Bo']);
    });

    await t.test('a journey handles an effect that fails or throws', async (t) => {
      const definitions = {
        failing: shareDefinition(containerOf({ blocks: [{ name: 'call', type: 'Core.RunFlow', config: { flow_id: 'other' } }] })),
      };
      t.strictSame((await turn(definitions, null, start({ revision: 'failing' }))).next, {
        kind: 'end',
        failure: { code: 'no_such_journey', reason: 'there is no journey' },
      });
      const perform: Perform = () => Promise.reject(new Error('out of order'));
      t.strictSame((await turn(definitions, null, start({ revision: 'failing' }), { perform })).next, {
        kind: 'end',
        failure: { code: 'effect_failed', reason: 'out of order' },
      });
    });

    await t.test('a turn that never stops requesting effects is stopped', async (t) => {
      const again = {
        name: 'call',
        type: 'Core.RunFlow',
        config: { flow_id: 'other' },
        exits: [{ to: 'call' }, { label: 'error', to: 'call' }],
      };
      let performed = 0;
      const perform: Perform = async () => {
        performed++;
        return { kind: 'failed', code: 'no', reason: 'no' };
      };
      const { next } = await turn({ again: shareDefinition(containerOf({ blocks: [again] })) }, null, start({ revision: 'again' }), {
        perform,
      });
      t.match(next, { kind: 'end', failure: { code: 'step_limit' } });
      t.ok(performed <= 100, `${performed} effects`);
    });

    await t.test('a session stays on the revision that it started on', async (t) => {
      const ask = { name: 'q', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } };
      const version = (text: string) =>
        shareDefinition(containerOf({ texts: { q: '?', r: text }, blocks: [ask, { name: 'say', type: say, config: { prompt: 'r' } }] }));
      const opening = await turn({ old: version('old') }, null, start({ revision: 'old' }));
      t.strictSame(opening.head.revisions, ['old']);
      t.strictSame(seen(await turn({ old: version('old'), new: version('new') }, opening.session, signalFor('x'))), ['old']);
    });

    await t.test('two definitions with the same revision id are not mixed up in the cache', async (t) => {
      const version = (text: string) =>
        shareDefinition(containerOf({ texts: { r: text }, blocks: [{ name: 'say', type: say, config: { prompt: 'r' } }] }));
      const [one, two] = [version('one'), version('two')];
      for (const [definition, text] of [
        [one, 'one'],
        [two, 'two'],
        [one, 'one'],
      ] as const) {
        t.strictSame(seen(await turn({ same: definition }, null, start({ revision: 'same' }))), [text]);
      }
    });

    await t.test('a missing definition fails the run with a message; a session of a later version is rejected', async (t) => {
      const failure = (reason: RegExp) => ({ next: { kind: 'end', failure: { code: 'step_failed', reason } } });
      t.match(await turn({}, null, start({ revision: 'unsent' })), failure(/unsent is missing/));
      const session = JSON.stringify({ v: 2 } satisfies Partial<Record<keyof Session, unknown>>);
      const later = turn({ demo: shareDefinition(demo) }, session, signalFor('x'));
      await t.rejects(
        later,
        { name: 'TaskFailed', message: /session version 2 is unknown; a later release wrote this session/ },
        'so that it can be retried later',
      );
    });
  });
}
