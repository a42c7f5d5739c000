import t from 'tap';
import { asking } from '../../core/admin/valid-bodies.js';
import { startChannel } from '../channels/channel-under-test.js';
import { containerOf } from './engine/journey-under-test.js';
import { says } from './short-journeys.js';

// biome-ignore lint/suspicious/noExplicitAny: bodies of several routes
type Body = any;

const MENU = `# Menu

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")

card Menu, then: Menu do
  choice = buttons(Hours: "Hours", Table: "Table") do
    text("What would you like?")
  end
end

card Hours do
  text("From 9 to 5.")
end

card Table, then: Menu do
  people = ask("How many?")
end
\`\`\`
`;

t.test('the graph of a draft, a revision and an unsaved text has boxes, arrows and places in the text', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}`, { number, notebook: MENU });
  const { graph } = (await admin('GET', `/journeys/${uuid}/graph`)).body;
  t.match(graph.nodes, [
    { id: 'Menu', label: 'Menu', is_first: true, waits: true, places: [{ line: 6, column: 1, end: { line: 11 } }] },
    { id: 'Hours', waits: false, places: [{ line: 12, end: { line: 15 } }] },
    { id: 'Table', places: [{ line: 16 }] },
  ]);
  for (const { x, y, width, height } of graph.nodes) {
    t.ok(x >= 0 && y >= 0 && x + width <= graph.width && y + height <= graph.height, 'it is inside the graph');
    t.ok(width > 50 && height > 20);
  }
  const [menu, hours] = graph.nodes;
  t.ok(hours.y >= menu.y + menu.height, 'cards are below those that lead to them');
  const toHours = graph.edges.find((one: Body) => one.from === 'Menu' && one.to === 'Hours');
  t.match(toHours, { label: 'hours', option: 0, label_at: undefined, exits: [{ name: 'hours', block: String, to: hours.blocks[0] }] });
  t.ok(toHours.points.length >= 2);
  t.match(
    graph.edges.find((one: Body) => one.from === 'Hours'),
    { to: null, exits: [{ to: null }] },
  );

  await admin('POST', `/journeys/${uuid}/publish`, { revision: 'staging' });
  const shorter = MENU.replace(/card Table.*?end\n/s, '').replace(', Table: "Table"', '');
  await admin('PUT', `/journeys/${uuid}`, { number, notebook: shorter });
  const nodesOf = async (revision: string): Promise<string[]> =>
    (await admin('GET', `/journeys/${uuid}/graph?revision=${revision}`)).body.graph.nodes.map(({ id }: Body) => id);
  t.strictSame(await nodesOf('draft'), ['Menu', 'Hours']);
  t.strictSame(await nodesOf('staging'), ['Menu', 'Hours', 'Table']);
  const { revisions } = (await admin('GET', `/journeys/${uuid}/revisions`)).body;
  t.match(revisions, [
    { count: 2, used_as: ['draft'], format: 'notebook', length: shorter.length },
    { count: 1, used_as: ['staging'] },
  ]);
  t.strictSame(await nodesOf(revisions[1].uuid), ['Menu', 'Hours', 'Table']);
  t.strictSame((await admin('GET', `/journeys/${uuid}/revisions/${revisions[1].uuid}`)).body, { notebook: MENU });
  t.equal((await admin('GET', `/journeys/${uuid}/graph?revision=production`)).status, 404);
  const other = platform.ids.uuid();
  await admin('PUT', `/journeys/${other}`, { number, name: 'Other', definition: asking });
  t.equal((await admin('GET', `/journeys/${other}/revisions/${revisions[0].uuid}`)).status, 404, 'a revision of another journey');

  const publish = (id: string, more: object = {}) => admin('POST', `/journeys/${id}/publish`, { revision: 'production', ...more });
  const [{ uuid: first }] = (await admin('GET', `/journeys/${other}/revisions`)).body.revisions;
  await publish(other);
  const catchAll = [{ on: 'catch_all' }];
  const { draft } = (
    await admin('PUT', `/journeys/${other}`, { number, name: 'Other', definition: { ...asking, name: 'New' }, triggers: catchAll })
  ).body.journey;
  await publish(other);
  t.equal((await publish(other, { of: first, replaces: first })).status, 409, 'another draft than the caller has seen');
  t.equal((await publish(other, { of: revisions[0].uuid })).status, 404, 'a revision of another journey');
  t.match((await publish(other, { of: first, replaces: draft })).body.journey, {
    draft: first,
    revisions: { production: first },
    triggers: catchAll,
  });
  t.strictSame((await admin('GET', `/journeys/${other}?revision=production`)).body.definition, asking, 'exactly');
  await publish(uuid);
  const back = await publish(uuid, { of: revisions[1].uuid });
  t.match(back.body.journey, { draft: revisions[1].uuid, triggers: [{ on: 'message' }] });
  t.match((await admin('GET', `/journeys/${uuid}/revisions?limit=1`)).body.revisions, [
    { count: 2 },
    { count: 1, used_as: ['draft', 'production', 'staging'] },
  ]);

  const unsaved = await admin('POST', `/journeys/${uuid}/graph`, { notebook: MENU.replaceAll('Hours', 'Times') });
  t.match(unsaved.body.graph.nodes, [{}, { id: 'Times' }, {}]);
  t.strictSame((await admin('POST', `/journeys/${uuid}/graph`, { notebook: 'card do' })).body, { graph: null });
  t.strictSame((await admin('POST', `/journeys/${uuid}/graph`, { json: '{' })).body, { graph: null });
  t.strictSame((await admin('POST', `/journeys/${uuid}/graph`, { json: '{"flows": [{"blocks": null}]}' })).body, { graph: null });
});

t.test('the graph of a definition has places in its JSON text', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}`, { number, name: 'Names', definition: asking });
  const { graph } = (await admin('GET', `/journeys/${uuid}/graph`)).body;
  const { revisions } = (await admin('GET', `/journeys/${uuid}/revisions`)).body;
  const { json } = (await admin('GET', `/journeys/${uuid}/revisions/${revisions[0].uuid}`)).body;
  t.equal(json, JSON.stringify(JSON.parse(JSON.stringify(asking)), null, 2));
  const lines = json.split('\n');
  for (const { blocks, places } of graph.nodes) {
    const part = lines.slice(places[0].line - 1, places[0].end.line).join('\n');
    t.ok(part.includes(blocks[0]), 'the place contains the block');
  }
});

