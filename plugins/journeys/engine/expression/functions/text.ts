import { splitAt, unmarked, urlEncoded } from '../../contact-text.js';
import { EXPRESSION_LIMITS } from '../budget.js';
import { valueText } from '../text.js';
import { ExpressionError, type Value } from '../value.js';
import { characters, firstCharacters, lastCharacters } from './characters.js';
import {
  type Arguments,
  type CallContext,
  countArgument,
  define,
  type FunctionDefinition,
  integerArgument,
  isNil,
  looseText,
  textArgument,
} from './define.js';

/** Control characters except bell, backspace, tab, the line breaks, escape and delete. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes
const UNPRINTABLE = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x80-\x9f\ufffe\uffff]/g;
const DIGIT_NAMES: Readonly<Record<string, string>> = {
  '+': 'plus',
  '0': 'zero',
  '1': 'one',
  '2': 'two',
  '3': 'three',
  '4': 'four',
  '5': 'five',
  '6': 'six',
  '7': 'seven',
  '8': 'eight',
  '9': 'nine',
};

export const text: readonly FunctionDefinition[] = [
  define('upper(text)', 'The text in upper case.', ["upper('hello')", 'HELLO'], ([t], call) => textArgument(t, call).toUpperCase()),
  define('lower(text)', 'The text in lower case.', ["lower('HELLO')", 'hello'], ([t], call) => textArgument(t, call).toLowerCase()),
  define('proper(text)', 'The text with a capital letter at the start of every word.', ["proper('mary ann')", 'Mary Ann'], ([t], call) =>
    textArgument(t, call).split(' ').map(capitalised).join(' '),
  ),
  define('trim(text)', 'The text without white space at both ends.', ["trim('  hi ')", 'hi'], ([t], call) => textArgument(t, call).trim()),
  define(
    'len(text)',
    'The number of characters.',
    ["len('zoë')", '3'],
    ([t], call) => characters(textArgument(t, call), call.budget).length,
  ),
  define('left(text, count)', 'The first `count` characters.', ["left('testing', 4)", 'test'], ([t, count], call) =>
    firstCharacters(textArgument(t, call), countArgument(count), call.budget),
  ),
  define('right(text, count)', 'The last `count` characters.', ["right('testing', 3)", 'ing'], ([t, count], call) =>
    lastCharacters(textArgument(t, call), countArgument(count), call.budget),
  ),
  define('rept(text, count)', 'The text repeated `count` times.', ["rept('ab', 3)", 'ababab'], ([t, count], call) => {
    const [piece, times] = [textArgument(t, call), countArgument(count)];
    if (times > EXPRESSION_LIMITS.list)
      throw new ExpressionError('too_costly', `${times} repetitions are too many; the maximum is ${EXPRESSION_LIMITS.list}`);
    call.budget.spendText(piece.length * times);
    return piece.repeat(times);
  }),
  define('concatenate(value...)', 'All values joined as one text.', ["concatenate('a', 1, true)", 'a1true'], (args, call) => {
    let joined = '';
    for (const arg of args) {
      joined += valueText(arg, call);
      call.budget.spendText(joined.length);
    }
    return joined;
  }),
  define(
    'substitute(text, old, new, occurrence?)',
    'The text with `old` replaced by `new`, everywhere or at one occurrence.',
    ["substitute('a-b-c', '-', '+')", 'a+b+c'],
    substitute,
  ),
  define('char(number)', 'The character with this code.', ['char(65)', 'A'], ([n]) => character(n)),
  define('unichar(number)', 'The Unicode character with this code.', ['unichar(233)', 'é'], ([n]) => character(n)),
  define('code(text)', 'The code of the first character.', ["code('A')", '65'], ([t], call) => firstCode(textArgument(t, call))),
  define('unicode(text)', 'The Unicode code of the first character.', ["unicode('é')", '233'], ([t], call) =>
    firstCode(textArgument(t, call)),
  ),
  define('clean(text)', 'The text without unprintable characters.', ["clean('AB')", 'AB'], ([t], call) =>
    textArgument(t, call).replace(UNPRINTABLE, ''),
  ),
  define(
    'read_digits(text)',
    'The digits as English words, to be read aloud.',
    ["read_digits('+271')", 'plus two seven one'],
    ([t], call) =>
      Array.from(textArgument(t, call))
        .flatMap((char) => DIGIT_NAMES[char] ?? [])
        .join(' '),
  ),
  define(
    'url_encode(text)',
    'The text encoded as one part of an address: a segment of its path, or a value of its query.',
    ["url_encode('a/b & c')", 'a%2Fb%20%26%20c'],
    ([t], call) => {
      const encoded = urlEncoded(looseText(t, call));
      call.budget.spendText(encoded.length);
      return encoded;
    },
  ),
  define(
    'whole_address(text)',
    'The text as an address that a request may use as it is, even if a contact wrote parts of it.',
    ["whole_address('https://a.example/b')", 'https://a.example/b'],
    ([t], call) => unmarked(textArgument(t, call)),
  ),
  define(
    'escape(text)',
    'The text with every @ doubled, so that it is not evaluated as an expression.',
    ["escape('a@@b.c')", 'a@@b.c'],
    ([t], call) => {
      const doubled = textArgument(t, call).replaceAll('@', '@@');
      call.budget.spendText(doubled.length);
      return doubled;
    },
  ),
];

function capitalised(word: string): string {
  const first = String.fromCodePoint(word.codePointAt(0) ?? 32);
  return word === '' ? word : first.toUpperCase() + word.slice(first.length).toLowerCase();
}

function substitute(args: Arguments, call: CallContext): string {
  const [source, old, replacement] = [textArgument(args[0], call), textArgument(args[1], call), looseText(args[2], call)];
  const pieces = old === '' ? ['', ...source, ''] : splitAt(source, old);
  call.budget.spendText(source.length + Math.max(0, pieces.length - 1) * replacement.length);
  if (isNil(args[3])) return pieces.join(replacement);
  const occurrence = integerArgument(args[3]);
  if (occurrence < 1 || occurrence >= pieces.length) return source;
  return pieces.slice(0, occurrence).join(old) + replacement + pieces.slice(occurrence).join(old);
}

function character(value: Value | undefined): string {
  const number = integerArgument(value);
  if (number < 0 || number > 0x10ffff || (number >= 0xd800 && number <= 0xdfff)) {
    throw new ExpressionError('bad_argument', `${number} is not the code of a character`);
  }
  return String.fromCodePoint(number);
}

function firstCode(value: string): number {
  const code = value.codePointAt(0);
  if (code === undefined) throw new ExpressionError('bad_argument', 'empty text has no first character');
  return code;
}
