import { IS_ASCII, plainDigits } from './digits.js';
import { type AnswerLocale, decimalMark } from './locale.js';

/** A number of the expression language: an integer whose digits a double would change is a bigint. */
export type Numeric = number | bigint;

/** Longer texts are not numbers. */
const MAX_LENGTH = 400;

/** The number that decimal digits write, with a point before decimals; undefined when it is beyond the range of a double. */
export function numericOf(digits: string): Numeric | undefined {
  const number = Number(digits);
  if (!Number.isFinite(number)) return undefined;
  if (!Number.isInteger(number) || Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(digits)) return number;
  return exactInteger(BigInt(digits));
}

/** An integer as a number if a double prints the same digits. */
export function exactInteger(integer: bigint): Numeric {
  const number = Number(integer);
  return Number.isSafeInteger(number) || String(number) === String(integer) ? number : integer;
}

const SMALL = /^\d{1,15}$/;

/** A vulgar fraction such as ½, with the integer before it. */
const FRACTION = /(\d*) ?([¼-¾⅐-⅞])/g;
// Each lookbehind follows the sign that it is about, so that most positions of a text need none.
const RUN = String.raw`([.,](?<![\p{L}\p{N}.,].)\d+(?![.,]?\d)|\d+(?:[.,٫٬'’ ]\d+)*)`;
const NUMBER = new RegExp(String.raw`([+-](?<![\p{L}\p{N}_.].))?${RUN}`, 'u');
const WHOLE = new RegExp(String.raw`^([+-])?${RUN}\.?$`, 'u');

const prepared = (text: string): string =>
  IS_ASCII.test(text) ? text : plainDigits(text).replace(FRACTION, (_, whole: string, sign: string) => withFraction(whole, sign));

/** As digits with the Arabic decimal mark, which has one meaning in every locale. */
function withFraction(whole: string, sign: string): string {
  const [over = '1', under = '1'] = sign.normalize('NFKD').split('⁄');
  return String(Number(whole) + Number(over) / Number(under || '1')).replace('.', '٫');
}

/**
 * Reads a text that is a number as people type it: digits of any script, decimals after a point or comma, groups of thousands with points,
 * commas, spaces or apostrophes (also lakhs, 1,00,000), ½, and a point at the end. `1.234` and `1,234` depend on the locale; without one,
 * the point is the decimal mark. Undefined for any other text.
 */
export function readNumber(text: string, locale: AnswerLocale): Numeric | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (SMALL.test(text)) return Number(text);
  const [, sign = '', run] = WHOLE.exec(prepared(text).trim()) ?? [];
  const digits = run === undefined ? undefined : digitsOf(run, locale);
  return digits === undefined ? undefined : numericOf(sign + digits);
}

/** Whether a text that reads as a number is more likely a code or a telephone number: it begins with a plus, or with a zero before another digit. */
export const isCode = (text: string): boolean => /^(?:\+|-?0\d)/.test(plainDigits(text).trim());

/** The first number in a text. A list such as `1,5,7` or a version such as `1.2.3` has only its first digits. */
export function findNumber(text: string, locale: AnswerLocale): Numeric | undefined {
  const [, sign = '', run] = NUMBER.exec(prepared(text)) ?? [];
  if (run === undefined || run.split(' ', 1)[0]!.length > MAX_LENGTH) return undefined;
  const [beforeSpace = ''] = run.split(' ', 1);
  const digits = (run.length <= MAX_LENGTH ? digitsOf(run, locale) : undefined) ?? digitsOf(beforeSpace, locale) ?? /\d+/.exec(run)![0];
  return numericOf(sign + digits);
}

/** The digits of a number without group marks, and with a point before decimals; undefined when digits and marks are no number. */
function digitsOf(run: string, locale: AnswerLocale): string | undefined {
  if (/^[.,]/.test(run)) return `0.${run.slice(1)}`;
  const pieces = run.split(/[.,٫٬'’ ]/);
  if (pieces.length === 1) return run;
  const signs = run.replace(/\d/g, '');
  const last = signs.at(-1)!;
  const isDecimal = signs.length === 1 ? isDecimalMark(last, pieces, locale) : last !== signs.at(-2) && '.,٫'.includes(last);
  const groups = isDecimal ? pieces.slice(0, -1) : pieces;
  if (groups.length > 1 && !areGroups(groups, signs.slice(0, groups.length - 1))) return undefined;
  const integer = groups.join('');
  return isDecimal ? `${integer}.${pieces.at(-1)}` : integer;
}

/** Whether the only mark of a number is before decimals. `1.234` and `1,234` are the same number with different marks, or two numbers. */
function isDecimalMark(mark: string, pieces: readonly string[], locale: AnswerLocale): boolean {
  if (mark === '٫') return true;
  if (mark !== '.' && mark !== ',') return false;
  return areGroups(pieces, mark) ? mark === decimalMark(locale) : true;
}

/** Whether digits are groups of three, or as in India two and at the end three, with the same mark between them. The first does not begin with 0. */
function areGroups(pieces: readonly string[], signs: string): boolean {
  const [first = '', ...others] = pieces;
  if (!/^[1-9]\d{0,2}$/.test(first) || new Set(signs).size > 1) return false;
  if (others.every(({ length }) => length === 3)) return true;
  return first.length < 3 && signs[0] === ',' && others.at(-1)!.length === 3 && others.slice(0, -1).every(({ length }) => length === 2);
}