t.test('problems of an unsaved text have lines and columns, and nothing is stored', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}`, { number, notebook: MENU });
  const problemsOf = async (text: object): Promise<Body[]> => (await admin('POST', `/journeys/${uuid}/problems`, text)).body.problems;
  t.strictSame(await problemsOf({ notebook: MENU }), []);
  t.match(await problemsOf({ notebook: MENU.replace('then: Menu do\n  people', 'then: Mneu do\n  people') }), [
    { severity: 'error', line: 16, column: 19, end: { line: 16, column: 23 }, nearest: 'Menu', fix: /./ },
  ]);
  t.equal((await admin('GET', `/journeys/${uuid}/notebook`)).body, MENU);

  const json = JSON.stringify(asking, null, 2);
  t.match(await problemsOf({ json: `${json},` }), [{ severity: 'error', code: 'invalid_json', line: json.split('\n').length, column: 2 }]);
  const line = json.split('\n').findIndex((one) => one.includes('MobilePrimitives.OpenResponse')) + 1;
  const found = await problemsOf({ json: json.replace('MobilePrimitives.OpenResponse', 'MobilePrimitives.OpenResponze') });
  t.ok(
    found.some((one) => one.line === line && one.path.startsWith('/flows/0/blocks/0')),
    'a problem of a definition is where its part is',
  );
});

t.test('a card of a notebook has parts, and an edit of one is the changes of the text or a reason', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  const text = MENU.replace('card Menu', '# The menu\ncard Menu').replaceAll('\n', '\r\n');
  await admin('PUT', `/journeys/${uuid}`, { number, notebook: MENU });
  const edits = async (card: string, action?: object, notebook = text) =>
    (await admin('POST', `/journeys/${uuid}/edits`, { notebook, card, action })).body as Body;
  const { card } = await edits('Menu');
  const [menu] = card.clauses;
  t.match(menu, {
    condition: null,
    texts: [{ word: 'text', content: 'What would you like?' }],
    buttons: [
      { label: 'Hours', to: 'Hours' },
      { label: 'Table', to: 'Table' },
    ],
    ends: [{ to: 'Menu' }],
  });
  const at = menu.texts[0].at;
  const { changes } = await edits('Menu', { kind: 'text', at, content: 'Two\nlines' });
  const from = text.indexOf('"What would');
  t.strictSame(changes, [{ from, to: from + '"What would you like?"'.length, insert: '"Two\r\nlines"' }], 'offsets count carriage returns');
  t.match(await edits('Menu', { kind: 'delete_button', at }), { refused: /no longer there/, changes: undefined });
  t.match(await edits('Table', { kind: 'delete_card' }), { also: [/^Line 8, card Menu: the button “Table” is deleted/] });
  t.match(await edits('Menu', { kind: 'delete_card' }), { refused: /begins with this card/ });
  t.match(await edits('Menu', { kind: 'connect', at: menu.buttons[0].at, to: 'Nowhere' }), { refused: 'There is no card Nowhere.' });
  const broken = await edits('Menu', { kind: 'connect' }, 'card Menu do\n  text("Hello)\nend');
  t.match(broken, { card: null, refused: /^The text has errors. First correct line 2, column 8: / });
  t.equal((await edits('Other')).card, null);
  t.equal((await admin('GET', `/journeys/${uuid}/notebook`)).body, MENU, 'nothing is stored');
});

t.test('triggers are listed in the order in which they are tried, each with the one that shadows it', async (t) => {
  const { admin, uuid: number, platform, say, received } = await startChannel(t);
  const put = async (name: string, triggers: object[], isPublished = true): Promise<string> => {
    const uuid = platform.ids.uuid();
    await admin('PUT', `/journeys/${uuid}`, { number, name, definition: containerOf(says(name)), triggers });
    if (isPublished) await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
    return uuid;
  };
  const rest = await put('Rest', [{ on: 'catch_all' }]);
  const help = await put('Help', [{ on: 'message', words: ['Help ', 'info'] }]);
  const again = await put('Help again', [
    { on: 'message', words: ['help'] },
    { on: 'message', words: ['help', 'more'] },
  ]);
  const first = await put('First', [{ on: 'first_message', words: ['INFO'] }]);
  const last = await put('Last', [{ on: 'catch_all', words: ['x'] }]);
  const draft = await put('Draft', [{ on: 'message' }], false);
  const { triggers } = (await admin('GET', `/numbers/${number}/triggers`)).body;
  const byHelp = { journey: help, name: 'Help', position: 0 };
  t.match(triggers, [
    { journey: help, position: 0, not_tried: null, shadowed_by: undefined },
    { journey: again, position: 0, shadowed_by: byHelp },
    { journey: again, position: 1, shadowed_by: undefined },
    { journey: first, shadowed_by: byHelp },
    { journey: draft, not_tried: 'not_published', shadowed_by: undefined },
    { journey: rest, shadowed_by: undefined },
    { journey: last, shadowed_by: { journey: rest } },
  ]);
  await say('help');
  await say('more', { id: 'in-2' });
  await say('x', { id: 'in-3' });
  t.strictSame(received(), ['Help', 'Help again', 'Rest'], 'as the list says');
  await admin('POST', `/journeys/${help}/disable`);
  const after = (await admin('GET', `/numbers/${number}/triggers`)).body.triggers;
  t.match(after, [{ journey: help, not_tried: 'disabled' }, { shadowed_by: undefined }, {}, { shadowed_by: undefined }]);
});

t.test('the open sessions of a journey are listed without the ended ones', async (t) => {
  const { admin, uuid: number, platform, say } = await startChannel(t);
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}`, { number, notebook: MENU });
  await admin('POST', `/journeys/${uuid}/publish`, { revision: 'production' });
  await say('hi', { from: '+27820001001' });
  await say('hi', { from: '+27820001002', id: 'in-2' });
  await say('Hours', { from: '+27820001002', id: 'in-3' });
  await say('Table', { from: '+27820001001', id: 'in-4' });
  t.match((await admin('GET', `/journeys/${uuid}/sessions`)).body.sessions.length, 2);
  t.match((await admin('GET', `/journeys/${uuid}/sessions?waiting=true`)).body.sessions, [{ state: 'waiting', card: 'Table', turns: 2 }]);
});

t.test('a journey of 300 cards is laid out, and a larger one in rows', async (t) => {
  const { admin, uuid: number, platform } = await startChannel(t);
  const uuid = platform.ids.uuid();
  await admin('PUT', `/journeys/${uuid}`, { number, notebook: MENU });
  const long = (count: number): string =>
    Array.from(
      { length: count },
      (_, i) =>
        `card C${i}, then: C${(i + 1) % count} do\n  choice${i} = buttons([C${(i * 7 + 3) % count}, C${(i * 13 + 5) % count}]) do\n    text("${i}?")\n  end\nend\n`,
    ).join('\n');
  for (const count of [300, 900]) {
    const { graph } = (await admin('POST', `/journeys/${uuid}/graph`, { notebook: long(count) })).body;
    t.equal(graph.nodes.length, count);
    t.equal(new Set(graph.nodes.map(({ x, y }: Body) => `${x} ${y}`)).size, count, 'no card hides another one');
  }
});
