import t from 'tap';
import { type CollectionType, definePlugin, on, type Plugin } from '#core';
import { InlinePool } from '#core/testing';
import {
  blockType,
  checkNotebook,
  compileNotebook,
  definitionCompletionsAt,
  evaluate,
  formatNotebook,
  functionType,
  type JourneyLanguage,
  lint,
  notebookOf,
  render,
  withLanguage,
} from '#engine';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { type JourneyExtension, type JourneyRecord, journeyStarted, journeys, journeysService } from '../../../plugins/journeys/plugin.js';
import { simulation } from '../../../plugins/simulation/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { loadSample } from '../../pages/samples.js';
import { CONTACT, startChannel } from '../channels/channel-under-test.js';
import { says, startSimulation } from '../simulation/simulation-under-test.js';

const PAGE = 'plugins/journeys/README.md';

t.test('a plugin counts how sessions end, and is notified when they start', async (t) => {
  const { endings, counts } = (await loadSample(PAGE, 'ts', 'endings')) as { endings: () => Plugin; counts: CollectionType<JourneyRecord> };
  const started: string[] = [];
  const listening = definePlugin({
    ...{ name: 'listening', version: '1.0.0', needs: [journeys] },
    register: () => ({ on: [on(journeyStarted, ({ journey, message }) => void started.push(`${journey} ${message !== null}`))] }),
  });
  const { say, publish, told, platform, uuid, clock } = await startChannel(t, {
    plugins: [channels(), webhooks(), journeys(), endings(), listening()],
  });
  const journey = await publish({
    texts: { question: 'Your size?' },
    blocks: [
      {
        ...{ name: 'size', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'question' } },
        exits: [{ test: 'size = "none"', to: 'broken' }, { to: null }],
      },
      { name: 'broken', type: 'Other.Vendor' },
    ],
  });
  for (const text of ['hi', '42', 'hi', 'none', 'hi']) await say(text, { id: `m${told('journey.turn_taken').length}` });
  await clock.advance(300_000);
  const [conversation] = await platform.conversations.list(uuid, 1);
  const contact = conversation!.contact;
  const about = { journey, number: uuid, contact, conversation: conversation!.uuid };
  const [first, second, third] = told('journey.started');
  t.equal(CONTACT, (await platform.contacts.require(contact)).id);
  for (const one of [first, second, third]) t.match(one, { ...about, message: /^[0-9a-f-]{36}$/ });
  t.strictSame(told('journey.ended'), [
    { session: first.session, ...about, how: 'ended', failure: null },
    { session: second.session, ...about, how: 'failed', failure: told('journey.turn_taken').find(({ failure }) => failure).failure },
    { session: third.session, ...about, how: 'expired', failure: null },
  ]);
  t.strictSame(started, Array(3).fill(`${journey} true`));
  t.match(await platform.store.open(counts).get(journey), { number: uuid, ended: 1, failed: 1, expired: 1 });
});

/** The plugin of the page, with the module of its language. */
async function pageWeather(): Promise<() => Plugin> {
  await loadSample(PAGE, 'ts', 'language.ts');
  const { weather } = await loadSample(PAGE, 'ts', 'weather.ts', (code) =>
    code.replace('./language.js', './plugins-journeys-README-md-language-ts.js'),
  );
  return weather as () => Plugin;
}

const JOURNEY = '0f9ad0a5-5d5c-4a52-9b8e-6a8f0a3c1d10';
const NOTEBOOK = `# Weather

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Ask do
  town = ask("Which town?")
  sky = weather("@town", days: 3)
  advice = app("weather", "advice", sky: sky)
  text("@advice.output At 50 °F it is @celsius(50) °C.")
  weather("Here")
end
\`\`\`
`;

