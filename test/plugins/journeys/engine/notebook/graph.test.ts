import { readFileSync } from 'node:fs';
import t from 'tap';
import { dotOf, graphOf, mermaidOf } from '../../../../../plugins/journeys/engine/notebook/graph.js';
import { inWords } from '../../../../../plugins/journeys/engine/notebook/in-words.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { firstWords } from '../../../../../plugins/journeys/engine/notebook/said.js';
import { containerOf as journeyOf } from '../journey-under-test.js';

const containerOf = (file: string) =>
  compileNotebook(readFileSync(`test/plugins/journeys/engine/notebook/cases/${file}`, 'utf8')).container!;

t.test('a journey as cards with the ways between them', async (t) => {
  const { nodes, edges } = graphOf(containerOf('10-dynamic.md'));
  t.match(nodes, [
    { id: 'Find', label: 'Find', isFirst: true, waits: true },
    { id: 'Chosen', isFirst: false, waits: true },
    { id: 'Done', waits: false },
  ]);
  t.match(
    edges.map(({ exits }) => exits.map(({ name }) => name)),
    [[], ['Default exit to "Find"']],
  );
  t.strictSame(
    edges.map(({ exits: _, words: _words, option: _option, ...edge }) => edge),
    [
      { from: 'Find', to: 'Chosen', label: 'chosen' },
      { from: 'Find', to: 'Find', label: '' },
      { from: 'Chosen', to: 'Done', label: 'chosen' },
      { from: 'Chosen', to: 'Chosen', label: '' },
      { from: 'Done', to: undefined, label: 'day.index == 0' },
      { from: 'Done', to: undefined, label: '' },
    ],
  );
});

t.test('every block is a box where that is asked for', async (t) => {
  const container = containerOf('15-then.md');
  const { nodes, edges } = graphOf(container, 'block');
  t.strictSame(
    nodes.map(({ id }) => id),
    container.flows[0]!.blocks.map(({ uuid }) => uuid),
  );
  // Ways that look the same are one arrow.
  const ways = container.flows[0]!.blocks.flatMap(({ uuid, exits }) =>
    exits.map(({ destination_block, test = '' }) => `${uuid} ${destination_block} ${test === 'true' ? '' : test}`),
  );
  t.equal(edges.length, new Set(ways).size);
});

t.test('graphs are written for Mermaid and Graphviz, whatever is in their labels', async (t) => {
  const graph = graphOf(containerOf('15-then.md'));
  t.equal(
    mermaidOf(graph),
    `flowchart TD
  n0(["Branch"])
  n1["Left"]
  n2["Right<br/>“Right.”"]
  finish((( )))
  n0 -->|"contact.side is “left”"| n1
  n0 -->|"contact.side is “right”"| n2
  n1 -->|"a is 1"| n2
  n1 -->|"b is 2"| finish
  n1 --> n2
  n2 --> finish
`,
  );
  t.equal(
    dotOf(graph),
    `digraph journey {
  n0 [label="Branch", shape=oval];
  n1 [label="Left", shape=box];
  n2 [label="Right\\n“Right.”", shape=box];
  finish [label="", shape=doublecircle];
  n0 -> n1 [label="contact.side is “left”"];
  n0 -> n2 [label="contact.side is “right”"];
  n1 -> n2 [label="a is 1"];
  n1 -> finish [label="b is 2"];
  n1 -> n2;
  n2 -> finish;
}
`,
  );
  const odd = {
    flows: [],
    nodes: [{ id: 'a', flow: 'f', label: 'a"\\<b>\n&', isFirst: false, waits: true, says: '', media: [], options: [], blocks: [] }],
    edges: [],
  };
  t.match(mermaidOf(odd), '{{"a&quot;\\&lt;b> &amp;"}}');
  t.match(dotOf(odd), 'label="a\\"\\\\<b> &"');
});

t.test('a journey with several flows has a frame for each', async (t) => {
  const blocks = (name: string) => [{ name, type: 'MobilePrimitives.Message', config: { prompt: 'text' } }];
  const graph = graphOf(journeyOf({ texts: { text: 'Hi' }, flows: { main: blocks('say'), other: blocks('answer') } }), 'block');
  t.match(
    mermaidOf(graph),
    '  subgraph f0["main"]\n    n0(["say: Message<br/>“Hi”"])\n  end\n  subgraph f1["other"]\n    n1(["answer: Message<br/>“Hi”"])\n  end\n',
  );
  t.match(dotOf(graph), '  subgraph cluster_f1 {\n    label="other";\n    n1 [label="answer: Message\\n“Hi”", shape=oval];\n  }\n');
  const cards = graphOf(journeyOf({ texts: { text: 'Hi' }, flows: { main: blocks('say'), other: blocks('say') } }));
  t.equal(new Set(cards.nodes.map(({ id }) => id)).size, 2, 'cards with the same name in two flows are two nodes');
});

