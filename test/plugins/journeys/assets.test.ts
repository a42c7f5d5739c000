import t from 'tap';
import { InlinePool } from '#core/testing';
import { journeysService } from '../../../plugins/journeys/plugin.js';
import { startChannel } from '../channels/channel-under-test.js';
import { containerOf, type Draft } from './engine/journey-under-test.js';

const MESSAGE = 'MobilePrimitives.Message';
const shows = (card: string): Draft => ({ blocks: [{ name: 'card', type: 'Svc.ContentCard', config: { content_id: card } }] });
const quotes: Draft = {
  texts: { r: '@quote.output.total @quote.error' },
  blocks: [
    { name: 'quote', type: 'Svc.Skill', config: { skill: 'quote', arguments: { sum: '20 + 1' } } },
    { name: 'say', type: MESSAGE, config: { prompt: 'r' } },
  ],
};
const definitionOf = (source: string) => ({ name: 'quote', source });

t.test('content cards, code skills and AI connections are created, shown, changed, listed and deleted', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const kinds = [
    { path: 'content-cards', one: 'content_card', many: 'content_cards', given: { text: 'We are open.' } },
    { path: 'code-skills', one: 'code_skill', many: 'code_skills', given: { source: 'export default () => 1' } },
    { path: 'ai-connections', one: 'ai_connection', many: 'ai_connections', given: { vendor: 'scripted', rules: [{ say: 'hi' }] } },
  ];
  for (const { path, one, many, given } of kinds) {
    const [first, second] = [platform.ids.uuid(), platform.ids.uuid()];
    const made = await admin('PUT', `/${path}/${first}`, { number, name: 'main', ...given });
    t.match(made, { status: 200, body: { [one]: { uuid: first, number, name: 'main', ...given } } }, path);
    t.match(await admin('PUT', `/${path}/${second}`, { number, name: 'main', ...given }), { status: 409 }, 'names are unique');
    t.match(await admin('PUT', `/${path}/${second}`, { number, name: 'another', ...given }), { status: 200 });
    t.match(await admin('PUT', `/${path}/${first}`, { number, name: 'renamed', ...given }), { body: { [one]: { name: 'renamed' } } });
    t.strictSame(
      (await admin('GET', `/${path}?number=${number}`)).body[many].map(({ name }: { name: string }) => name),
      ['another', 'renamed'],
    );
    t.match(await admin('GET', `/${path}/${first}`), { status: 200, body: { [one]: { name: 'renamed' } } });
    t.match(await admin('DELETE', `/${path}/${first}`), { status: 200, body: { success: true } });
    t.match(await admin('GET', `/${path}/${first}`), { status: 404 });
    t.match(await admin('DELETE', `/${path}/${first}`), { status: 404 });
    const other = await platform.store.transaction((tx) =>
      platform.numbers.create(tx, { kind: 'channel', type: 'x', address: path, name: 'x' }, { needsDriver: false }),
    );
    t.match(await admin('PUT', `/${path}/${second}`, { number: other.uuid, name: 'mine now', ...given }), { status: 409 });
    t.match(await admin('PUT', `/${path}/${second}`, { number: platform.ids.uuid(), name: 'absent', ...given }), { status: 404 });
    t.match(await admin('PUT', `/${path}/no-uuid`, { number, name: 'x', ...given }), { status: 400 });
  }
});

t.test('a journey refers to a content card by its name or uuid, and uses its current content', async (t) => {
  const { admin, uuid: number, platform, publish, say, received } = await startChannel(t);
  const card = platform.ids.uuid();
  const media = [{ type: 'image', link: 'https://media.test/map.png', caption: 'The way' }];
  await admin('PUT', `/content-cards/${card}`, { number, name: 'hours', text: 'Open for @contact.name', media });
  await publish(shows('hours'), { words: ['hours'] });
  await publish(shows(card), { words: ['uuid'] });
  await say('hours');
  t.strictSame(received(), ['Open for Ann', 'The way', 'https://media.test/map.png']);
  await admin('PUT', `/content-cards/${card}`, { number, name: 'hours', text: 'Closed' });
  await say('uuid');
  t.equal(received().at(-1), 'Closed');
});