t.test('a plugin adds a block, a function and a skill to notebooks and JSON', async (t) => {
  const weather = await pageWeather();
  for (const pool of [new InlinePool(), new PiscinaPool({ maxThreads: 1 })]) {
    t.teardown(() => pool.stop());
    const { say, received, admin, uuid, http, told } = await startChannel(t, {
      plugins: [channels(), webhooks(), journeys(), weather()],
      ports: { workers: pool },
    });
    http.answer('GET https://weather.example/v1*', ({ url }) => ({ body: url.includes('Durban') ? 'rainy' : 'sunny' }));
    const put = await admin('PUT', `/journeys/${JOURNEY}/notebook?number=${uuid}&revision=production`, { notebook: NOTEBOOK });
    t.strictSame(put.body.problems, [], 'lint knows the block, the function and the skill');
    await say('hi', { id: 'a' });
    await say('Durban', { id: 'b' });
    t.strictSame(received(), ['Which town?', 'It will be rainy.', 'Take an umbrella. At 50 °F it is 10 °C.', 'It will be sunny.']);
    t.strictSame(
      told('journey.ended').map(({ how, failure }) => [how, failure]),
      [['ended', null]],
    );
    const { body } = await admin('GET', `/journeys/${JOURNEY}`);
    const blocks = body.definition.flows[0].blocks.filter(({ type }: { type: string }) => type === 'weather.forecast');
    t.match(blocks, [
      { name: 'sky', config: { place: '@town', days: 3 } },
      { name: 'ask_weather', config: { place: 'Here' } },
    ]);
    const typed = `${NOTEBOOK.slice(0, NOTEBOOK.indexOf('  sky'))}  wea`;
    const completed = await admin('POST', '/notebooks/completions', { notebook: `${typed}\nend\n`, offset: typed.length });
    t.match(completed.body.options, [{ label: 'weather', insert: 'weather("")' }]);
  }
});

const page = async (): Promise<JourneyLanguage> => (await loadSample(PAGE, 'ts', 'language.ts')).default as JourneyLanguage;
const weatherIn = (code: string): string => `# W\n\n\`\`\`stack\ncard Ask do\n  ${code}\nend\n\`\`\`\n`;

t.test('lint, conversion, format and graph know the blocks of a plugin, for the time of one call', async (t) => {
  const language = { weather: await page() };
  const problems = (code: string): string[] =>
    withLanguage(language, () => checkNotebook(weatherIn(code)).findings).map((finding) => `${finding.code} ${finding.message}`);
  for (const [code, found] of [
    ['weather("Here")', []],
    ['weather()', [/^wrong_arguments weather\(place, days: days\) expected/]],
    ['weather("Here", day: 3)', [/^unknown_option days expected/]],
    ['weather("Here", days: "3")', [/^wrong_arguments a whole number expected/]],
    ['weather("Here", days: 20)', [/^invalid_setting .*14 days/]],
    ['weather("@nowhere")', [/^unknown_name 'nowhere'/]],
    ['wether("Here")', [/^unknown_item there is no item or function 'wether'/]],
    ['text("@celsius()")', [/^wrong_arity celsius\(fahrenheit\) is called with 0 arguments/]],
  ] as const) {
    const list = problems(code);
    t.equal(list.length, found.length, `${code}: ${list}`);
    for (const [i, pattern] of found.entries()) t.match(list[i], pattern, code);
  }
  const text = weatherIn('sky = weather("@contact.town", days: 3)\n  weather("Here")\n  text("@celsius(50)")');
  withLanguage(language, () => {
    const { container } = compileNotebook(text);
    t.strictSame(notebookOf(container!), { text, unsaid: [] }, 'from JSON back to the notebook');
    t.equal(formatNotebook(text.replace(', days', ',   days')).text, text);
    const [block] = container!.flows[0]!.blocks;
    const changed = (config: object) =>
      lint({ ...container, flows: [{ ...container!.flows[0], blocks: [{ ...block, config }, ...container!.flows[0]!.blocks.slice(1)] }] });
    t.match(
      changed({ days: 1.5, day: 1 }).map(({ code, message }) => [code, message]),
      [
        ['invalid_setting', /this setting is missing; it must be a text/],
        ['invalid_setting', /must be a whole number/],
        ['unknown_setting', /no setting 'day'/],
      ],
    );
    const json = JSON.stringify({ ...container, flows: [{ ...container!.flows[0], blocks: [{ ...block, config: { X: 1 } }] }] });
    t.match(
      definitionCompletionsAt(json, json.indexOf('"X"') + 1)
        .options.map(({ label }) => label)
        .includes('place'),
      true,
    );
  });
  t.strictSame(
    checkNotebook(text).findings.map(({ code }) => code),
    ['missing_operand', 'unknown_item'],
    'not afterwards',
  );
});

