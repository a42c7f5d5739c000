import t from 'tap';
import { type CollectionType, definePlugin, on, type Plugin } from '#core';
import { InlinePool } from '#core/testing';
import { PiscinaPool } from '../../../core/adapters/workers/piscina-pool.js';
import { channels } from '../../../plugins/channels/plugin.js';
import { type JourneyRecord, journeyStarted, journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { loadSample } from '../../pages/samples.js';
import { CONTACT, startChannel } from '../channel-under-test.js';

const PAGE = 'plugins/journeys/README.md';

t.test('a plugin counts how sessions end, and hears when they start', async (t) => {
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
      { name: 'broken', type: 'Nobody.Knows' },
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
    const typed = NOTEBOOK.slice(0, NOTEBOOK.indexOf('  sky')) + '  wea';
    const completed = await admin('POST', '/notebooks/completions', { notebook: `${typed}\nend\n`, offset: typed.length });
    t.match(completed.body.options, [{ label: 'weather', insert: 'weather("")' }]);
  }
});
