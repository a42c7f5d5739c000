import { createRequire } from 'node:module';
import { generations } from '../generations.js';

/** How people write numbers, dates and telephone numbers depends on these. Each is optional; see the defaults of each reader. */
export interface AnswerLocale {
  /** ISO 3166-1 alpha-2, such as `ZA`. */
  readonly country?: string | undefined;
  /** ISO 639 or BCP 47, such as `por` or `pt-BR`. */
  readonly language?: string | undefined;
}

// Loaded on first use, because it takes a fifth of the platform's import time, and most of a worker's.
const require = createRequire(import.meta.url);
export const phoneNumbers = (): PhoneNumbers => require('#phone-numbers');

/** The used part of libphonenumber-js, which our users do not install. */
interface PhoneNumbers {
  isSupportedCountry(country: string): boolean;
  parsePhoneNumberFromString(text: string, home?: string): PhoneNumber | undefined;
}

interface PhoneNumber {
  readonly number: string;
  readonly country?: string;
  isPossible(): boolean;
  isValid(): boolean;
}

const countries = generations<string | null>(10_000);

/** The country of a telephone number with country code; undefined for any other text. */
export function countryOf(address: unknown): string | undefined {
  if (typeof address !== 'string' || !/^\+?\d{7,15}$/.test(address)) return undefined;
  let country = countries.get(address);
  if (country === undefined) {
    country = phoneNumbers().parsePhoneNumberFromString(`+${address.replace('+', '')}`)?.country ?? null;
    countries.set(address, country, 1);
  }
  return country ?? undefined;
}

/** The two-letter code of a language, or its three-letter code if it has no other; undefined for any other text. */
function languageCode(language: string | undefined): string | undefined {
  if (language === undefined || !/^[a-z]{2,3}(?:[-_][a-z0-9]{2,8})*$/i.test(language)) return undefined;
  try {
    return new Intl.Locale(language.replaceAll('_', '-')).language;
  } catch {
    return undefined;
  }
}

const languages = generations<readonly string[]>(1000);

/** The languages in which a contact may write: their own, that of their country, and English. */
export function languagesOf({ language, country }: AnswerLocale): readonly string[] {
  const key = `${language ?? ''} ${country ?? ''}`;
  let found = languages.get(key);
  if (!found) {
    const ofCountry =
      country !== undefined && /^[A-Z]{2}$/.test(country) ? new Intl.Locale(`und-${country}`).maximize().language : undefined;
    found = [...new Set([languageCode(language), ofCountry, 'en'].filter((code) => code !== undefined))];
    languages.set(key, found, 1);
  }
  return found;
}

const marks = generations<'.' | ','>(1000);

/** The sign before decimals: a comma where the contact's language has one, else a point. English has a point in every country. */
export function decimalMark(locale: AnswerLocale): '.' | ',' {
  if (locale.language === undefined && locale.country === undefined) return '.';
  const [language = 'en'] = languagesOf(locale);
  if (language === 'en') return '.';
  const tag = locale.country === undefined ? language : `${language}-${locale.country}`;
  let mark = marks.get(tag);
  if (!mark) {
    const parts = new Intl.NumberFormat(tag, { numberingSystem: 'latn' }).formatToParts(1.5);
    mark = parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
    marks.set(tag, mark, 1);
  }
  return mark;
}

/** Countries where 01/02/2026 is the second of January. */
const MONTH_FIRST: ReadonlySet<string | undefined> = new Set(['US', 'PR', 'GU', 'VI', 'AS', 'MP', 'UM', 'FM', 'MH', 'PW', 'PH']);

export const isMonthFirst = ({ country }: AnswerLocale): boolean => MONTH_FIRST.has(country);
