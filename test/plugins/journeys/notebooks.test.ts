import t from 'tap';
import { ADMIN_KEY } from '#core/testing';
import { NOTEBOOK_LIMITS } from '../../../plugins/journeys/engine/notebook/limits.js';
import { type ChannelUnderTest, startChannel } from '../channels/channel-under-test.js';
import { containerOf } from './engine/journey-under-test.js';

const MENU = `# Café

Guests book a table.

\`\`\`stack
trigger(on: "MESSAGE RECEIVED") when has_any_phrase(event.message.text.body, ["table"]) and contact.vip != "no"

card Ask, then: Done do
  people = ask("For how many people?")
end

card Done do
  text("A table for @people in @config.items.street.")
end
\`\`\`

<!--
dictionary: "config"
version: "0.1.0"
columns: []
-->

| Key    | Value       |
| ------ | ----------- |
| street | Mill Lane 4 |
`;
const BROKEN = MENU.replace('then: Done', 'then: Dnoe').replace('ask(', 'aks(');

const over = ({ call }: ChannelUnderTest) => {
  const put = (path: string, payload: string | Buffer, headers = {}) =>
    call('PUT', `/admin/v1${path}`, { token: ADMIN_KEY, payload, headers: { 'content-type': 'text/markdown', ...headers } });
  return { put, get: (path: string) => call('GET', `/admin/v1${path}`, { token: ADMIN_KEY }) };
};

t.test('a journey put as text answers messages by its own triggers, and its notebook is returned byte for byte', async (t) => {
  const channel = await startChannel(t);
  const { put, get } = over(channel);
  const uuid = channel.platform.ids.uuid();
  for (const text of [MENU, `\ufeff${MENU.replaceAll('\n', '\r\n')}`, `${MENU}\n🌙 ü\u0000\n\n`]) {
    const { status, body } = await put(`/journeys/${uuid}?number=${channel.uuid}`, Buffer.from(text));
    t.equal(status, 200);
    t.strictSame(body.problems, []);
    t.equal(body.journey.name, 'Café');
    t.strictSame(body.journey.triggers, [
      { on: 'message', when: 'and(has_any_phrase(event.message.text.body, ["table"]), contact.vip != "no")' },
    ]);
    const stored = await get(`/journeys/${uuid}/notebook`);
    t.match(stored.headers['content-type'], 'text/markdown');
    t.equal(stored.body, text);
    t.equal((await get(`/journeys/${uuid}`)).body.notebook, text);
  }
  t.equal((await get(`/journeys/${uuid}/notebook?revision=production`)).status, 404, 'nothing is published yet');
  const published = await channel.admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  t.strictSame([published.status, published.body.problems], [200, []]);
  await channel.say('hello');
  t.strictSame(channel.received(), [], 'the condition of the trigger is false');
  await channel.say('A TABLE please');
  await channel.say('4');
  t.strictSame(channel.received(), ['For how many people?', 'A table for 4 in Mill Lane 4.']);
});

t.test('a notebook with mistakes is stored as a draft, with every mistake in the response, and cannot be published', async (t) => {
  const channel = await startChannel(t);
  const { put, get } = over(channel);
  const uuid = channel.platform.ids.uuid();
  const { status, body } = await put(`/journeys/${uuid}?number=${channel.uuid}&name=Broken`, BROKEN);
  t.equal(status, 200);
  t.equal(body.journey.name, 'Broken');
  t.match(body.problems, [
    { severity: 'error', code: 'unknown_card', line: 8, column: 17, end: { line: 8, column: 21 }, nearest: 'Done' },
    { severity: 'error', code: 'unknown_function', nearest: 'ask', line: 9, column: 12 },
  ]);
  t.strictSame(
    body.problems.map(({ path }: { path: string }) => path),
    ['', ''],
  );
  t.equal((await get(`/journeys/${uuid}/notebook`)).body, BROKEN);
  t.strictSame((await get(`/journeys/${uuid}/problems`)).body.problems, body.problems);
  for (const revision of ['production', 'staging']) {
    const refused = await channel.admin('POST', `/journeys/${uuid}/publish`, { revision });
    t.equal(refused.status, 409, revision);
    t.match(JSON.stringify(refused.body), /line 8: there is no card Dnoe.*line 9/);
  }
});