t.test('cards show what they say and their buttons, ways the button or the condition in words', async (t) => {
  const { container } = compileNotebook(`\`\`\`stack
card Menu do
  buttons(Borrow: "Borrow a book", Hours: "Opening hours 🕕") do
    text("Welcome!
    What can we do for you?")
  end
end
card Borrow, then: Young when age < 18 do
  age = ask("How old are you?")
end
card Hours do
  image("https://a.example/b.png")
end
card Young do
  log("nothing")
end
\`\`\`
`);
  const graph = graphOf(container!);
  t.strictSame(
    graph.nodes.map(({ says, options }) => [says, options]),
    [
      ['Welcome! What can we do for you?', ['Borrow a book', 'Opening hours 🕕']],
      ['How old are you?', []],
      ['', []],
      ['', []],
    ],
  );
  t.strictSame(
    graph.nodes.map(({ media }) => media),
    [[], [], ['image'], []],
  );
  t.strictSame(
    graph.edges.filter(({ from }) => from === 'Menu').map(({ to, option }) => [to, option]),
    [
      ['Borrow', 0],
      ['Hours', 1],
    ],
  );
  const words = graph.edges.map((edge) => edge.words);
  for (const expected of ['Borrow a book', 'Opening hours 🕕', 'age is less than 18'])
    t.ok(words.includes(expected), `${expected}: ${words}`);
  t.match(mermaidOf(graph), '[Borrow a book] [Opening hours 🕕]');
});

t.test('of a text that an if chooses, cards show the first; other expressions stay as they are written', async (t) => {
  const says = (text: string): string =>
    graphOf(journeyOf({ texts: { text }, blocks: [{ name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'text' } }] }))
      .nodes[0]!.says;
  const cases: readonly [text: string, shown: string][] = [
    ['@if(contact.language == "fra", "Bonjour", "Hello") @contact.name', 'Bonjour @contact.name'],
    ['@IF(a, "", if(b, \'Hi @name\', "x"))!', 'Hi @name!'],
    ['@if(a, upper(b), c) @upper(name)', '@if(a, upper(b), c) @upper(name)'],
    ['@(if(a, if(b, "@if(c, \'deep\')")))', 'deep'],
    ['If (you like) @@if(a)', 'If (you like) @if(a)'],
  ];
  for (const [text, shown] of cases) t.equal(says(text), shown, text);
});

t.test('conditions in plain words; texts in quotes stay as they are', async (t) => {
  const cases: readonly [condition: string, words: string][] = [
    ['age >= 18 and age<65', 'age is at least 18 and age is less than 65'],
    ['contact.name != "a == b"', 'contact.name is not “a == b”'],
    ["a <> 'x'", 'a is not “x”'],
    ['has_any_word(answer, "yes ok")', 'answer has a word of “yes ok”'],
    ['isnumber(age) or has_text(contact.name)', 'age is a number or contact.name has a text'],
    ['has_phrase(upper(a), "B")', 'a has the phrase “B”'],
    ['concatenate(a, "x") == b', 'concatenate(a, “x”) is b'],
    [
      'and(age >= 18, or(town == "Ulm", has_any_word(town, ["Bonn", "Berlin"])))',
      'age is at least 18 and (town is “Ulm” or town has a word of “Bonn”, “Berlin”)',
    ],
    ['or(and(a == 1, b == 2), not(isnumber(c)))', '(a is 1 and b is 2) or c is not a number'],
    ['not(and(a == 1, b < 2))', 'a is not 1 or b is at least 2'],
    ['a == 1 and not (b == 2 and c == 3)', 'a is 1 and (b is not 2 or c is not 3)'],
    ['and(and(a, b), not c)', 'a and b and not c'],
    ['not is_nil_or_empty("@contact.name")', 'contact.name is not empty'],
    ['len(answer) > (a + 1) * 2', 'the length of answer is more than (a + 1) * 2'],
    ['has_number_lte(block.value, 5) = true', '(block.value has a number up to 5) is true'],
    ['has_date_gt(born, 2020-01-31) and today() != nil', 'born has a date after 2020-01-31 and today is not nothing'],
    ['menu.index == -1 or items[0].id == "Hi @name"', 'menu.index is -1 or items[0].id is “Hi @name”'],
    ['if(a, b, c) == 10000000000000000001', 'if(a, b, c) is 10000000000000000001'],
    ['has_pattern(x, "^\\d+$")', 'x matches “^\\d+$”'],
    ['constructor(a) == has_text', 'constructor(a) is has_text'],
    ['a ==', 'a =='],
    ['  not   an ( expression', 'not an ( expression'],
    ['', ''],
  ];
  for (const [condition, words] of cases) t.equal(inWords(condition), words);
  t.equal(firstWords(`  ${'word '.repeat(30)}`), `${'word '.repeat(11).trim()}…`);
  t.equal(Array.from(firstWords('🙂'.repeat(100))).length, 60);
});
