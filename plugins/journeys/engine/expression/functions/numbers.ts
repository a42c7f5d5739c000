import type { Numeric } from '../../answers/numbers.js';
import { add, difference, multiply, numberText, power, remainder } from '../arithmetic.js';
import { binaries } from '../operators.js';
import { ExpressionError, isList, isTrue, unwrap, type Value } from '../value.js';
import {
  type Arguments,
  type CallContext,
  countArgument,
  define,
  type FunctionDefinition,
  integerArgument,
  isNil,
  listArgument,
  numberArgument,
  numericArgument,
} from './define.js';

const MAX_PLACES = 20;

export const numbers: readonly FunctionDefinition[] = [
  define('abs(number)', 'The absolute value.', ['abs(-4)', '4'], ([number]) => {
    const value = numberArgument(number);
    return value < 0 ? multiply(-1, value) : value;
  }),
  define('max(number...)', 'The largest value, ignoring nil.', ['max(3, 7, 5)', '7'], (args, call) => extreme(args, call, 1)),
  define('min(number...)', 'The smallest value, ignoring nil.', ['min(3, 7, 5)', '3'], (args, call) => extreme(args, call, -1)),
  define('sum(number...)', 'The sum, ignoring nil.', ['sum(1, 2, 3)', '6'], (args, call) =>
    spread(args, call).reduce<Numeric>((total, number) => add(total, numberArgument(number)), 0),
  ),
  define('power(base, exponent)', 'The base raised to the exponent.', ['power(2, 3)', '8'], ([base, exponent]) =>
    power(numberArgument(base), numberArgument(exponent)),
  ),
  define('rem(number, divisor)', 'The remainder of a division, with the sign of the number.', ['rem(-7, 3)', '-1'], ([number, divisor]) =>
    remainder(numberArgument(number), numberArgument(divisor)),
  ),
  define('round(number, places?)', 'The number rounded half away from zero.', ['round(2.345, 2)', '2.35'], ([number, places]) => {
    const count = isNil(places) ? 0 : placesArgument(places);
    const value = numberArgument(number);
    return typeof value === 'bigint' ? value : Number(decimals(value, count));
  }),
  define(
    'fixed(number, places, commas?)',
    'The number with this many decimals, and commas between thousands unless `commas` is false.',
    ['fixed(4000.5, 2)', '4,000.50'],
    ([number, places, commas]) => {
      const text = decimals(numberArgument(number), placesArgument(places));
      return isNil(commas) || isTrue(commas ?? null) ? withCommas(text) : text;
    },
  ),
  define('percent(number)', 'The number as a percentage without decimals.', ['percent(0.2)', '20%'], ([number]) => {
    const value = numericArgument(number);
    if (value === undefined) throw new ExpressionError('bad_argument', 'percent needs a number as its argument');
    return `${withCommas(decimals(value, 0, 2))}%`;
  }),
  define('rand()', 'A random number, 0 or more and less than 1.', ['rand() < 1', 'true'], (_, { environment }) => environment.random()),
  define('rand_between(first, last)', 'A random integer, both ends included.', ['rand_between(3, 3)', '3'], (args, call) => {
    const [first, last] = [integerArgument(args[0]), integerArgument(args[1])];
    if (last < first) throw new ExpressionError('bad_argument', 'the last number must not be less than the first');
    return first + Math.floor(call.environment.random() * (last - first + 1));
  }),
];

/** The arguments without nil. A single list is replaced by its items. */
function spread(args: Arguments, call: CallContext): readonly Value[] {
  const items = args.length === 1 && isList(unwrap(args[0] ?? null)) ? listArgument(args[0], call) : args;
  return items.filter((item) => !isNil(item));
}

/** The largest (`sign` 1) or smallest value. Numbers sort before texts, for compatibility with earlier engines. */
function extreme(args: Arguments, call: CallContext, sign: 1 | -1): Value {
  let best: Value = null;
  for (const item of spread(args, call)) {
    if (best === null || order(item, best, call) * sign > 0) best = item;
  }
  return numericArgument(best) ?? best;
}

function order(a: Value, b: Value, call: CallContext): number {
  const [left, right] = [numericArgument(a), numericArgument(b)];
  if ((left === undefined) !== (right === undefined) && typeof unwrap(left === undefined ? a : b) === 'string')
    return left === undefined ? 1 : -1;
  if (left !== undefined && right !== undefined) return difference(left, right);
  return binaries['>'](a, b, call) === true ? 1 : -1;
}

function placesArgument(places: Value | undefined): number {
  const count = countArgument(places);
  if (count > MAX_PLACES) throw new ExpressionError('bad_argument', `${count} decimals are too many; the maximum is ${MAX_PLACES}`);
  return count;
}

/**
 * Rounds the decimal text of a number half away from zero, so that 1.005 becomes 1.01 (binary rounding would give 1.00). `shift`
 * first moves the decimal point to the right.
 */
function decimals(number: Numeric, places: number, shift = 0): string {
  const [integer = '0', fraction = ''] = (typeof number === 'number' ? numberText(number) : String(number)).replace('-', '').split('.');
  const point = integer.length + shift;
  const digits = `${'0'.repeat(Math.max(0, -point))}${integer}${fraction}`;
  const before = Math.max(0, point);
  const padded = digits.padEnd(before + places + 1, '0');
  const rounded = BigInt(padded.slice(0, before + places) || '0') + (padded.charAt(before + places) >= '5' ? 1n : 0n);
  const text = rounded.toString().padStart(places + 1, '0');
  const sign = number < 0 && rounded !== 0n ? '-' : '';
  return places === 0 ? sign + text : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}

function withCommas(text: string): string {
  const [integer = '', fraction] = text.split('.');
  const grouped = integer.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
