import t from 'tap';
import type { Json, JsonObject } from '../../../../core/json.js';
import { lintJourney } from '../../../../plugins/journeys/engine/lint/lint.js';
import type { StepResult } from '../../../../plugins/journeys/engine/step.js';
import { containerOf, type Draft, Talk } from './journey-under-test.js';

const lint = (draft: Draft): string[] =>
  lintJourney(containerOf({ languages: ['eng'], ...draft })).map(({ severity, code, path }) => `${severity} ${code} ${path}`);

/** The ids and titles of the offered buttons or rows. */
const offered = ({ events }: StepResult): readonly string[] =>
  events.flatMap((event) => {
    const interactive =
      event.type === 'message_out' ? ((event.turn as unknown as JsonObject).interactive as JsonObject | undefined) : undefined;
    const action = interactive?.action as {
      buttons?: { reply: { id: string; title: string } }[];
      sections?: { rows: { id: string; title: string }[] }[];
    };
    const shown = action?.buttons?.map(({ reply }) => reply) ?? action?.sections?.flatMap(({ rows }) => rows) ?? [];
    return shown.map(({ id, title }) => `${id}: ${title}`);
  });

/** In the format of compiled notebooks: two buttons that lead to the same card share its name. */
const menu = (...labels: readonly string[]): Draft => ({
  texts: { q: 'Which?', end: 'Taken: @pick.label', ...Object.fromEntries(labels.map((label) => [label, label])) },
  blocks: [
    {
      name: 'pick',
      type: 'MobilePrimitives.SelectOneResponse',
      config: {
        prompt: 'q',
        choices: labels.map((label) => ({ name: label === 'Stop' ? 'stop' : 'more', prompt: label, test: `block.response == "${label}"` })),
      },
      exits: [{ name: 'more', test: 'block.value == "more"', to: 'said' }, { to: null }],
    },
    { name: 'said', type: 'MobilePrimitives.Message', config: { prompt: 'end' }, exits: [{ to: null }] },
  ],
});

t.test('two choices with the same name are a warning, and the contact can choose either', async (t) => {
  const draft = menu('Yes', 'Sure', 'Stop');
  t.strictSame(lint(draft), ['warning duplicate_choice /flows/0/blocks/0/config/choices/1/name']);
  const wanted: readonly (readonly [string, JsonObject, Json])[] = [
    ['Sure', {}, { __value__: 'more', name: 'more', index: 1, label: 'Sure' }],
    ['', { reply: { id: 'more_2', title: 'Sure' } }, { __value__: 'more', name: 'more', index: 1, label: 'Sure' }],
    ['', { reply: { id: 'more', title: 'Yes' } }, { __value__: 'more', name: 'more', index: 0, label: 'Yes' }],
    ['Yes', {}, { __value__: 'more', name: 'more', index: 0, label: 'Yes' }],
    ['Stop', {}, { __value__: 'stop', name: 'stop', index: 2, label: 'Stop' }],
  ];
  for (const [said, more, value] of wanted) {
    const talk = new Talk({ main: containerOf(draft) });
    t.strictSame(offered(talk.start()), ['more: Yes', 'more_2: Sure', 'stop: Stop'], 'ids are unique');
    const { events, session } = talk.say(said, more);
    t.strictSame(session.stack.at(-1)?.vars.pick, value, `${said} ${JSON.stringify(more)}`);
    t.match(
      events.find(({ type }) => type === 'exit_taken'),
      { exit: value === wanted[4]![2] ? 'default' : 'more' },
    );
  }
});

t.test('generated ids are unique, and a section has all choices with its names', async (t) => {
  const names = ['a', 'a', 'a_2', 'b', 'a'];
  const draft: Draft = {
    texts: { q: 'Which?', ...Object.fromEntries(names.map((_, i) => [`l${i}`, `Label ${i}`])) },
    blocks: [
      {
        name: 'pick',
        type: 'MobilePrimitives.SelectOneResponse',
        config: {
          prompt: 'q',
          list: {
            sections: [
              { title: 'First', choice_names: ['b'] },
              { title: 'Second', choice_names: ['a', 'a'] },
            ],
          },
          choices: names.map((name, i) => ({ name, prompt: `l${i}` })),
        },
      },
    ],
  };
  t.strictSame(offered(new Talk({ main: containerOf(draft) }).start()), [
    'b: Label 3',
    'a: Label 0',
    'a_3: Label 1',
    'a_4: Label 4',
    'a_2: Label 2',
  ]);
});

