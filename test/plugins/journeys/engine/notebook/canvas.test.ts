import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { changed, editNotebook } from '../../../../../plugins/journeys/engine/notebook/canvas/edit.js';
import type { CanvasAction } from '../../../../../plugins/journeys/engine/notebook/canvas/editing.js';
import { type ClauseParts, partsOf } from '../../../../../plugins/journeys/engine/notebook/canvas/parts.js';
import { formatNotebook } from '../../../../../plugins/journeys/engine/notebook/format.js';
import { inWords } from '../../../../../plugins/journeys/engine/notebook/in-words.js';
import { compileNotebook } from '../../../../../plugins/journeys/engine/notebook/notebook.js';
import { readNotebook } from '../../../../../plugins/journeys/engine/notebook/read-notebook.js';
import { runs } from '../../../../forms.js';
import { notebookOf } from '../../drawn-notebooks.js';
import { notebooks } from './generated.js';

const folder = 'test/plugins/journeys/engine/notebook/cases';
const examples = [
  ...readdirSync(folder).map((file) => `${folder}/${file}`),
  ...['sandbox/starters/project/menu.journey.md', 'sandbox/demo/library.md', 'plugins/journeys/engine/notebook/README.md'],
].map((file) => readFileSync(file, 'utf8'));
const whole = [...examples, notebookOf(17)].filter((text) => compileNotebook(text).container);

const CONTENTS = [
  'Plain words',
  'She said "it\'s"',
  'two\nlines',
  '  indented\n\nand # no comment\n',
  '@contact.name, @(1 + 2)',
  'a \\" b',
  '',
  '⭐ <b>',
  'ends with \\',
  'one\n```\nfence',
  'one\ncard X do\nend',
  'one\n"""\nquotes',
];

/** The texts and ways of a notebook without their places, and everything that no edit may change. */
interface Model {
  readonly cards: Record<string, { condition: string | null; when?: When; texts: object[]; buttons: Button[]; ends: End[] }[]>;
  readonly comments: readonly string[];
  readonly prose: string;
}
type Button = { label: string; to: string | null; fixed?: string };
type End = { condition: string | null; when?: When; to: string | null };
type When = { content: string };

const CONDITION = 'age > 17';

const namesIn = (text: string): string[] => [...readNotebook(text).cards.keys()];
const clausesIn = (text: string, name: string): readonly ClauseParts[] => partsOf(text, name)!.clauses;

function modelOf(text: string): Model {
  const { source, tokens, markdown } = readNotebook(text);
  const cards = Object.fromEntries(namesIn(text).map((name) => [name, clausesIn(text, name)]));
  const comments = tokens.comments.flatMap((start, i) => (i % 2 === 0 ? source.slice(start, tokens.comments[i + 1]).trimEnd() : []));
  const prose = markdown.fences.reduceRight((rest, { from, to }) => `${rest.slice(0, from)}${rest.slice(to)}`, source);
  return JSON.parse(JSON.stringify({ cards, comments, prose }, (key, value) => (key === 'at' ? undefined : value))) as Model;
}