t.test('functions of plugins have the budget and the errors of the other functions', async (t) => {
  const functions = [
    functionType('twice(value)', 'Doubles.', ["twice('a')", 'aa'], ([value]) => `${value}${value}`),
    functionType('long()', 'Is long.', ['length(long())', '0'], () => 'x'.repeat(70_000)),
    functionType('odd()', 'Is no JSON.', ['odd()', ''], () => new Date() as never),
    functionType('many(count)', 'Makes a list.', ['sum(many(2))', '1'], ([count]) => Array.from({ length: Number(count) }, (_, i) => i)),
    functionType('given(first, second?, more...)', 'Counts.', ['given(1)', '1'], (args) => args.length),
  ];
  const language = { test: { functions }, weather: await page() };
  const valueFor = (source: string) => withLanguage(language, () => evaluate(source, { town: 'Durban' }));
  t.strictSame(valueFor('twice(town)'), { value: 'DurbanDurban', warnings: [] });
  t.strictSame(valueFor('TWICE(date(2026, 1, 2))').warnings, []);
  t.strictSame(valueFor('count(many(3))').value, 3);
  t.strictSame(valueFor('given(1, 2, 3)').value, 3);
  for (const [source, code, reason] of [
    ['celsius("warm")', 'bad_argument', /fahrenheit must be a number/],
    ['odd()', 'bad_argument', /odd\(\) has a value that is not JSON/],
    ['long()', 'too_costly', /a text of 70000 characters is too long/],
    ['many(20000)', 'too_costly', /a list of 20000 items/],
    ['twice()', 'unknown_function', /twice\(value\) is called with 0 arguments/],
  ] as const)
    t.match(valueFor(source), { value: null, warnings: [{ code, reason }] }, source);
  for (const { example, name } of [...functions.slice(0, 1), ...functions.slice(3), ...(await page()).functions!])
    t.equal(
      withLanguage(language, () => render(`@(${example[0]})`).value),
      example[1],
      name,
    );
});

t.test('names of plugins that are taken or not their own are refused', async (t) => {
  const block = (type: string, word?: string) =>
    blockType({ type, ...(word !== undefined && { word }), summary: '', settings: {}, enter: () => ({ kind: 'end' }) });
  const named = (name: string) => functionType(`${name}()`, '', [`${name}()`, ''], () => null);
  const refused = (languages: Record<string, JourneyLanguage>) => {
    try {
      withLanguage(languages, () => {});
      return 'accepted';
    } catch (error) {
      return (error as TypeError).message;
    }
  };
  for (const [languages, message] of [
    [{ a: { blocks: [block('b.x')] } }, /its type must begin with 'a\.'/],
    [{ a: { blocks: [block('a.x'), block('a.x')] } }, /'a' already has that name/],
    [{ a: { blocks: [block('a.x', 'text')] } }, /the word 'text', but 'journeys' already has/],
    [{ a: { blocks: [block('a.x', 'if')] } }, /the word 'if', but 'journeys'/],
    [{ a: { blocks: [block('a.x', 'A b')] } }, /use lower-case letters/],
    [{ a: { functions: [named('upper')] } }, /the function 'upper', but 'journeys'/],
    [{ a: { functions: [named('x')] }, b: { blocks: [block('b.x', 'x')] } }, /'b' adds the word 'x', but 'a' already has that name/],
    [{ a: { functions: [{ name: 'x' } as never] } }, /functionType\(\) of posthorn\/engine did not make/],
    [{ a: { blocks: [block('a.x', 'ok')], functions: [named('fine')] } }, /accepted/],
  ] as const)
    t.match(refused(languages), message);
  const adding = (extension: Partial<JourneyExtension>) =>
    definePlugin({
      ...{ name: 'adding', version: '1.0.0', needs: [journeys] },
      register(context) {
        context.service(journeysService).extend({ plugin: 'adding', ...extension });
        return {};
      },
    })();
  for (const [extension, message] of [
    [{ language: new URL('data:text/javascript,export const blocks = []') }, /the language of plugin 'adding' .* has no default export/],
    [{ language: new URL('data:text/javascript,export default { blocks: [{ type: "adding.x" }] }') }, /blockType\(\)/],
    [{ plugin: 'simulation' }, /plugin 'adding' failed at register: plugin 'adding' extends journeys as 'simulation'/],
    [{ plugin: undefined as never }, /extends journeys as 'undefined': extend takes its own name, plugin: 'adding'/],
    [{ skill: [] } as object, /'skill' is unknown; known keys are plugin, language, effects, skills/],
    [{ language: './language.js' as unknown as URL }, /language is not a URL/],
    [{ effects: { 'adding.x': 5 as never } }, /the performer of 'adding\.x' effects is not a function/],
    [{ skills: [{ name: 'adding/x', source: 5 as never }] }, /a skill needs a name and a source/],
    [{ skills: [{ name: 'x', source: '' }] }, /its name must begin with 'adding\/'/],
    [{ skills: [1, 2].map(() => ({ name: 'adding/x', source: '' })) }, /'adding\/x' twice/],
  ] as const)
    await t.rejects(startChannel(t, { plugins: [channels(), webhooks(), journeys(), adding(extension)] }), message);
});