t.test('missing assets prevent publishing to production but not to staging; a run fails with an error code', async (t) => {
  const { admin, uuid: number, platform, say, told } = await startChannel(t);
  const skill = platform.ids.uuid();
  await admin('PUT', `/code-skills/${skill}`, { number, ...definitionOf('export default ({ sum }) => ({ total: sum })') });
  const journey = platform.ids.uuid();
  const { containerOf } = await import('./engine/journey-under-test.js');
  const put = (draft: Draft) =>
    admin('PUT', `/journeys/${journey}`, { number, name: 'Quotes', definition: containerOf(draft), triggers: [{ on: 'message' }] });

  const missing = { severity: 'error', code: 'missing_content_card', path: '/flows/0/blocks/0/config/content_id', block: 'card', fix: /./ };
  t.match((await put(shows('gone'))).body.problems, [missing]);
  t.match(await admin('GET', `/journeys/${journey}/problems`), { status: 200, body: { problems: [missing] } });
  t.match(await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' }), {
    status: 409,
    body: { errors: [{ details: /gone/ }] },
  });
  t.match(await admin('POST', `/journeys/${journey}/publish`, { revision: 'staging' }), { status: 200, body: { problems: [missing] } });

  await put(quotes);
  const published = await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
  t.equal(published.status, 200);
  t.ok(
    published.body.problems.every(({ severity }: { severity: string }) => severity === 'warning'),
    'warnings are returned',
  );
  await admin('DELETE', `/code-skills/${skill}`);
  await say('hi');
  t.match(told('journey.turn_taken').at(-1), { failure: "skill_not_found: code skill 'quote' not found" });
  t.equal((await admin('GET', '/journeys/no-uuid/problems')).status, 400);
});

t.test('a journey calls a code skill, whose HTTP calls work like those of the journey', async (t) => {
  const { admin, uuid: number, platform, publish, say, received, http } = await startChannel(t);
  await admin('PUT', `/numbers/${number}/secrets`, { name: 'shop', value: 'shop-secret-value' });
  const skill = platform.ids.uuid();
  const source = `export default ({ sum }) => {
    const answer = http.post('https://shop.test/quotes', { json: { sum }, headers: { 'x-key': 'Key ' + secret('shop') } });
    return { total: answer.json.total, status: answer.status };
  }`;
  await admin('PUT', `/code-skills/${skill}`, { number, ...definitionOf(source) });
  http.answer('POST https://shop.test/quotes', { body: { total: 42 } });
  await publish(quotes);
  await say('hi');
  t.strictSame(received(), ['42']);
  t.match(http.callsTo('https://shop.test/*'), [{ headers: { 'x-key': 'Key shop-secret-value' }, text: '{"sum":21}' }]);
});

t.test('a text of a contact never resolves to a secret', async (t) => {
  const { admin, uuid: number, platform, publish, say, http } = await startChannel(t);
  await admin('PUT', `/numbers/${number}/secrets`, { name: 'shop', value: 'shop-secret-value' });
  const source = 'export default ({ text }) => http.post("https://shop.test/notes", { body: text }).status';
  await admin('PUT', `/code-skills/${platform.ids.uuid()}`, { number, name: 'note', source });
  http.answer('POST https://shop.test/notes', {});
  await publish({
    blocks: [{ name: 'note', type: 'Svc.Skill', config: { skill: 'note', arguments: { text: 'event.message.text.body' } } }],
  });
  await say('{{secret:shop}} @secrets.shop');
  t.equal(http.callsTo('https://shop.test/*')[0]?.text, '{{secret:shop}} @secrets.shop');
});

t.test('a failing, hanging or disabled skill leads to the error exit, or fails the run with an error code', async (t) => {
  const { admin, uuid: number, platform, publish, say, received, told, http } = await startChannel(t);
  const skill = platform.ids.uuid();
  const put = (source: string, about = {}) => admin('PUT', `/code-skills/${skill}`, { number, ...definitionOf(source), ...about });
  await put('export default () => { throw new Error("no price") }');
  await publish(quotes);
  await say('one');
  t.match(received().at(-1), /skill_threw: Error: no price \(line 1\)/);
  http.answer('https://slow.test/*', 'refuse');
  await put('export default () => ({ total: http.get("https://slow.test/a").error })');
  await say('two');
  t.equal(received().at(-1), 'unreachable');
  http.answer('https://deep.test/*', { body: '['.repeat(65) + ']'.repeat(65) });
  await put(
    'export default () => { const { status, json, error } = http.get("https://deep.test/a"); return { total: [status, json, error].join() } }',
  );
  await say('deep');
  t.equal(received().at(-1), '200,,too_large', 'JSON with too many levels is an error');
  await put('export default () => { for (;;) http.get("https://slow.test/a") }');
  await say('three');
  t.match(received().at(-1), /skill_call_limit/);
  await put('export default () => 1', { enabled: false });
  await say('four');
  t.match(told('journey.turn_taken').at(-1), { failure: "skill_disabled: the code skill 'quote' is disabled" });
});

