import t from 'tap';
import graphTask from '../../../../plugins/journeys/editing/graph.task.js';
import { svgOf } from '../../../../plugins/journeys/editing/graph-svg.js';
import { viewOf } from '../../../../plugins/journeys/editing/graph-view.js';
import { compileNotebook, graphOf } from '../../../../plugins/journeys/engine/index.js';
import { notebookOf } from '../drawn-notebooks.js';

const UUID = '00000000-0000-4000-8000-000000000001';
const draw = async (cards: number, collapsed: readonly number[] = []) =>
  (await graphTask({ notebook: notebookOf(cards), uuid: UUID, collapsed }))!;

for (const count of [17, 100]) {
  t.test(`${count} cards: each arrow of a button begins below it, and no card is over another`, async (t) => {
    const graph = await draw(count);
    t.equal(graph.nodes.length, count);
    const byId = new Map(graph.nodes.map((node) => [node.id, node]));
    const ofButtons = graph.edges.filter(({ option, from, to }) => option !== undefined && from !== to);
    t.ok(ofButtons.length >= count / 2, `${ofButtons.length} arrows of buttons`);
    for (const { from, option, points, words, label_at } of ofButtons) {
      const card = byId.get(from)!;
      const pill = card.pills[option!]!;
      t.equal(pill.text, words.length > 20 ? `${words.slice(0, 19)}…` : words);
      t.ok(Math.abs(points[0]!.x - (pill.x + pill.width / 2)) < 0.2 && Math.abs(points[0]!.y - (card.y + card.height)) < 0.2, words);
      t.equal(label_at, undefined, 'the button is its label');
    }
    for (const card of graph.nodes) {
      for (const { x, width } of card.pills) t.ok(x >= card.x && x + width <= card.x + card.width, 'a button is inside of its card');
      const under = graph.nodes.find(
        (other) =>
          other !== card &&
          other.x < card.x + card.width &&
          card.x < other.x + other.width &&
          other.y < card.y + card.height &&
          card.y < other.y + other.height,
      );
      t.equal(under?.id, undefined);
    }
  });
}

t.test('a card shows its files, words and buttons, in the console and in the SVG of the command line', async (t) => {
  const graph = await draw(17);
  t.match(graph.nodes[0], { label: 'Menu1', media: ['image'], says: /^Welcome to department 1/, options: { length: 3 }, cards: ['Menu1'] });
  t.ok(graph.edges.some(({ words }) => words === 'age1 is less than 18'));
  const { container } = compileNotebook(notebookOf(17), { uuid: UUID });
  const drawn = svgOf(viewOf(graphOf(container!)));
  t.equal(drawn, svgOf(graph), 'one layout and one drawing');
  for (const text of ['[image] Welcome to department 1 of', 'Order something', 'age1 is less than 18', 'Which size do you need?'])
    t.ok(drawn.includes(text), text);
});

t.test('more buttons than fit are one pill, from which their labelled arrows leave', async (t) => {
  const rows = Array.from({ length: 10 }, (_, i) => `C${i}: "A rather long row ${i}"`).join(', ');
  const cards = Array.from({ length: 10 }, (_, i) => `card C${i} do\n  text("${i}")\nend`).join('\n');
  const notebook = `card Menu do\n  list("Rows", ${rows}) do\n    text("Choose")\n  end\nend\n${cards}\n`;
  const graph = (await graphTask({ notebook, uuid: UUID }))!;
  const { pills } = graph.nodes[0]!;
  const more = pills.at(-1)!;
  t.equal(more.text, `+${10 - (pills.length - 1)}`);
  const last = graph.edges.find(({ option }) => option === 9)!;
  t.ok(Math.abs(last.points[0]!.x - (more.x + more.width / 2)) < 0.2);
  t.ok(last.label_at);
});

t.test('sections are the headings with cards, and a collapsed one is a box that its arrows lead to', async (t) => {
  const whole = await draw(100);
  t.strictSame(whole.sections[1], { title: 'Department 2', cards: 10, is_collapsed: false });
  t.equal(whole.nodes.find(({ id }) => id === 'Menu2')!.section, 1);
  const graph = await draw(100, [0, 2, 99]);
  t.equal(graph.nodes.length, 82);
  const [first] = graph.nodes;
  t.match(first, { label: 'Department 1', says: '10 cards', is_first: true, waits: true, section: 0, options: [] });
  t.ok(first!.cards.includes('Pick1') && first!.places.length >= 10);
  t.strictSame(
    graph.edges.filter(({ from }) => from === first!.id).map(({ to }) => to),
    ['Menu2'],
    'arrows inside of a section are not shown',
  );
  t.equal(graph.edges.find(({ from }) => from === first!.id)!.exits.length, 1);
  t.ok(whole.height > graph.height);
  const all = await draw(100, [...whole.sections.keys()]);
  t.equal(all.nodes.length, 10);
  t.strictSame(
    all.sections.map(({ is_collapsed }) => is_collapsed),
    Array.from({ length: 10 }, () => true),
  );
  t.strictSame((await graphTask({ notebook: 'card A do\n  text("a")\nend\n', uuid: UUID }))!.sections, [], 'a text without headings');
});
