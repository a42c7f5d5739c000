import { folded, foldedInside, matchingWords, wantedWords } from '../../answers/words.js';
import { equal } from '../operators.js';
import type { Value } from '../value.js';
import { type Arguments, type CallContext, define, type FunctionDefinition, listArgument, looseText } from './define.js';

/** Functions that test a text. They treat nil as empty text. */
export const phrases: readonly FunctionDefinition[] = [
  define(
    'has_text(text)',
    'Whether the text has anything except white space.',
    ["has_text(' hi ')", 'true'],
    ([t], call) => looseText(t, call).trim() !== '',
  ),
  define(
    'has_phrase(text, phrase)',
    'Whether the text contains the phrase, ignoring case.',
    ["has_phrase('Hello', 'ELL')", 'true'],
    ([t, phrase], call) => insideText(t, call).includes(insideText(phrase, call)),
  ),
  define(
    'has_any_phrase(text, phrases)',
    'Whether the text contains one of the phrases, ignoring case.',
    ["has_any_phrase('Hello', ['x', 'ell'])", 'true'],
    ([t, list], call) => {
      const text = insideText(t, call);
      return listArgument(list, call).some((phrase) => text.includes(insideText(phrase, call)));
    },
  ),
  define(
    'has_only_phrase(text, phrase)',
    'Whether the text equals the phrase, ignoring case.',
    ["has_only_phrase('Yes', 'yes')", 'true'],
    ([t, phrase], call) => wholeText(t, call) === wholeText(phrase, call),
  ),
  define(
    'has_any_exact_phrase(text, phrases)',
    'Whether the text equals one of the phrases, ignoring case.',
    ["has_any_exact_phrase('Yes', ['no', 'yes'])", 'true'],
    ([t, list], call) => {
      const text = wholeText(t, call);
      return listArgument(list, call).some((phrase) => text === wholeText(phrase, call));
    },
  ),
  define(
    'has_only_text(text, other)',
    'Whether both texts are equal, including case.',
    ["has_only_text('yes', 'Yes')", 'false'],
    ([t, other], call) => equal(t ?? null, other ?? null, call) && looseText(t, call) === looseText(other, call),
  ),
  define(
    'has_beginning(text, beginning)',
    'Whether the text starts with `beginning`, ignoring case.',
    ["has_beginning('Hello', 'he')", 'true'],
    ([t, beginning], call) => insideText(t, call).startsWith(insideText(beginning, call)),
  ),
  define(
    'has_all_words(text, words)',
    'Whether the text contains every word, ignoring case.',
    ["has_all_words('the quick fox', 'fox the')", 'true'],
    ([t, wanted], call) => {
      const text = insideText(t, call);
      const words = wantedWords(looseText(wanted, call));
      call.budget.spend((words.length * text.length) >> 10);
      return words.every((word) => text.includes(word));
    },
  ),
  define(
    'has_any_word(text, words)',
    'Whether the text contains one of the words, ignoring case; `.match` contains the words found.',
    ["has_any_word('The Quick Fox', 'fox quick').match", 'Quick Fox'],
    anyWord,
  ),
];

/** For phrases in a text: an author may write spaces around one, so that it is not found inside a word. */
const insideText = (value: Value | undefined, call: CallContext): string => foldedInside(looseText(value, call));
const wholeText = (value: Value | undefined, call: CallContext): string => folded(looseText(value, call));

function anyWord([t, wanted]: Arguments, call: CallContext): Value {
  const matches = matchingWords(looseText(t, call), wantedWords(looseText(wanted, call)));
  return { __value__: matches.length > 0, match: matches.length > 0 ? matches.join(' ') : null };
}