t.test('slow skills of one number delay the skill of another number by one skill at most', async (t) => {
  const pool = new InlinePool();
  const order: string[] = [];
  let isOpen: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  const run: InlinePool['run'] = async (type, input) => {
    if (type.name !== 'journey.code-skill') return pool.run(type, input);
    await gate;
    order.push(String((input as { arguments?: { of?: string } }).arguments?.of));
    return pool.run(type, input);
  };
  const workers = { run, check: (type) => pool.check(type), stop: () => pool.stop() } as InlinePool;
  const { admin, platform, uuid } = await startChannel(t, { ports: { workers } });
  const other = (await admin('POST', '/numbers', { kind: 'network', address: '+27110000009', name: 'Other' })).body.number.uuid;
  for (const number of [uuid, other])
    await admin('PUT', `/code-skills/${platform.ids.uuid()}`, { number, name: 'slow', source: 'export default () => 1' });
  const call = (number: string, of: string) =>
    platform.service(journeysService).performer(number)({ kind: 'skill', skill: 'slow', arguments: { of } });
  const all = [call(uuid, 'a'), call(uuid, 'a'), call(uuid, 'a')];
  await new Promise((resolve) => setImmediate(resolve));
  all.push(call(other, 'b'));
  await new Promise((resolve) => setImmediate(resolve));
  isOpen();
  await Promise.all(all);
  t.strictSame(order, ['a', 'b', 'a', 'a']);
});

t.test('what the network refuses prevents publishing to a number of the network only, unless the option says to warn', async (t) => {
  const definition = containerOf({
    texts: { q: 'Which?', a: 'A', long: 'x'.repeat(61) },
    blocks: [
      {
        name: 'pick',
        type: 'MobilePrimitives.SelectOneResponse',
        config: { prompt: 'q', footer: 'long', choices: [{ name: 'a', prompt: 'a' }] },
      },
    ],
  });
  const published = async (kind: 'network' | 'channel', journeys?: object) => {
    const { admin, platform } = await startChannel(t, journeys && { journeys });
    const number = await platform.store.transaction((tx) =>
      platform.numbers.create(tx, { kind, type: kind, address: kind, name: kind }, { needsDriver: false }),
    );
    const path = `/journeys/${platform.ids.uuid()}`;
    const { problems } = (await admin('PUT', path, { number: number.uuid, name: 'j', definition })).body;
    const severities = problems.flatMap(({ code, severity }: Record<string, string>) => (code === 'over_network_limit' ? severity : []));
    return [severities, (await admin('POST', `${path}/publish`, { revision: 'production' })).status];
  };
  t.strictSame(await published('network'), [['error'], 409]);
  t.strictSame(await published('network', { overNetworkLimit: 'warn' }), [['warning'], 200]);
  t.strictSame(await published('channel'), [[], 200]);
});

t.test('publishing compares the parameters of templates with their texts on the number', async (t) => {
  const published = async (given: number, journeys?: object) => {
    const { admin, platform } = await startChannel(t, journeys && { journeys });
    const components = [{ type: 'body' as const, text: 'Hello {{1}}, your table is free at {{2}}.' }];
    const number = await platform.store.transaction(async (tx) => {
      const about = { kind: 'network', type: 'network', address: '27820001000', name: 'n' } as const;
      const record = await platform.numbers.create(tx, about, { needsDriver: false });
      await platform.templates.put(tx, record, { name: 'table', language: 'en', components });
      return record.uuid;
    });
    const path = `/journeys/${platform.ids.uuid()}`;
    const texts = Array.from({ length: given }, () => '"@contact.name"').join(', ');
    const notebook = `card Free do\n  send_message_template("table", "en", [${texts}])\nend\n`;
    const { problems } = (await admin('PUT', path, { number, name: 'j', notebook })).body;
    const shown = problems.map(({ severity, code, line, message }: Record<string, string>) => `${severity} ${code} ${line} ${message}`);
    return [shown, (await admin('POST', `${path}/publish`, { revision: 'production' })).status];
  };
  const problem = "template_parameters_wrong 2 the body of the template 'table' has 2 parameters, but this message has 1";
  t.strictSame(await published(2), [[], 200]);
  t.strictSame(await published(1), [[`error ${problem}`], 409]);
  t.strictSame(await published(1, { overNetworkLimit: 'warn' }), [[`warning ${problem}`], 200]);
});
