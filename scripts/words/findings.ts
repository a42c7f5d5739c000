import jsTokens, { type JSXToken, type Token } from 'js-tokens';
import { type Allowed, allowed } from './allowed.js';
import { banned, rules } from './rules.js';

/** A use of a word that the project avoids. */
export interface WordFinding {
  /** From 1. */
  readonly line: number;
  /** The words as they are written. */
  readonly words: string;
  /** The words to write instead. */
  readonly use: string;
}

/** Text that people read, in its place. */
interface Prose {
  readonly line: number;
  readonly text: string;
}

/** Every use of an avoided word in the prose of a file: comments, messages, test titles, and the text of pages outside code. */
export function wordFindings(file: string, text: string, { files, phrases }: Allowed = allowed): WordFinding[] {
  if (files.includes(file)) return [];
  const found: WordFinding[] = [...text.matchAll(banned.pattern)].map((match) => ({
    line: lineOf(text, match.index),
    words: match[0],
    use: banned.use,
  }));
  for (const prose of file.endsWith('.md') ? proseOfPage(text) : proseOfSource(file, text)) {
    for (const { pattern, use } of rules) {
      for (const match of prose.text.matchAll(pattern)) {
        if (isAllowed(prose.text, match.index, match[0], phrases)) continue;
        const line = prose.line + lineOf(prose.text, match.index) - 1;
        found.push({ line, words: match[0].replace(/\s+/g, ' ').trim(), use });
      }
    }
  }
  return found.sort((a, b) => a.line - b.line);
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** Whether an allowed phrase covers the match. */
const isAllowed = (text: string, at: number, words: string, phrases: Allowed['phrases']): boolean =>
  phrases.some((phrase) => {
    for (const match of text.matchAll(phrase)) if (match.index <= at && match.index + match[0].length >= at + words.length) return true;
    return false;
  });

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

function proseOfPage(text: string): Prose[] {
  const withoutCode = text
    .replace(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2/gm, blank)
    .replace(/`[^`\n]+`/g, (code) => '`'.repeat(code.length))
    .replace(/\]\([^)\n]*\)/g, blank)
    .replace(/<!--[\s\S]*?-->/g, blank);
  return [{ line: 1, text: withoutCode }];
}

/** In test files, text is often data of the test: only titles count there. */
function proseOfSource(file: string, text: string): Prose[] {
  const isTest = file.startsWith('test/') || /\.test\.tsx?$/.test(file);
  const found: Prose[] = [];
  let line = 1;
  let isTitle = false;
  let before = '';
  let comment: { line: number; text: string; next: number } | undefined;
  const endComment = (): void => {
    if (comment) found.push({ line: comment.line, text: comment.text });
    comment = undefined;
  };
  for (const { type, value } of tokensOf(text, file.endsWith('x'))) {
    if (type === 'SingleLineComment' || type === 'MultiLineComment') {
      const written = withoutMarks(value);
      // Consecutive lines of `//` are one text, so that sentences over several lines are read whole.
      if (comment && type === 'SingleLineComment' && comment.next === line) comment.text += `\n${written}`;
      else {
        endComment();
        comment = { line, text: written, next: line };
      }
      comment.next = line + value.split('\n').length;
    } else if (type === 'StringLiteral' || type === 'NoSubstitutionTemplate' || type.startsWith('Template')) {
      endComment();
      if (/\S\s+\S/.test(value) && (!isTest || isTitle)) found.push({ line, text: withoutCode(value.replace(/^`|`$/g, ' ')) });
    } else if (type === 'JSXText') {
      found.push({ line, text: value });
    } else if (type !== 'WhiteSpace' && type !== 'LineTerminatorSequence') endComment();
    if (type !== 'WhiteSpace' && type !== 'LineTerminatorSequence') {
      isTitle = value === '(' && (before === 'test' || before === 'only' || before === 'comment');
      before = value;
    }
    line += value.split('\n').length - 1;
  }
  endComment();
  return found;
}

const tokensOf = (text: string, isJsx: boolean): Iterable<Token | JSXToken> => (isJsx ? jsTokens(text, { jsx: true }) : jsTokens(text));

const withoutCode = (text: string): string => text.replace(/`[^`\n]+`/g, (code) => '`'.repeat(code.length));

const withoutMarks = (comment: string): string =>
  withoutCode(
    comment
      .replace(/^\/\*\*?|\*\/$/g, blank)
      .replace(/^\/\//, '  ')
      .replace(/^(\s*)\*/gm, '$1 '),
  );