/** Every action on every part, with what the model has to become. */
function* actionsOn(text: string): Generator<readonly [CanvasAction, (model: Model) => void]> {
  const names = namesIn(text);
  let n = text.length;
  for (const [place, name] of names.entries()) {
    const other = names[(place + 1 + (n % 3)) % names.length]!;
    for (const [k, { at, when, texts, buttons, ends }] of clausesIn(text, name).entries()) {
      const of = (model: Model) => model.cards[name]![k]!;
      const conditions = [[when, of] as const, ...ends.map(({ when: own }, i) => [own, (model: Model) => of(model).ends[i]!] as const)];
      for (const [own, part] of conditions)
        if (own)
          yield [
            { kind: 'condition', at: own.at, content: ` ${CONDITION} ` },
            (model) => Object.assign(part(model), { condition: inWords(CONDITION), when: { content: CONDITION } }),
          ];
      for (const [i, part] of texts.entries()) {
        const content = CONTENTS[n++ % CONTENTS.length]!;
        yield [{ kind: 'text', at: part.at, content }, (model) => Object.assign(of(model).texts[i]!, { content })];
      }
      const added = { label: `New ${n}`, to: other };
      yield [{ kind: 'add_button', at, ...added }, (model) => void of(model).buttons.push(added)];
      const more = { label: 'It "is"', to: 'NewCard' };
      yield [
        { kind: 'add_button', at, ...more, text: 'I am new' },
        (model) => {
          of(model).buttons.push(more);
          model.cards.NewCard = fresh('I am new', null);
        },
      ];
      for (const [i, { at: button }] of buttons.entries()) {
        const label = n++ % 2 === 0 ? "Don't" : 'Say "yes"';
        yield [{ kind: 'rename_button', at: button, label }, (model) => Object.assign(of(model).buttons[i]!, { label })];
        yield [{ kind: 'delete_button', at: button }, (model) => void of(model).buttons.splice(i, 1)];
        yield [{ kind: 'connect', at: button, to: other }, (model) => Object.assign(of(model).buttons[i]!, { to: other })];
      }
      for (const [i, { at: end, to: before }] of ends.entries()) {
        const isHead = end === at;
        yield [{ kind: 'connect', at: end, to: other }, (model) => Object.assign(of(model).ends[i]!, { to: other })];
        yield [{ kind: 'connect', at: end, to: null }, (model) => Object.assign(of(model).ends[i]!, { to: null })];
        yield [
          { kind: 'connect', at: end, to: 'NewCard', text: 'two\nlines' },
          (model) => {
            of(model).ends[i]!.to = 'NewCard';
            model.cards.NewCard = fresh('two\nlines', isHead ? before : null);
          },
        ];
      }
    }
    yield [
      { kind: 'rename_card', card: name, to: 'Renamed2' },
      (model) => {
        model.cards.Renamed2 = model.cards[name]!;
        delete model.cards[name];
        for (const way of Object.values(model.cards).flatMap((clauses) => clauses.flatMap(({ buttons, ends }) => [...buttons, ...ends])))
          if (way.to === name) way.to = 'Renamed2';
      },
    ];
    yield [
      { kind: 'delete_card', card: name },
      (model) => {
        delete model.cards[name];
        for (const clause of Object.values(model.cards).flat()) {
          clause.buttons = clause.buttons.filter(({ to }) => to !== name);
          const [head] = clause.ends.slice(-1);
          clause.ends = clause.ends.filter((end) => end === head || end.to !== name);
          if (head?.to === name) head.to = null;
        }
      },
    ];
  }
}

const fresh = (content: string, to: string | null) => [
  { condition: null, texts: [{ word: 'text', content }], buttons: [], ends: [{ condition: null, to }] },
];

/** Runs every action, and counts those that were made and the reasons of the others. */
function runAll(text: string, reasons: Map<string, number>): number {
  let made = 0;
  const before = JSON.stringify(modelOf(text));
  const isFormatted = formatNotebook(text).text === text;
  for (const [action, expect] of actionsOn(text)) {
    const edit = editNotebook(text, action);
    const fail = (what: string, after = ''): never => {
      throw new Error(`${what}\n${JSON.stringify(action)}\n${JSON.stringify(edit)}\n${text}\n--->\n${after}`);
    };
    if ('refused' in edit) {
      if (!/^[A-Z].*[.!?]$/s.test(edit.refused)) fail('a reason is a sentence');
      reasons.set(edit.refused, (reasons.get(edit.refused) ?? 0) + 1);
      continue;
    }
    made++;
    const { changes } = edit;
    if (changes.some(({ from, to }, i) => from > to || from < (changes[i - 1]?.to ?? 0))) fail('changes are in the order of the text');
    const after = changed(text, changes);
    const expected = JSON.parse(before) as Model;
    expect(expected);
    const found = modelOf(after);
    const isDeletion = action.kind === 'delete_card';
    // Also the comments of a card are deleted with it.
    if (isDeletion && found.comments.some((comment) => !expected.comments.includes(comment))) fail('a comment was changed', after);
    const [a, b] = [expected, found].map(({ cards, comments, prose }) =>
      JSON.stringify([Object.entries(cards).sort(), isDeletion ? '' : comments, prose], null, 1),
    );
    if (a !== b) fail(`not what was asked for:\n${differing(a!, b!)}`, after);
    const formatted = isFormatted ? formatNotebook(after).text : after;
    if (formatted !== after) fail(`the layout is not kept:\n${formatted}`, after);
  }
  return made;
}

/** The first lines that differ. */
function differing(one: string, other: string): string {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  return [a, b].map((lines) => lines.slice(Math.max(0, at - 3), at + 3).join('\n')).join('\nbut\n');
}

