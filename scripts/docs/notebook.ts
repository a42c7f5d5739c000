import { notebookFixes } from '../../plugins/journeys/engine/notebook/codes.js';
import { languageData, markdownInjection, stackGrammar } from '../../plugins/journeys/engine/notebook/textmate.js';
import { type Parameter, words } from '../../plugins/journeys/engine/notebook/words.js';
import { code, table } from './table.js';

const optionsOf = (options: readonly Parameter[]): string =>
  options.map(({ name, summary }) => `${code(`${name}:`)} ${summary}`).join('; ');

/** The items of cards, with their options. */
export const itemTable = (): string =>
  table(
    ['Item', 'What it does', 'Options', 'Example'],
    [...words.values()].map(({ form, summary, options, rest, example }) => [
      code(form),
      summary,
      optionsOf([...options, ...(rest ? [rest] : [])]),
      code(example.replaceAll(/\s*\n\s*/g, ' ')),
    ]),
  );

/** The codes of findings about the text of a notebook. */
export const notebookCodeTable = (): string =>
  table(
    ['Code', 'What to do'],
    Object.entries(notebookFixes).map(([name, fix]) => [code(name), fix]),
  );

/** Grammars for editors, made of the words of the language. */
export const grammarFiles: readonly { readonly file: string; readonly make: () => string }[] = [
  { file: 'plugins/journeys/engine/notebook/editor/stack.tmLanguage.json', make: () => `${JSON.stringify(stackGrammar(), null, 2)}\n` },
  {
    file: 'plugins/journeys/engine/notebook/editor/markdown-stack.tmLanguage.json',
    make: () => `${JSON.stringify(markdownInjection(), null, 2)}\n`,
  },
  { file: 'plugins/journeys/engine/notebook/editor/language.json', make: () => `${JSON.stringify(languageData(), null, 2)}\n` },
];
