import { readFileSync } from 'node:fs';
import t from 'tap';
import { functions } from '../../../../core/engine/expression/functions/index.js';
import { lintJourney } from '../../../../core/engine/lint/lint.js';
import { compileNotebook } from '../../../../core/engine/notebook/notebook.js';
import { outlineOf } from '../../../../core/engine/notebook/outline.js';
import { markdownInjection, stackGrammar } from '../../../../core/engine/notebook/textmate.js';
import { reservedWords } from '../../../../core/engine/notebook/tokens.js';
import { headOptions, words } from '../../../../core/engine/notebook/words.js';
import { grammarFiles } from '../../../../scripts/docs/notebook.js';
import { seen, Talk } from '../journey-under-test.js';

const PAGE = 'core/engine/notebook/README.md';
const page = readFileSync(PAGE, 'utf8');

t.test('the example of every item compiles, and every item has a block to become', async (t) => {
  for (const { name, example, inBody } of words.values()) {
    const item = inBody === 'only' ? `ask() do\n${example}\ntext("?")\nend` : example;
    const cards = ['Yes', 'No', 'Buy', 'NotNow', 'Adult'].map((card) => `card ${card} do\nlog("x")\nend`).join('\n');
    const { container, findings } = compileNotebook(`card A do\n${item}\nend\n${cards}`);
    t.strictSame(findings, [], name);
    t.ok((container?.flows[0]?.blocks.length ?? 0) > 5, name);
  }
});

t.test('the notebook of the page talks as the page shows', async (t) => {
  const [, text] = /^````markdown notebook\n([\s\S]*?)^````$/m.exec(page)!;
  const [, conversation] = /^```conversation\n([\s\S]*?)^```$/m.exec(page)!;
  const { container, findings, triggers } = compileNotebook(text!);
  t.strictSame(findings, []);
  t.strictSame(lintJourney(container), []);
  t.match(triggers, [{ on: 'MESSAGE RECEIVED', when: /has_any_phrase/ }]);
  const talk = new Talk({ main: container! });
  const said: string[] = seen(talk.start({ contact: { name: 'Ann' } })).map((line) => `< ${line}`);
  for (const line of conversation!.trim().split('\n')) {
    if (!line.startsWith('> ')) continue;
    said.push(line, ...seen(talk.say(line.slice(2))).map((answer) => `< ${answer}`));
  }
  t.equal(said.join('\n'), conversation!.trim());
  t.match(outlineOf(text!), {
    sections: [{ title: 'Café', level: 1, prose: /Guests ask/, cards: ['Menu', 'Hours', 'Table', 'Check'] }],
    cards: [
      { name: 'Menu', documentation: /Guests ask/ },
      { name: 'Hours', documentation: '' },
      { name: 'Table', documentation: /telephoned/ },
      {},
      {},
    ],
  });
});

t.test('the grammars for editors are made of the words of the language', async (t) => {
  for (const { file, make } of grammarFiles) t.equal(readFileSync(file, 'utf8'), make(), `${file}: npm run docs makes it anew`);
  const patterns: string[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        if (['match', 'begin', 'end', 'while'].includes(key) && typeof item === 'string') patterns.push(item);
        else collect(item);
      }
  };
  collect([stackGrammar(), markdownInjection()]);
  // \G, the place where the last match ended, is of these grammars alone.
  const readable = patterns.map((pattern) => new RegExp(pattern.replaceAll('\\G', ''), 'm'));
  t.ok(readable.length > 20);
  const known = (text: string): boolean => readable.some((pattern) => pattern.exec(text)?.[0].includes(text.replace(/[(:].*$/, '')));
  for (const name of words.keys()) t.ok(known(`${name}(`), name);
  for (const name of functions.keys()) t.ok(known(`${name}(`), name);
  for (const name of reservedWords) t.ok(known(name), name);
  for (const name of headOptions) t.ok(known(`${name}: "x"`), name);
});
