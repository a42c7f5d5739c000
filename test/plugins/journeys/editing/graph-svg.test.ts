import t from 'tap';
import { svgOf } from '../../../../plugins/journeys/editing/graph-svg.js';

const node = { flow: 'f', x: 16, y: 16, width: 240, height: 96, is_first: true, waits: true, blocks: [], places: [], cards: [] };
const graph = {
  width: 272,
  height: 200.5,
  flows: [{ id: 'f', name: 'main', x: 0, y: 0, width: 272, height: 200 }],
  nodes: [
    {
      ...node,
      id: 'a',
      label: 'Menu <1>',
      says: 'What would you like to do today, dear friend & reader of this library?',
      media: ['image'],
      options: ['Book a table', 'C', 'D'],
      pills: [
        { text: 'Book a table', x: 24, y: 84, width: 94, height: 18 },
        { text: 'C\u0007', x: 123, y: 84, width: 30, height: 18 },
        { text: '+1', x: 158, y: 84, width: 30, height: 18 },
      ],
    },
  ],
  edges: [
    {
      from: 'a',
      to: null,
      label: 'x',
      words: 'age is at least 18',
      exits: [],
      points: [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
      ],
      label_at: { x: 5, y: 6 },
    },
    {
      from: 'a',
      to: 'a',
      label: '',
      words: '',
      exits: [],
      points: [
        { x: 1, y: 2 },
        { x: 9, y: 9 },
        { x: 3, y: 4 },
      ],
    },
  ],
};

t.test('a graph is an SVG document with the texts, buttons and arrows of the page', async (t) => {
  const svg = svgOf(graph);
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
  t.strictSame(texts, [
    'age is at least 18',
    'Menu &lt;1>',
    '[image] What would you like to',
    'do today, dear friend &amp; reade…',
    'Book a table',
    'C�',
    '+1',
  ]);
  t.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="272" height="201" viewBox="0 0 272 201">/);
  t.equal(svg.match(/class="line"/g)?.length, 2);
  t.equal(svg.match(/<circle class="tip"/g)?.length, 1, 'an end');
  t.equal(svgOf({ width: 0, height: 0, flows: [], nodes: [], edges: [] }).includes('<text'), false);
});