t.test('every action on every part of the examples is refused in a sentence, or does exactly what it says', async (t) => {
  const reasons = new Map<string, number>();
  const made = whole.reduce((sum, text) => sum + runAll(text, reasons), 0);
  const refused = [...reasons.values()].reduce((sum, count) => sum + count, 0);
  t.ok(whole.length > 25, `${whole.length} notebooks`);
  t.ok(made > refused, `${made} made, ${refused} refused`);
});

t.test('the same for notebooks by chance', async (t) => {
  const reasons = new Map<string, number>();
  let made = 0;
  const numRuns = runs(100);
  fc.assert(
    fc.property(notebooks, (text) => {
      made += runAll(text, reasons);
    }),
    { numRuns, seed: 20_261_130 },
  );
  t.ok(made > numRuns, `${made} edits`);
});

/** An action on the part that begins at a text, which is once in the notebook. */
type About = (at: (found: string) => number) => CanvasAction;

const written: Readonly<Record<string, readonly [before: string, action: About, after: string | RegExp]>> = {
  'a text between """ keeps its indent': [
    'card A do\n  text("""\n    One\n    """)\nend\n',
    (at) => ({ kind: 'text', at: at('"""\n    One'), content: 'Two\n\n  three' }),
    'card A do\n  text("""\n    Two\n\n      three\n    """)\nend\n',
  ],
  'a text with apostrophes keeps them': [
    "card A do\n  text('One')\nend\n",
    (at) => ({ kind: 'text', at: at("'One"), content: `it's "two"` }),
    `card A do\n  text('it\\'s "two"')\nend\n`,
  ],
  'a picture and its text become the message of buttons': [
    'card A do\n  image("https://a.test/a.png")\n  text("Hi") # friendly\nend\ncard B do\nend\n',
    (at) => ({ kind: 'add_button', at: at('card A'), label: 'Go', to: 'B' }),
    'card A do\n  buttons(B: "Go") do\n    image("https://a.test/a.png")\n    text("Hi")\n  end # friendly\nend\ncard B do\nend\n',
  ],
  'an option on a line of its own is followed by a line': [
    'card A do\n  list("Open",\n    A: "one", # first\n    A: "two"\n  ) do\n    text("?")\n  end\nend\n',
    (at) => ({ kind: 'add_button', at: at('card A'), label: 'three', to: 'A' }),
    'card A do\n  list("Open",\n    A: "one", # first\n    A: "two",\n    A: "three"\n  ) do\n    text("?")\n  end\nend\n',
  ],
  'comments between options stay': [
    'card A do\n  buttons(A: "one", # first\n    B: "two", # second\n    A: "three") do\n    text("?")\n  end\nend\ncard B do\nend\n',
    (at) => ({ kind: 'delete_button', at: at('B: "two"') }),
    'card A do\n  buttons(A: "one", # first\n    # second\n    A: "three") do\n    text("?")\n  end\nend\ncard B do\nend\n',
  ],
  'cards with labels of their own are spelled out': [
    'card A do\n  buttons([B, C]) do\n    text("?")\n  end\nend\ncard B, "Yes" do\nend\ncard C do\nend\n',
    (at) => ({ kind: 'rename_button', at: at('C]'), label: 'No' }),
    'card A do\n  buttons(B: "Yes", C: "No") do\n    text("?")\n  end\nend\ncard B, "Yes" do\nend\ncard C do\nend\n',
  ],
  'a new card comes between a card and the next': [
    'card A, then: B do # go\n  text("Hi")\nend # of A\ncard B do\nend\n',
    (at) => ({ kind: 'connect', at: at('card A'), to: 'New', text: 'Wait.' }),
    'card A, then: New do # go\n  text("Hi")\nend # of A\n\ncard New, then: B do\n  text("Wait.")\nend\ncard B do\nend\n',
  ],
  'a card is deleted with the ways to it': [
    '# a\ncard A, then: B do\n  then(B when x)\n  then(C when y)\nend\n\n# about b\ncard B do\nend # of B\n\n# c\ncard C do\nend\n',
    () => ({ kind: 'delete_card', card: 'B' }),
    '# a\ncard A do\n  then(C when y)\nend\n\n# c\ncard C do\nend\n',
  ],
  'the name of a new card is free': [
    'card A do\n  text("Hi")\nend\ncard OpenHours do\nend\n',
    (at) => ({ kind: 'connect', at: at('card A'), to: 'open_hours', text: '' }),
    /^There is a card OpenHours already\.$/,
  ],
  'a condition compares with a button': [
    'card A, then: B do\n  c = buttons(B: "b", A: "a") do\n    text("?")\n  end\nend\ncard B when c == "b" do\nend\ncard B do\nend\n',
    (at) => ({ kind: 'delete_button', at: at('B: "b"') }),
    /^Line 6 compares the answer with this button\./,
  ],
  'another card uses what only this one asks': [
    'card A, then: B do\nlog("")\nend\ncard B, then: C do\n  age = ask("?")\nend\ncard C do\n  text("You are @age.")\nend\n',
    () => ({ kind: 'delete_card', card: 'B' }),
    /^Line 8 uses age, which only this card sets\./,
  ],
  'a renamed card keeps the labels that contacts see': [
    'card A, then: B do\n  buttons([B, C, A]) do\n    text("?")\n  end\nend\ncard B when x do\n  then("B")\nend\ncard B do\nend\ncard C, "Yes" do\n  list("L", B: "b") do\n    text("?")\n  end\nend\n',
    () => ({ kind: 'rename_card', card: 'B', to: 'New' }),
    'card A, then: New do\n  buttons(New: "B", C: "Yes", A: "A") do\n    text("?")\n  end\nend\ncard New when x do\n  then(New)\nend\ncard New do\nend\ncard C, "Yes" do\n  list("L", New: "b") do\n    text("?")\n  end\nend\n',
  ],
  'a card whose answer is used keeps its name': [
    'card Age, then: B do\n  ask("?")\nend\ncard B do\n  text("You are @age.")\nend\n',
    () => ({ kind: 'rename_card', card: 'Age', to: 'Years' }),
    /^Line 5 uses age, the answer to this card\. Give it a name in the text first, such as answer = ask\(…\)\.$/,
  ],
  'a condition compares with a button to a card': [
    'card A, then: B do\n  c = buttons(B: "b", A: "a") do\n    text("?")\n  end\nend\ncard B when c == "b" do\nend\ncard B do\nend\n',
    () => ({ kind: 'rename_card', card: 'B', to: 'New' }),
    /^Line 6 compares the answer with the button to this card\./,
  ],
  'two cards cannot have one name': [
    'card A do\nend\ncard OpenHours do\nend\n',
    () => ({ kind: 'rename_card', card: 'A', to: 'open_hours' }),
    /^There is a card OpenHours already\.$/,
  ],
  'a condition is changed in its place': [
    'card A do\n  then(B when x) # why\nend\ncard B when a < 1, then: A do\nend\ncard B do\nend\n',
    (at) => ({ kind: 'condition', at: at('a < 1'), content: ' a < 2 and b == "c" ' }),
    'card A do\n  then(B when x) # why\nend\ncard B when a < 2 and b == "c", then: A do\nend\ncard B do\nend\n',
  ],
  ...Object.fromEntries(
    ['x) then(A', 'x # no', 'x, then: A', 'x do\nend\ncard C when y', 'x ==', '(', '"', 'x\n)', ''].map((content) => [
      `${JSON.stringify(content)} is no condition`,
      [
        'card A do\n  then(B when x)\nend\ncard B when y do\nend\ncard B do\nend\n',
        (at: (found: string) => number) => ({ kind: 'condition', at: at('y do'), content }),
        /^(This cannot be read as one condition|A condition is an expression)/,
      ] as const,
    ]),
  ),
  'a text with errors says where': [
    'card A do\n  txt("Hi")\nend\n',
    () => ({ kind: 'delete_card', card: 'A' }),
    /^The text has errors\. First correct line 2, column 3: /,
  ],
};

for (const [about, [before, action, after]] of Object.entries(written)) {
  t.test(about, async (t) => {
    for (const text of [before, `\ufeff${before.replaceAll('\n', '\r\n')}`]) {
      const edit = editNotebook(
        text,
        action((found) => before.indexOf(found)),
      );
      const made = 'refused' in edit ? edit.refused : changed(text, edit.changes);
      if (typeof after === 'string') t.equal(made, text === before ? after : `\ufeff${after.replaceAll('\n', '\r\n')}`);
      else t.match(made, after);
    }
  });
}