t.test('a draft is put and published in one call, or not at all', async (t) => {
  const channel = await startChannel(t);
  const { put, get } = over(channel);
  const uuid = channel.platform.ids.uuid();
  const path = `/journeys/${uuid}/notebook?number=${channel.uuid}&revision=production`;
  t.equal((await put(path, BROKEN)).status, 409);
  t.equal((await get(`/journeys/${uuid}`)).status, 404, 'nothing is stored');
  const { body } = await put(path, MENU);
  t.equal(body.journey.revisions.production, body.journey.draft);
  const edited = MENU.replace('Mill Lane', 'Hill Lane');
  t.equal((await put(`/journeys/${uuid}/notebook`, edited)).status, 200, 'number and name are known');
  t.equal((await get(`/journeys/${uuid}/notebook`)).body, edited);
  t.equal((await get(`/journeys/${uuid}/notebook?revision=production`)).body, MENU);
  t.equal((await put(`/journeys/${uuid}/notebook`, '')).status, 200);
  t.match(await get(`/journeys/${uuid}/notebook`), { status: 200, body: '' }, 'an empty notebook is one');
});

t.test('a notebook in JSON is the same as one in Markdown; a definition replaces it', async (t) => {
  const channel = await startChannel(t);
  const { get } = over(channel);
  const uuid = channel.platform.ids.uuid();
  const about = { number: channel.uuid, name: 'Table' };
  const put = (payload: object) => channel.admin('PUT', `/journeys/${uuid}`, payload);
  t.strictSame((await put({ ...about, notebook: MENU })).body.problems, []);
  t.equal((await get(`/journeys/${uuid}/notebook`)).body, MENU);
  const own = await put({ ...about, notebook: MENU, triggers: [{ on: 'message', when: 'contact.age >' }] });
  t.match(own.body, { journey: { triggers: [{ when: 'contact.age >' }] }, problems: [{ code: 'invalid_expression', severity: 'error' }] });
  t.equal((await channel.admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' })).status, 409);
  const definition = containerOf({
    texts: { hi: 'Hi' },
    blocks: [{ name: 'hi', type: 'MobilePrimitives.Message', config: { prompt: 'hi' } }],
  });
  t.equal((await put({ ...about, definition, triggers: [] })).status, 200);
  t.equal((await get(`/journeys/${uuid}/notebook`)).status, 404);
  t.notOk('notebook' in (await get(`/journeys/${uuid}`)).body);
});

t.test('what cannot be a notebook is refused: another encoding, half a character, too many bytes, both forms', async (t) => {
  const channel = await startChannel(t);
  const { put } = over(channel);
  const uuid = channel.platform.ids.uuid();
  const path = `/journeys/${uuid}?number=${channel.uuid}`;
  const undecodable = await put(path, Buffer.from([0x63, 0xff, 0xfe]));
  t.equal(undecodable.status, 400);
  t.match(JSON.stringify(undecodable.body), /not UTF-8/);
  t.equal((await put(path, MENU, { 'content-type': 'text/markdown; charset=iso-8859-1' })).status, 415);
  t.equal((await put(path, MENU, { 'content-type': 'text/plain' })).status, 415);
  t.equal((await put(path, MENU, { 'content-type': 'Text/Markdown; charset="UTF-8"; variant=GFM' })).status, 200);
  t.equal((await put(path, 'é'.repeat(NOTEBOOK_LIMITS.bytes / 2 + 1))).status, 413);
  t.equal((await put(`/journeys/${uuid}/notebook`, 'a'.repeat(10 * NOTEBOOK_LIMITS.bytes))).status, 413);
  t.match((await put(path, '')).body.problems, [{ code: 'no_card', line: 1, column: 1 }]);
  t.equal((await put(`/journeys/${channel.platform.ids.uuid()}`, MENU)).status, 400, 'a new journey needs a number');
  const json = (payload: object) => channel.admin('PUT', `/journeys/${uuid}`, payload);
  t.equal((await json({ notebook: 'card A do\n  text("\ud83d")\nend' })).status, 400);
  t.equal((await json({ notebook: MENU, definition: {} })).status, 400);
  t.equal((await json({})).status, 400);
});

t.test('a missing asset of a notebook is reported where the notebook names it', async (t) => {
  const channel = await startChannel(t);
  const { put } = over(channel);
  const text = 'card A do\n  text("Hi")\n  sent = app("stats", "post", [1])\nend\n';
  const { body } = await put(`/journeys/${channel.platform.ids.uuid()}?number=${channel.uuid}`, text);
  t.match(body.problems, [{ code: 'missing_code_skill', severity: 'error', line: 3 }]);
});

t.test('run-time events name the line of their block', async (t) => {
  const channel = await startChannel(t);
  const { put } = over(channel);
  const text = 'trigger(on: "CATCH ALL")\ncard A do\n  x = 1\n  y = x + "a"\n  text("@y")\nend\n';
  const uuid = channel.platform.ids.uuid();
  await put(`/journeys/${uuid}/notebook?number=${channel.uuid}&revision=production`, text);
  await channel.say('hello');
  const [{ warnings }] = channel.told('journey.turn_taken');
  t.match(warnings, [{ block: 'y', line: 4, column: 3 }]);
});

t.test('an editor completes a notebook over the admin API, also with mistakes in it', async (t) => {
  const { admin } = await startChannel(t);
  const complete = async (notebook: string) =>
    (await admin('POST', '/notebooks/completions', { notebook: notebook.replace('|', ''), offset: notebook.indexOf('|') })).body;
  t.match(await complete('card A do\n  then(Hou|)\nend\ncard Hours do\n  text("@contact.na'), {
    options: [{ label: 'Hours', kind: 'card' }],
  });
  const { from, to, options } = await complete('card A do\n  text("@contact.lang|")\nend');
  t.strictSame([from, to], [27, 31]);
  t.match(options, [{ label: 'language', kind: 'field' }]);
  t.match(await complete('|'), { options: [] });
  t.strictSame((await admin('POST', '/notebooks/completions', { notebook: 'card A', offset: 9_000 })).status, 200);
});

t.test('an editor completes a definition over the admin API, also before it is JSON', async (t) => {
  const { admin } = await startChannel(t);
  const blocks = [
    { name: 'ask', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'q' } },
    { name: 'say', type: 'Core.Log', config: { message: '|' } },
  ];
  const json = JSON.stringify(containerOf({ blocks, texts: { q: 'Well?' } }));
  const complete = async (written: string, rest = '"}}') => {
    const text = json.slice(0, json.indexOf('|')) + written;
    return (await admin('POST', '/notebooks/completions', { json: text + rest, offset: text.length })).body;
  };
  t.match(await complete('Hi @contact.lang'), { options: [{ label: 'language', kind: 'field' }] });
  t.match(await complete('@as', ''), { options: [{ label: 'ask', kind: 'variable', detail: 'value of the block' }] });
  t.match(await complete('"}, "exits": [{ "destination_block": "a'), { options: [{ label: 'ask', kind: 'card', insert: 'ask"' }] });
  t.strictSame((await admin('POST', '/notebooks/completions', { json: '{', offset: 9_000 })).body, {
    from: 1,
    to: 1,
    options: (await admin('POST', '/notebooks/completions', { json: '{', offset: 1 })).body.options,
  });
});

t.test('of two saves that replace the same draft, the second is refused', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  const notebookOf = (text: string): string => `card A do\n  text("${text}")\nend\n`;
  const { draft } = (await admin('PUT', `/journeys/${uuid}`, { number, notebook: notebookOf('start') })).body.journey;
  const [first, second] = await Promise.all([
    admin('PUT', `/journeys/${uuid}/notebook?replaces=${draft}`, { notebook: notebookOf('one') }),
    admin('PUT', `/journeys/${uuid}`, { notebook: notebookOf('two'), replaces: draft }),
  ]);
  t.strictSame([first.status, second.status].sort(), [200, 409]);
  const refused = first.status === 409 ? first : second;
  t.match(refused.body, { errors: [{ title: 'Conflict', details: /Read it again/ }] });
  const stored = (await admin('GET', `/journeys/${uuid}`)).body;
  t.equal(stored.notebook, notebookOf(first.status === 200 ? 'one' : 'two'));
  t.equal((await admin('GET', `/journeys/${uuid}/revisions`)).body.revisions.length, 2, 'the refused text is no revision');

  const definition = containerOf({ blocks: [{ name: 'a', type: 'Core.Log', config: { message: 'hello' } }] });
  const put = (change: object) => admin('PUT', `/journeys/${uuid}`, { definition, triggers: [], ...change });
  t.equal((await put({ replaces: draft })).status, 409, 'a definition replaces a draft on the same condition');
  t.equal((await put({ replaces: stored.journey.draft })).status, 200);
  t.equal((await put({})).status, 200, 'without a condition it replaces any draft');
  t.equal((await put({ replaces: 'not a uuid' })).status, 400);
  t.equal(
    (await admin('PUT', `/journeys/${uuid}/notebook?replaces=${draft}`, { notebook: '' })).status,
    409,
    'a notebook that cannot be read',
  );
  t.equal((await put({ number, replaces: draft })).status, 409);
  const { draft: last } = (await admin('GET', `/journeys/${uuid}`)).body.journey;
  await admin('DELETE', `/journeys/${uuid}`);
  t.equal((await put({ replaces: last })).status, 404, 'a save does not bring back a deleted journey');
  t.equal((await admin('GET', `/journeys/${uuid}`)).body.journey.draft, last);
});
