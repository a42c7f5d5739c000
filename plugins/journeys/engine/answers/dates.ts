import { CalendarDate, type DateTime, HOUR_MS, isDate, MINUTE_MS, SECOND_MS, wall } from '../expression/calendar.js';
import { inZone, offsetMinutes } from '../expression/literals.js';
import { generations } from '../generations.js';
import { plainDigits } from './digits.js';
import { type AnswerLocale, isMonthFirst, languagesOf } from './locale.js';
import { timesIn } from './times.js';
import { withoutAccents } from './words.js';

/** A day in a text, the time beside it, and its place. */
interface FoundDate {
  readonly value: CalendarDate | { readonly wallMs: number; readonly offset: number | undefined };
  readonly start: number;
  readonly end: number;
}

const ORDINAL = '(?:st|nd|rd|th|er|º|\\.)?';
const WORD = String.raw`(?<![\p{L}\p{M}])[\p{L}\p{M}]{3,20}`;
const OF = '[ ,.-]{0,3}(?:(?:de|del|of) )?';
const DATE = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}/.-])(?:(?<y1>\d{4})(?<s1>[-/.])(?<m1>\d{1,2})\k<s1>(?<d1>\d{1,2})`,
    String.raw`(?<y2>\d{4}) ?[年년] ?(?<m2>\d{1,2}) ?[月월] ?(?<d2>\d{1,2}) ?[日일]?`,
    String.raw`(?<p1>\d{1,2})(?<s2>[-/.])(?<p2>\d{1,2})\k<s2>(?<y3>\d{4})`,
    String.raw`(?<d4>\d{1,2})${ORDINAL}${OF}(?<n4>${WORD})${OF}(?<y4>\d{4})`,
    String.raw`(?<n5>${WORD})[ .]{0,2}(?<d5>\d{1,2})${ORDINAL},? ?(?<y5>\d{4}))(?![\d/])(?!-\d)`,
  ].join('|'),
  'gu',
);
const AND_TIME = /^(?:T|[ ,]{1,2}(?:(?:at|um|à|às|las|kl|om) )?)(?=\d{1,2}:\d{2})/i;
const AND_OFFSET = /^(?:\.(?<fraction>\d{1,9}))?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?(?![\w:])/;
const DAY_MINUTES = 24 * 60;

/**
 * Finds dates that people type: with the year in four digits, and the month as a number or as its name in the contact's language or English.
 * `01/02/2026` is in February unless the country writes months first; `01/31/2026` and `31/01/2026` are unambiguous.
 */
export function* datesIn(written: string, locale: AnswerLocale): Generator<FoundDate> {
  const text = plainDigits(written);
  for (const found of text.matchAll(DATE)) {
    const date = dateOf(found.groups ?? {}, locale);
    if (!date) continue;
    const end = found.index + found[0].length;
    yield { start: found.index, ...withTime(date, text, end) };
  }
}

/** The first date in a text. @param zone of a time without an offset */
export function findDate(text: string, locale: AnswerLocale, zone: string): CalendarDate | DateTime | undefined {
  const [first] = datesIn(text, locale);
  return first && inZone(first.value, zone);
}

/** Reads a text that is a date as people type it, with or without a time; undefined for any other text. */
export function readDate(written: string, locale: AnswerLocale, zone: string): CalendarDate | DateTime | undefined {
  const text = plainDigits(written).trim();
  if (text.length > 80) return undefined;
  const [first] = datesIn(text, locale);
  return first?.start === 0 && /^\.?$/.test(text.slice(first.end)) ? inZone(first.value, zone) : undefined;
}

function dateOf(parts: Readonly<Record<string, string | undefined>>, locale: AnswerLocale): CalendarDate | undefined {
  const year = yearOf(Number(parts.y1 ?? parts.y2 ?? parts.y3 ?? parts.y4 ?? parts.y5), locale);
  if (year === undefined) return undefined;
  const { p1, p2 } = parts;
  if (p1 !== undefined && p2 !== undefined) {
    const orders = [[p1, p2] as const, [p2, p1] as const];
    const [day, month] =
      (isMonthFirst(locale) ? orders.reverse() : orders).find(([day, month]) => isDate(year, Number(month), Number(day))) ?? [];
    return day === undefined ? undefined : new CalendarDate(year, Number(month), Number(day));
  }
  const name = parts.n4 ?? parts.n5;
  const month = name === undefined ? Number(parts.m1 ?? parts.m2) : monthsOf(locale).get(folded(name));
  const day = Number(parts.d1 ?? parts.d2 ?? parts.d4 ?? parts.d5);
  return month !== undefined && isDate(year, month, day) ? new CalendarDate(year, month, day) : undefined;
}

/** The Gregorian year. Buddhist years of Thailand are converted; years of the Persian calendar are not read. */
function yearOf(year: number, locale: AnswerLocale): number | undefined {
  const languages = languagesOf(locale);
  if (languages.includes('th') && year > 2400) return year - 543;
  return languages.includes('fa') && year < 1600 ? undefined : year;
}

/** Adds the time that follows a date, if there is one. */
function withTime(date: CalendarDate, text: string, end: number): Pick<FoundDate, 'value' | 'end'> {
  const before = AND_TIME.exec(text.slice(end, end + 12))?.[0];
  const start = end + (before?.length ?? 0);
  const [found] = before === undefined ? [] : timesIn(text.slice(start, start + 60));
  if (found?.start !== 0) return { value: date, end };
  const { hour, minute, second } = found.time;
  const { 0: rest = '', groups = {} } = AND_OFFSET.exec(text.slice(start + found.end, start + found.end + 20)) ?? {};
  const offset = offsetMinutes(groups.offset);
  if (offset !== undefined && Math.abs(offset) > DAY_MINUTES) return { value: date, end };
  const timeMs = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + Math.floor(Number(`0.${groups.fraction ?? 0}`) * SECOND_MS);
  return { value: { wallMs: wall(date.year, date.month, date.day, timeMs), offset }, end: start + found.end + rest.length };
}

const folded = (word: string): string => withoutAccents(word.toLowerCase()).replace(/\.$/, '');
const months = generations<ReadonlyMap<string, number>>(1000);

/** The months by their names and abbreviations, in the languages in which the contact may write. */
function monthsOf(locale: AnswerLocale): ReadonlyMap<string, number> {
  const languages = languagesOf(locale);
  const key = languages.join(' ');
  let names = months.get(key);
  if (!names) {
    const named = new Map<string, number>();
    for (const language of languages.toReversed()) {
      for (const options of [{ month: 'long' }, { month: 'long', day: 'numeric' }, { month: 'short' }] as const) {
        const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC', calendar: 'gregory' });
        for (let month = 1; month <= 12; month++) {
          const name = format.formatToParts(wall(2026, month, 15)).find(({ type }) => type === 'month')?.value ?? '';
          if (!/\d/.test(name)) named.set(folded(name), month);
        }
      }
    }
    months.set(key, named, 1);
    names = named;
  }
  return names;
}
