import { ExpressionError, isTrue, type Value } from '../value.js';
import { type CallContext, define, type FunctionDefinition, integerArgument, isNil, textArgument } from './define.js';

export const words: readonly FunctionDefinition[] = [
  define(
    'first_word(text)',
    'The first word.',
    ["first_word('see you soon')", 'see'],
    ([t], call) => bySpaces(textArgument(t, call))[0] ?? '',
  ),
  define(
    'remove_first_word(text, separator?)',
    'The text after the first word, or after the first separator.',
    ["remove_first_word('see you soon')", 'you soon'],
    ([t, sep], call) => {
      const separator = isNil(sep) ? ' ' : textArgument(sep, call);
      const source = isNil(sep) ? textArgument(t, call).trimStart() : textArgument(t, call);
      const end = source.indexOf(separator);
      return end < 0 ? '' : source.slice(end + separator.length);
    },
  ),
  define(
    'word(text, number, by_spaces?)',
    'The word at this position; negative numbers count from the end.',
    ["word('hello cow-boy', 2)", 'cow'],
    ([t, n, spaces], call) => {
      const all = wordsOf(textArgument(t, call), spaces);
      const number = integerArgument(n);
      return all.at(number > 0 ? number - 1 : number === 0 ? -1 : number) ?? '';
    },
  ),
  define(
    'word_count(text, by_spaces?)',
    'The number of words.',
    ["word_count('hello cow-boy')", '3'],
    ([t, spaces], call) => wordsOf(textArgument(t, call), spaces).length,
  ),
  define(
    'word_slice(text, start, stop?, by_spaces?)',
    'The words from `start` up to, but not including, `stop`.',
    ["word_slice('expressions are fun', 2, 4)", 'are fun'],
    wordSlice,
  ),
  define(
    'split(text, separator?)',
    'The text split at the separator, or at white space, as a list.',
    ["split('a,b,c', ',')[1]", 'b'],
    ([t, sep], call) => {
      const source = textArgument(t, call);
      const pieces = isNil(sep) ? bySpaces(source) : source.split(textArgument(sep, call));
      call.budget.spendList(pieces.length);
      return pieces;
    },
  ),
];

const bySpaces = (text: string): readonly string[] => text.split(/\s/).filter((word) => word !== '');

/** Words end at white space and, unless `spaces` is true, at punctuation. */
const wordsOf = (text: string, spaces: Value | undefined): readonly string[] =>
  isTrue(spaces ?? null) ? bySpaces(text) : text.split(/[\s,:;!?.-]/).filter((word) => word !== '');

function wordSlice([t, from, to, spaces]: readonly Value[], call: CallContext): string {
  const start = integerArgument(from);
  if (start === 0) throw new ExpressionError('bad_argument', 'words are counted from 1');
  const source = textArgument(t, call);
  const all = isNil(to) ? bySpaces(source) : wordsOf(source, spaces);
  const first = start > 0 ? start - 1 : start;
  if (isNil(to)) return all.slice(first).join(' ');
  const stop = integerArgument(to);
  return all.slice(first, stop > 0 ? stop - 1 : stop).join(' ');
}
