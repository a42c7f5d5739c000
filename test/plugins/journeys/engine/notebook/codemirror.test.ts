import { readFileSync } from 'node:fs';
import { CompletionContext } from '@codemirror/autocomplete';
import { StreamLanguage } from '@codemirror/language';
import { EditorState, type TransactionSpec } from '@codemirror/state';
import t from 'tap';
import { completionsAt } from '../../../../../plugins/journeys/engine/notebook/completion.js';
import { type LanguageData, notebookCompletions, stackMode } from '../../../../../plugins/journeys/engine/notebook/editor/codemirror.js';
import { languageData } from '../../../../../plugins/journeys/engine/notebook/textmate.js';
import { words } from '../../../../../plugins/journeys/engine/notebook/words.js';

const file = JSON.parse(readFileSync('plugins/journeys/engine/notebook/editor/language.json', 'utf8')) as LanguageData;
const stack = StreamLanguage.define(stackMode(file));

/** The tokens of a code, as `text kind`. */
function tokensOf(code: string): string[] {
  const found: string[] = [];
  stack.parser.parse(code).iterate({
    enter: ({ from, to, name }) => {
      if (name !== 'Document') found.push(`${code.slice(from, to)} ${name}`);
    },
  });
  return found;
}

t.test('CodeMirror marks the words of the language, texts with their expressions, and comments', async (t) => {
  t.strictSame(file, JSON.parse(JSON.stringify(languageData())), 'language.json is current');
  const code = `card Menu, then: Next do
  # a # comment
  age = ask("How old, @contact.name? \\" @@")
  x = if(age > 5_000.5 and not true, 2025-01-31, map(list, &1))
  text("""
  Hi @(upper("x"))
  """)
  list("Open", Yes: "a
  card Not a card @b")
end`;
  const tokens = tokensOf(code);
  for (const token of [
    ...[
      'card keyword',
      'Menu variableName',
      'then keyword',
      'do keyword',
      '# a # comment comment',
      'ask variableName.standard',
      'end keyword',
    ],
    ...['@contact.name variableName.special', '"How old,  string', '@@ variableName.special', '> operator', '5_000.5 number'],
    ...['and operatorKeyword', 'not operatorKeyword', 'true atom', '2025-01-31 literal', 'map variableName.function', 'list variableName'],
    ...['list variableName.standard', 'Yes propertyName', '@b variableName.special'],
  ]) {
    t.ok(
      tokens.some((found) => found.replace(/\s+/g, ' ') === token.replace(/\s+/g, ' ')),
      `${token} in ${tokens.join(' | ')}`,
    );
  }
  t.notOk(tokens.includes('card keyword') && tokens.filter((found) => found === 'card keyword').length > 1, 'a card within a text is text');
});

t.test('a text without its end, and any other input, is read to the end', async (t) => {
  for (const code of ['"', "'", '"""\nx', 'text("a', '\\', '@', '&', '🌙', '\u0000', 'a.b..c', '"\\', "'\\'"]) {
    t.equal(stack.parser.parse(code).length, code.length, JSON.stringify(code));
  }
});

t.test('a completed item has the indent of its line, and its sample is selected', async (t) => {
  const source = notebookCompletions((text, offset) => completionsAt(text, offset));
  const take = async (line: string) => {
    const before = `card Menu do\n${line}`;
    let state = EditorState.create({ doc: `${before}\nend\n` });
    const { from, options } = (await source(new CompletionContext(state, before.length, true)))!;
    const [{ apply = '' } = {}] = options;
    if (typeof apply === 'string') return apply;
    const dispatch = (change: TransactionSpec): void => {
      state = state.update(change).state;
    };
    apply(
      {
        get state() {
          return state;
        },
        dispatch,
      },
      undefined,
      from,
      before.length,
    );
    const { main } = state.selection;
    return { text: state.sliceDoc(13, state.doc.length - 5), selected: state.sliceDoc(main.from, main.to) };
  };
  t.strictSame(await take('  tex'), { text: '  text("Good day, @contact.name.")', selected: 'Good day, @contact.name.' });
  t.strictSame(await take('    buttons'), {
    text: '    buttons(Yes: "Oh yes", No: "Rather not") do\n      text("Shall we continue?")\n    end',
    selected: 'Yes: "Oh yes", No: "Rather not"',
  });
  t.match(await take('  the'), { selected: 'Adult when age >= 18' });
  t.match(await take('  ask'), { selected: 'How old are you?' });
  t.strictSame(await take('  buttons(Me'), { text: '  buttons(Menu: ""', selected: '' });
  t.equal(await take('  x = upp'), 'upper(');
  for (const { example, inBody } of words.values()) {
    if (inBody === 'only') continue;
    const name = /\b(\w+)\(/.exec(example)![1]!;
    const { options } = completionsAt(`card Menu do\n${name}`, 13 + name.length);
    const { insert = '', select } = options.find(({ label }) => label === name)!;
    t.match(insert.slice(select!.from, select!.to), /^[^"()]+$|^\w+: /, name);
  }
});

t.test('the editor completes cards, functions, variables and fields of contacts', async (t) => {
  const source = notebookCompletions((text, offset) => completionsAt(text, offset, { contactFields: ['member_since'] }));
  const labelsAt = async (text: string, explicit = false) => {
    const pos = text.indexOf('|');
    const state = EditorState.create({ doc: text.replace('|', '') });
    const found = await source(new CompletionContext(state, pos, explicit));
    return found && { text: text.slice(found.from, found.to), labels: found.options.map(({ label, type }) => `${label} ${type}`) };
  };
  const around = (code: string): string =>
    `# T\n\n\`\`\`stack\ncard Menu do\n  age = ask("x")\n${code}\nend\n\ncard Hours do\nend\n\`\`\`\n`;
  t.match(await labelsAt(around('  then(Ho|)')), { text: 'Ho', labels: ['Hours class'] });
  t.match(await labelsAt(around('  te|')), { text: 'te', labels: ['text function'] });
  t.match(await labelsAt(around('  text("@contact.mem|")')), { text: 'mem', labels: ['member_since property'] });
  t.match(await labelsAt(around('  x = ag|')), { labels: ['age variable'] });
  t.match(await labelsAt(around('  x = upp|')), { labels: ['upper function'] });
  t.equal(await labelsAt(around('  x = |')), null, 'nothing is typed yet');
  t.ok((await labelsAt(around('  x = |'), true))!.labels.length > 100);
  t.equal(await labelsAt('# Prose te|'), null);
});