t.test('an exception in a check of a plugin is an error of the block that names the plugin, and is logged', async (t) => {
  const failing = definePlugin({
    ...{ name: 'failing', version: '1.0.0', needs: [journeys] },
    register(context) {
      context.service(journeysService).extend({ plugin: 'failing', language: new URL('./failing-language.js', import.meta.url) });
      return {};
    },
  });
  const pool = new PiscinaPool({ maxThreads: 1 });
  t.teardown(() => pool.stop());
  const plugins = [channels(), webhooks(), journeys(), failing()];
  const { admin, uuid, log } = await startChannel(t, { plugins, ports: { workers: pool } });
  const notebook = NOTEBOOK.replace(/card[\s\S]*end/, 'card Ask do\n  one = failing()\n  picking()\n  later()\n  text("Done")\nend');
  const path = `/journeys/${JOURNEY}/notebook?number=${uuid}`;
  const put = await admin('PUT', path, { notebook });
  t.equal(put.status, 200);
  const found = [
    "check of failing.check (plugin 'failing') failed: out of order",
    "picks of failing.picks (plugin 'failing') failed: no exits",
    "check of failing.later (plugin 'failing') failed: it returned a promise; it must not be asynchronous",
  ];
  t.strictSame(
    put.body.problems.map(({ code, message }: Record<string, string>) => [code, message]),
    found.map((message) => ['block_check_failed', message]),
  );
  t.strictSame(
    log.lines.filter(({ level }) => level === 'error').map(({ fields }) => [fields.plugin, fields.journey_id, fields.reason]),
    found.map((message) => ['journeys', JOURNEY, message]),
  );
  t.equal(put.body.problems[0].block, 'one');
  const published = await admin('PUT', `${path}&revision=production`, { notebook });
  t.match(published, { status: 409, headers: { 'x-posthorn-cause': 'invalid_journey' }, body: { errors: [{ details: found[0]! }] } });
});

t.test('platforms of one process have the languages of their own plugins', async (t) => {
  const weather = await pageWeather();
  const found = async (plugins: readonly Plugin[]) => {
    const { admin, uuid } = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), ...plugins] });
    const put = await admin('PUT', `/journeys/${JOURNEY}/notebook?number=${uuid}`, { notebook: NOTEBOOK });
    const { graph } = (await admin('GET', `/journeys/${JOURNEY}/graph`)).body;
    return [[...new Set(put.body.problems.map(({ code }: { code: string }) => code))], graph?.nodes.length ?? null];
  };
  t.strictSame(await found([weather()]), [[], 1]);
  t.strictSame(await found([]), [['missing_operand', 'unknown_item'], null]);
  t.strictSame(await found([weather()]), [[], 1]);
});

t.test('a simulation runs the blocks of plugins and mocks their requests; a failed effect takes the error exit', async (t) => {
  const weather = await pageWeather();
  const { simulate, http } = await startSimulation(
    t,
    {
      texts: { sorry: 'No forecast: @block.error' },
      blocks: [
        {
          ...{ name: 'sky', type: 'weather.forecast', config: { place: '@contact.town Town' } },
          exits: [{ label: 'error', to: 'sorry' }, { to: null }],
        },
        says('sorry', 'sorry'),
      ],
    },
    { plugins: [channels(), webhooks(), journeys(), simulation(), weather()] },
  );
  const mock = (status: number) => ({ http_mocks: [{ url: 'https://weather.example/v1', response: { status, body: 'windy' } }] });
  const { body } = await simulate(mock(200));
  t.match(body.message, /It will be windy/);
  t.match((await simulate({ ...mock(500), simulation_id: 'simulation-2' })).body.message, /No forecast: no_forecast/);
  t.strictSame(http.calls, []);
});
