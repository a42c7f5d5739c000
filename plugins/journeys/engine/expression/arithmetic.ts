import { exactInteger, type Numeric } from '../answers/numbers.js';
import { ExpressionError } from './value.js';

/** Rejects infinities and NaN: they are errors of the expression. */
export function finite(number: number): number {
  if (!Number.isFinite(number)) throw new ExpressionError('bad_argument', 'the result is not a finite number');
  return number;
}

function integer(value: bigint): Numeric {
  finite(Number(value));
  return exactInteger(value);
}

/** Doubles have between 15 and 17 significant digits; the last two of a result may be noise. */
const rounded = (number: number): number => Number(number.toPrecision(15));

/** Shorter texts have at most 15 digits. */
const NOISY_LENGTH = 17;
/** Digits that rounding must save: 1.1 * 100 has 17 digits, and 3 without its noise; 1 / 3 has 16, and keeps them. */
const NOISE = 4;

/** A number as decimal arithmetic would have computed it: `0.1 + 0.2` is 0.3. */
export function withoutNoise(number: number): number {
  if (Number.isInteger(number)) return number;
  const { length } = String(number);
  if (length < NOISY_LENGTH) return number;
  const short = rounded(number);
  return String(short).length <= length - NOISE ? short : number;
}

/** Doubles from here on are printed with an exponent, so their digits are not known. */
const MAX_INTEGER = 1e21;

/** Operands as integers of any size, if both are integers. A double beyond 2^53 counts as the integer that it prints. */
function integers(left: Numeric, right: Numeric): readonly [bigint, bigint] | undefined {
  const isExact = (value: Numeric): boolean => typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < MAX_INTEGER);
  return isExact(left) && isExact(right) ? [BigInt(String(left)), BigInt(String(right))] : undefined;
}

type Operation<T> = (left: T, right: T) => T;

/** An operation on numbers of any size. Only results that are not exact as doubles take longer. */
function operation(double: Operation<number>, exact: Operation<bigint>): Operation<Numeric> {
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') {
      const result = double(left, right);
      // Only integers have an integer as their result that is not exact.
      if (Number.isSafeInteger(result) || !Number.isInteger(result)) return finite(result);
    }
    const both = integers(left, right);
    return both ? integer(exact(...both)) : finite(double(Number(left), Number(right)));
  };
}

export const add = operation(
  (left, right) => left + right,
  (left, right) => left + right,
);
export const subtract = operation(
  (left, right) => left - right,
  (left, right) => left - right,
);
export const multiply = operation(
  (left, right) => left * right,
  (left, right) => left * right,
);

export function divide(left: Numeric, right: Numeric): Numeric {
  checkDivisor(right);
  const both = typeof left === 'bigint' || typeof right === 'bigint' ? integers(left, right) : undefined;
  if (both && both[0] % both[1] === 0n) return integer(both[0] / both[1]);
  return finite(Number(left) / Number(right));
}

export function remainder(left: Numeric, right: Numeric): Numeric {
  checkDivisor(right);
  const both = integers(left, right);
  if (both && (typeof left === 'bigint' || typeof right === 'bigint')) return integer(both[0] % both[1]);
  const [over, under] = [Number(left), Number(right)];
  const isDecimal = !Number.isInteger(over) || !Number.isInteger(under);
  // 0.3 % 0.1 is 0, although 0.3 / 0.1 is a little less than 3.
  return isDecimal && Number.isInteger(rounded(over / under)) ? 0 : over % under;
}

export function power(base: Numeric, exponent: Numeric): Numeric {
  const result = finite(Number(base) ** Number(exponent));
  if (Number.isSafeInteger(result)) return result;
  const both = integers(base, exponent);
  return both && both[1] >= 0n ? integer(both[0] ** both[1]) : result;
}

function checkDivisor(divisor: Numeric): void {
  if (!divisor) throw new ExpressionError('bad_argument', 'division by zero');
}

/** Negative if the left number is smaller, 0 if both are equal. Decimals are equal if their first 15 digits are. */
export function difference(left: Numeric, right: Numeric): number {
  if (typeof left === 'number' && typeof right === 'number' && !(Number.isInteger(left) && Number.isInteger(right))) {
    if (left === right || rounded(left) === rounded(right)) return 0;
  }
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A number as people write it: without noise, and without an exponent. */
export function numberText(number: number): string {
  if (Number.isSafeInteger(number)) return String(number);
  const text = String(withoutNoise(number));
  return text.includes('e') ? withoutExponent(text) : text;
}

function withoutExponent(text: string): string {
  const [, sign = '', first = '', decimals = '', exponent = ''] = /^(-?)(\d)(?:\.(\d+))?e(.+)$/.exec(text) ?? [];
  const point = Number(exponent);
  const digits = first + decimals;
  return point < 0 ? `${sign}0.${'0'.repeat(-point - 1)}${digits}` : sign + digits.padEnd(point + 1, '0');
}
