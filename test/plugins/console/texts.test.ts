import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import jsTokens from 'js-tokens';
import t from 'tap';
import { mirroredMessages, type Translation } from '../../../core/web/translation.js';

const FOLDERS = ['plugins/console/app', 'plugins/flows/preview/app', 'core/web'];
/** Texts that are the same in every language. */
const SAME = [
  // The name of the program, in HAR files.
  '"Posthorn console"',
];
/** Declarations whose side does not depend on the direction of the page. */
const ALLOWED = [
  // Centres a button, with a rule for each direction.
  'translateX(-50%)',
  'translateX(50%)',
  // JSON and code.
  'text-align: left',
];
/** Attributes that a person reads, or a screen reader says. */
const SPOKEN = new Set('title aria-label aria-description placeholder alt label announcement verb note text copyTitle fields'.split(' '));
const isWords = (text: string): boolean => /\p{L}{2}/u.test(text) && !/^"https?:/.test(text);
/** A text with a capital and a space is a sentence or title, unless a screen never shows it. */
const isSentence = (text: string): boolean => /^[A-Z][a-z]+ [\p{L}\d$]/u.test(text);

const filesOf = (ending: RegExp): string[] =>
  FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))).filter((file) =>
    ending.test(file),
  );

/** The texts for people in the code of a file. Without types, as the tokens of a generic would be taken for elements. */
function literalsOf(source: string, loader: 'ts' | 'tsx'): string[] {
  const { code } = transformSync(source, { loader, jsx: 'preserve', target: 'esnext' });
  const tokens: readonly { readonly type: string; readonly value: string }[] = [...jsTokens(code, { jsx: true })].filter(
    ({ type }) => !/^(WhiteSpace|LineTerminatorSequence)$/.test(type),
  );
  return tokens.flatMap(({ type, value }, at) => {
    if (type === 'JSXText') return isWords(value) ? [value.trim()] : [];
    if (type === 'JSXString') return SPOKEN.has(tokens[at - 2]?.value ?? '') && isWords(value) ? [value] : [];
    return /^(StringLiteral|NoSubstitutionTemplate|TemplateHead)$/.test(type) && isSentence(value.slice(1)) && !SAME.includes(value)
      ? [value]
      : [];
  });
}

t.test('the texts of the console are in catalogues', async (t) => {
  const sample = `<p title="Two words" class="is one">Read <List<string>>{isAll ? 'All of it' : texts.other}</List></p>;`;
  t.strictSame(literalsOf(sample, 'tsx'), ['"Two words"', 'Read', '"All of it"']);
  const files = filesOf(/\.tsx?$/);
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    if (source.includes('= catalogue({')) continue;
    t.strictSame(literalsOf(source, file.endsWith('x') ? 'tsx' : 'ts'), [], file);
  }
});

t.test('the language for tests marks every word of a message, but no id, code or date', async (t) => {
  const element = (type: string | (() => void), children?: unknown) => ({ type, props: { children } });
  const english = {
    none: 'No call yet',
    since: (time: unknown) => element('p', ['Since ', time, element('b', 'all of it'), element('code', 'posthorn')]),
    count: (n: number) => `${n} calls`,
  };
  const { none, since, count } = mirroredMessages(english);
  const marked = (...words: readonly string[]): string => words.map((word) => `\u200f\u202e${word}\u202c\u200f`).join(' ');
  t.equal(none, marked('No', 'call', 'yet'));
  t.equal(count(3), `3 ${marked('calls')}`);
  const time = element(() => {});
  const { children } = since(time).props;
  t.strictSame(children, [`${marked('Since')} `, time, element('b', marked('all', 'of', 'it')), element('code', 'posthorn')]);
});

t.test('a translation has every message of the English one, with the same values', async (t) => {
  const english = { none: 'No call yet', count: (n: number) => `${n} calls` };
  const whole: Translation<typeof english> = { none: 'Kein Aufruf', count: (n) => `${n} Aufrufe` };
  // @ts-expect-error: a message is missing
  const partial: Translation<typeof english> = { none: 'Kein Aufruf' };
  // @ts-expect-error: the message takes a number
  const other: Translation<typeof english> = { none: 'Kein Aufruf', count: (n: string) => n };
  t.equal(whole.count(2), '2 Aufrufe');
  t.notOk('count' in partial);
  t.equal(other.none, whole.none);
});

/** Properties that mean left or right, whatever the direction of the page. */
const PHYSICAL =
  /(?:margin|padding|border)-(?:left|right)|border-(?:top|bottom)-(?:left|right)-radius|(?:^|[\s;{])(?:left|right)\s*:|(?:text-align|float|clear):\s*(?:left|right)|translateX\(/;

t.test('style sheets begin and end lines instead of naming a side', async (t) => {
  t.match('  left: 0;', PHYSICAL);
  t.notMatch('  inset-inline-start: 0;', PHYSICAL);
  for (const file of filesOf(/\.css$/)) {
    const lines = readFileSync(file, 'utf8').split('\n');
    t.strictSame(
      lines.filter((line) => PHYSICAL.test(line) && !ALLOWED.some((allowed) => line.includes(allowed))),
      [],
      file,
    );
  }
});
