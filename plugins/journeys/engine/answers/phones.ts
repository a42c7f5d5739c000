import { datesIn } from './dates.js';
import { plainDigits } from './digits.js';
import { type AnswerLocale, phoneNumbers } from './locale.js';

/** An amount such as 1.500.000, or something like a date. */
const OTHER = /^[1-9]\d{0,2}(?:\.\d{3})+$|\/.*\//;
const CANDIDATE = /\+? ?\(?\d[\d ()./-]{3,28}\d/g;
/** Numbers without a country code are at least this long; shorter ones are codes, amounts or years. */
const MIN_DIGITS = 7;
const MAX_LENGTH = 200;

/**
 * The first telephone number in a text, with its country code. A number that is written without `+` must be valid in the country of the
 * locale; dates are not telephone numbers.
 */
export function findPhone(written: string, locale: AnswerLocale): string | undefined {
  const text = plainDigits(written).trim().slice(0, MAX_LENGTH);
  const dates = [...datesIn(text, locale)];
  const { isSupportedCountry, parsePhoneNumberFromString } = phoneNumbers();
  const country = locale.country?.toUpperCase();
  const home = country !== undefined && isSupportedCountry(country) ? country : undefined;
  for (const { 0: candidate, index } of text.matchAll(CANDIDATE)) {
    if (OTHER.test(candidate)) continue;
    if (dates.some(({ start, end }) => start < index + candidate.length && end > index)) continue;
    const number = parsePhoneNumberFromString(candidate, home);
    if (!number) continue;
    const isInternational = candidate.startsWith('+');
    if (isInternational ? number.isPossible() : number.isValid() && candidate.replace(/\D/g, '').length >= MIN_DIGITS) return number.number;
  }
  return undefined;
}