t.test('computed choices of the same name are all offered; identical ones once', async (t) => {
  const draft: Draft = {
    texts: { q: 'Which?' },
    blocks: [
      {
        name: 'pick',
        type: 'Svc.DynamicSelectOne',
        config: { prompt: 'q', choice_expression: '[["n", "North"], ["n", "Far north"], ["n", "North"], "South"]' },
      },
    ],
  };
  const talk = new Talk({ main: containerOf(draft) });
  t.strictSame(offered(talk.start()), ['n: North', 'n_2: Far north', 'South: South']);
  const { session } = talk.say('', { reply: { id: 'n_2', title: 'Far north' } });
  t.match(session.stack.at(-1)?.vars.pick, { name: 'n', index: 1, label: 'Far north' });
});

t.test('computed choices are stored in the format of earlier releases, so that their sessions continue', async (t) => {
  const talk = new Talk({
    main: containerOf({
      texts: { q: 'Which?' },
      blocks: [{ name: 'pick', type: 'Svc.DynamicSelectOne', config: { prompt: 'q', choice_expression: '["North", "South"]' } }],
    }),
  });
  talk.start();
  const kept = ['North', 'South'].map((name) => ({ name, label: name, description: '', tests: [] }));
  t.strictSame(talk.session?.stack.at(-1)?.memory, { pick: kept });
  const { session } = talk.say('', { reply: { id: 'South', title: 'South' } });
  t.match(session.stack.at(-1)?.vars.pick, { name: 'South', index: 1 });
});

t.test('choices of the same name are a warning in select-many questions', async (t) => {
  const draft = menu('Yes', 'Sure');
  const [pick] = draft.blocks!;
  t.ok(
    lint({ ...draft, blocks: [{ ...pick!, type: 'MobilePrimitives.SelectManyResponses', exits: [{ to: null }] }] }).includes(
      'warning duplicate_choice /flows/0/blocks/0/config/choices/1/name',
    ),
  );
});

t.test('a variable that shadows a name of the context is a warning', async (t) => {
  const assign = (name: string): Draft => ({
    texts: { r: `@${name}` },
    languages: ['eng'],
    blocks: [
      { name, type: 'Core.Case', exits: [{ name: '"mine"', to: 'set' }] },
      { name: 'set', type: 'Svc.SetVariable', config: { assignments: [{ name, value: `${name} & "!"` }] } },
      { name: 'read', type: 'ConsoleIO.Print', config: { message: `@${name}` } },
    ],
  });
  for (const name of ['chat', 'event', 'global', 'number', 'organisation']) {
    t.strictSame(lint(assign(name)), [
      'warning reserved_name /flows/0/blocks/0/name',
      'warning reserved_name /flows/0/blocks/1/config/assignments/0',
    ]);
    const talk = new Talk({ main: containerOf(assign(name)) });
    const { events } = talk.start({ globals: { [name]: { owner: '+27' } } });
    t.match(
      events.find(({ type }) => type === 'message_out'),
      { turn: { text: { body: 'mine!' } } },
      name,
    );
    t.notOk(events.some(({ type }) => type === 'warning'));
  }
  for (const name of ['contact', 'block', 'parent', 'child', 'config', 'results']) {
    t.ok(lint(assign(name)).includes('error reserved_name /flows/0/blocks/0/name'), `${name} has the engine's value`);
  }
  const reads: Draft = { blocks: [{ name: 'line', type: 'ConsoleIO.Read', config: { format: '%s', destination_variables: ['chat'] } }] };
  t.strictSame(lint(reads), ['warning reserved_name /flows/0/blocks/0/config/destination_variables/0']);
});
