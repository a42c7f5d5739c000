import { readExactJson } from '#core/basics';
import { isCode, readNumber } from '../../answers/numbers.js';
import { numeric } from '../operators.js';
import { jsonText } from '../text.js';
import { Answer, ExpressionError, isList, isMap, isTemporal, Range, unwrap, type Value } from '../value.js';
import { characters } from './characters.js';
import { type CallContext, define, type FunctionDefinition, isNil, looseText, textArgument } from './define.js';

export const types: readonly FunctionDefinition[] = [
  define(
    'isnumber(value)',
    'Whether the value is a number, or text of one.',
    ["isnumber('1.5')", 'true'],
    ([value]) => numeric(value ?? null) !== undefined,
  ),
  define(
    'isbool(value)',
    'Whether the value is true or false.',
    ['isbool(1 = 1)', 'true'],
    ([value]) => typeof unwrap(value ?? null) === 'boolean',
  ),
  define(
    'isstring(value)',
    'Whether the value is text. The answer of a contact is not if it is a number.',
    ["isstring('a')", 'true'],
    ([value]) =>
      value instanceof Answer
        ? isCode(value.text) || readNumber(value.text, value.locale) === undefined
        : typeof unwrap(value ?? null) === 'string',
  ),
  define(
    'is_nil_or_empty(value)',
    'Whether the value is nil, empty text, an empty list or an empty map.',
    ["is_nil_or_empty('')", 'true'],
    ([value]) => {
      const plain = unwrap(value ?? null);
      if (isNil(plain) || plain === '') return true;
      if (isList(plain)) return plain.length === 0;
      return isMap(plain) && Object.keys(plain).length === 0;
    },
  ),
  define('json(value)', 'The value as JSON.', ["json(['a', 1])", '["a",1]'], ([value], call) => jsonText(value ?? null, call)),
  define(
    'parse_json(text)',
    'The value of a JSON text; nil when it is not JSON or has more than 64 levels.',
    ["parse_json('[1, 2]')[1]", '2'],
    ([value], call) => parseJson(textArgument(value, call), call),
  ),
  define(
    'count(value)',
    'The number of items of a list, keys of a map, or characters of a text.',
    ['count([4, 5])', '2'],
    ([value], call) => {
      const plain = unwrap(value ?? null);
      if (isList(plain) || plain instanceof Range) return plain.length;
      if (isMap(plain)) return Object.keys(plain).length;
      if (isTemporal(plain)) throw new ExpressionError('bad_argument', 'a date cannot be counted');
      return characters(looseText(plain, call), call.budget).length;
    },
  ),
];

function parseJson(text: string, call: CallContext): Value {
  call.budget.spendText(text.length);
  call.budget.spend((text.split(',').length - 1) >> 2);
  const { value, overflows } = readExactJson(text);
  if (overflows) call.warn(text.slice(0, 40), 'a number is too large and became nil: numbers end at 1.8e308');
  return value;
}
