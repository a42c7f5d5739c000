import { functions } from '../expression/functions/index.js';
import type { LanguageData } from './editor/codemirror.js';
import { reservedWords } from './tokens.js';
import { headOptions, topWords, words } from './words.js';

/** A TextMate grammar, as JSON. */
export interface TextMateGrammar {
  readonly [key: string]: unknown;
}

const LANGUAGE = 'source.posthorn.stack';
const CONSTANTS = ['true', 'false', 'nil', 'null'];
const OPERATOR_WORDS = ['and', 'or', 'not'];

const anyOf = (names: Iterable<string>): string => `\\b(?:${[...names].sort().join('|')})\\b`;
const include = (...names: readonly string[]): object[] => names.map((name) => ({ include: `#${name}` }));

/** Generates the grammar of notebook code from the words the parser knows. */
export function stackGrammar(): TextMateGrammar {
  const keywords = [...reservedWords].filter(isKeyword);
  const calls = topWords.filter((word) => !reservedWords.has(word));
  return {
    name: 'Posthorn stack',
    scopeName: LANGUAGE,
    fileTypes: [],
    patterns: include('code'),
    repository: {
      code: { patterns: include('comment', 'heredoc', 'text', 'head', 'expression', 'keyword', 'item') },
      comment: { match: '#.*$', name: 'comment.line.number-sign.posthorn' },
      head: {
        match: '^\\s*(card)\\s+([A-Za-z_]\\w*)',
        captures: { 1: { name: 'keyword.control.posthorn' }, 2: { name: 'entity.name.section.posthorn' } },
      },
      keyword: {
        patterns: [
          { match: `(?<!\\.)${anyOf(keywords)}(?!:)`, name: 'keyword.control.posthorn' },
          { match: `${anyOf(headOptions)}(?=:\\s)`, name: 'keyword.other.option.posthorn' },
          { match: '\\b[A-Za-z_]\\w*(?=:\\s)', name: 'variable.parameter.posthorn' },
        ],
      },
      item: { match: `(?<!\\.)${anyOf([...words.keys(), ...calls])}(?=\\()`, name: 'support.function.item.posthorn' },
      expression: {
        patterns: [
          { match: `${anyOf(OPERATOR_WORDS)}`, name: 'keyword.operator.word.posthorn' },
          { match: `(?<!\\.)${anyOf(CONSTANTS)}`, name: 'constant.language.posthorn' },
          { match: '\\b\\d{4}-\\d{2}-\\d{2}(?:[T ]\\d{2}:\\d{2}(?::\\d{2})?Z?)?', name: 'constant.other.date.posthorn' },
          { match: '\\b[0-9][0-9_]*(?:\\.[0-9]+)?\\b', name: 'constant.numeric.posthorn' },
          { match: '&[0-9]+', name: 'variable.language.capture.posthorn' },
          {
            match: `(?<!\\.)${anyOf([...functions.keys()].filter((name) => !reservedWords.has(name) && !words.has(name)))}(?=\\()`,
            name: 'support.function.posthorn',
          },
          { match: '==|!=|<>|<=|>=|\\.\\.|[-+*/%^&=<>]', name: 'keyword.operator.posthorn' },
        ],
      },
      heredoc: {
        begin: '"""[ \\t]*$',
        end: '^[ \\t]*"""',
        name: 'string.quoted.triple.posthorn',
        patterns: include('template'),
      },
      text: {
        patterns: [
          { begin: '"', end: '"', name: 'string.quoted.double.posthorn', patterns: [escaped('"'), ...include('template')] },
          { begin: "'", end: "'", name: 'string.quoted.single.posthorn', patterns: [escaped("'"), ...include('template')] },
        ],
      },
      template: {
        patterns: [
          { match: '@@', name: 'constant.character.escape.posthorn' },
          {
            begin: '@\\(',
            end: '\\)',
            name: 'meta.embedded.expression.posthorn',
            patterns: include('brackets', 'expression'),
          },
          { match: '@[A-Za-z_]\\w*(?:\\.\\w+|\\[\\w+\\])*', name: 'variable.other.template.posthorn' },
        ],
      },
      brackets: { begin: '\\(', end: '\\)', patterns: include('brackets', 'expression') },
    },
  };
}

const escaped = (quote: string): object => ({ match: `\\\\${quote}`, name: 'constant.character.escape.posthorn' });

/** Generates the injection that applies it to `stack` fences in Markdown. */
export function markdownInjection(): TextMateGrammar {
  return {
    scopeName: 'markdown.posthorn.codeblock',
    injectionSelector: 'L:text.html.markdown',
    patterns: include('fence'),
    repository: {
      fence: {
        begin: '^( {0,3})(`{3,}|~{3,})[ \\t]*(stack)\\b[^`]*$',
        end: '^ {0,3}\\2[`~]*[ \\t]*$',
        beginCaptures: { 3: { name: 'fenced_code.block.language.markdown' } },
        name: 'markup.fenced_code.block.markdown',
        patterns: [
          {
            begin: '(^|\\G)(?! {0,3}(?:`{3,}|~{3,})[ \\t]*$)',
            while: '(^|\\G)(?! {0,3}(?:`{3,}|~{3,})[ \\t]*$)',
            contentName: 'meta.embedded.block.stack',
            patterns: [{ include: LANGUAGE }],
          },
        ],
      },
    },
  };
}

/** Generates the words of the language for `editor/codemirror.ts`. */
export const languageData = (): LanguageData => ({
  keywords: [...reservedWords, ...topWords].filter((word, i, all) => isKeyword(word) && all.indexOf(word) === i).join(' '),
  constants: CONSTANTS.join(' '),
  operators: OPERATOR_WORDS.join(' '),
  items: [...words.keys()].join(' '),
  functions: [...functions.keys()]
    .filter((name) => !reservedWords.has(name) && !words.has(name))
    .sort()
    .join(' '),
  options: headOptions.join(' '),
});

const isKeyword = (word: string): boolean => !CONSTANTS.includes(word) && !OPERATOR_WORDS.includes(word);
