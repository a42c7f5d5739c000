import t from 'tap';
import { cardChanges } from '../../../../../../plugins/console/app/pages/journeys/card-changes.js';
import graphTask from '../../../../../../plugins/journeys/editing/graph.task.js';

const revision = async (text: string) => ({
  text,
  graph: await graphTask({ notebook: text, uuid: '00000000-0000-4000-8000-000000000001' }),
});
const card = (name: string, says: string) => `card ${name} do\n  text("${says}")\nend\n`;
const fenced = (...cards: readonly string[]) => `# Menu\n\n\`\`\`stack\n${cards.join('\n')}\`\`\`\n`;

t.test('two revisions differ card by card; texts between cards and line breaks do not count', async (t) => {
  const before = await revision(fenced(card('A', 'one'), card('B', 'two'), card('C', 'three')));
  const after = await revision(`${fenced(card('A', 'one'), card('B', 'TWO'), card('D', 'four'))}\nSome words.\n`.replaceAll('\n', '\r\n'));
  t.strictSame(cardChanges(before, after), [
    {
      card: 'B',
      change: 'changed',
      lines: [
        { sign: '−', text: '  text("two")' },
        { sign: '+', text: '  text("TWO")' },
      ],
    },
    { card: 'D', change: 'added', lines: [] },
    { card: 'C', change: 'removed', lines: [] },
  ]);
  t.strictSame(cardChanges(before, before), []);
  t.strictSame(cardChanges(before, { text: 'card', graph: null }).length, 3, 'a text with errors has no cards');
});
