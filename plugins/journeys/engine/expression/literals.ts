import {
  CalendarDate,
  ClockTime,
  DAY_MS,
  DAYS,
  DateTime,
  dateOfWall,
  dateText,
  dateTimeAt,
  HOUR_MS,
  isDate,
  isTime,
  MINUTE_MS,
  MONTHS,
  SECOND_MS,
  wall,
} from './calendar.js';

/** A parsed date or time. A date with a time has an offset only when the text has one. */
export type WrittenTime = CalendarDate | ClockTime | { readonly wallMs: number; readonly offset: number | undefined };

const DATE = String.raw`(?:(\d{4})([-/])(\d{2})\2(\d{2})|(\d{2})([-/])(\d{2})\6(\d{4}))`;
const TIME = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?`;
const OFFSET = String.raw`(Z|[+-]\d{2}(?::?\d{2})?)?`;
const DATE_TIME = `${DATE}(?:[T ]${TIME}${OFFSET})?`;
const dateTimeAtPosition = new RegExp(`${DATE_TIME}(?![\\w:])`, 'y');
const timeAtPosition = /(\d{2}):(\d{2})(?::(\d{2}))?(?![\w:])/y;
const timeOnly = /^(\d{1,2})(?::(\d{2})(?::(\d{2}))?)?$/;

export type Reading = { readonly value: WrittenTime; readonly end: number } | { readonly end: number; readonly value: undefined };

/** Parses a date or time literal at a position. A literal that does not exist, such as 2025-02-30, is returned without a value. */
export function readTimeLiteral(source: string, at: number): Reading | undefined {
  dateTimeAtPosition.lastIndex = at;
  const moment = dateTimeAtPosition.exec(source);
  if (moment) return { value: writtenTimeOf(moment), end: dateTimeAtPosition.lastIndex };
  timeAtPosition.lastIndex = at;
  const time = timeAtPosition.exec(source);
  if (time) return { value: clock(time[1], time[2], time[3]), end: timeAtPosition.lastIndex };
  return undefined;
}

/** Parses a text that consists of a date, with or without a time. */
export function parseDate(text: string, zone: string): CalendarDate | DateTime | undefined {
  const trimmed = text.trim();
  if (trimmed.length < 10 || trimmed.length > 40) return undefined;
  dateTimeAtPosition.lastIndex = 0;
  const match = dateTimeAtPosition.exec(trimmed);
  if (!match || match[0].length !== trimmed.length) return undefined;
  const value = writtenTimeOf(match);
  return value instanceof ClockTime ? undefined : inZone(value, zone);
}

const namePattern = (names: readonly string[]): string => names.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|');
const LOOSE_TIME = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,30}))?)?`;
const LOOSE_CLOCK = String.raw`${LOOSE_TIME}(?: *(?<offset>Z|UTC?|GMT|[+-]\d{2}(?::?\d{2})?))?`;
const yearFirst = new RegExp(
  String.raw`^(?<year>\d{4})(?<mark>[-/])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})(?:(?:T| +)${LOOSE_CLOCK})?$`,
  'i',
);
const monthNamed = new RegExp(
  String.raw`^(?:(?<weekday>${namePattern(DAYS)}), *)?(?<day>\d{1,2}) +(?<month>${namePattern(MONTHS)}) +(?<year>\d{4})(?: +${LOOSE_CLOCK})?$`,
  'i',
);

const indexOfName = (names: readonly string[], name: string): number =>
  names.findIndex((known) => known.toLowerCase().startsWith(name.toLowerCase()));

/**
 * Parses an unambiguous date in a machine format that is not a literal of the language: ISO 8601 in lower case, with spaces, finer
 * fractions or 24:00; and RFC 2822, whose day of the week must match the date.
 */
export function parseMachineDate(text: string, zone: string): CalendarDate | DateTime | undefined {
  const trimmed = text.trim();
  const parts = trimmed.length > 80 ? undefined : (yearFirst.exec(trimmed) ?? monthNamed.exec(trimmed))?.groups;
  if (!parts) return undefined;
  const { weekday, month = '', hour, minute, second = '00', fraction = '0', offset = '' } = parts;
  const date = [Number(parts.year), Number(month) || indexOfName(MONTHS, month) + 1, Number(parts.day)] as const;
  if (!isDate(...date)) return undefined;
  if (weekday !== undefined && indexOfName(DAYS, weekday) !== new Date(wall(...date)).getUTCDay()) return undefined;
  if (hour === undefined) return new CalendarDate(...date);
  const isOver = hour === '24' && /^0+$/.test(`${minute}${second}${fraction}`);
  const day = dateText(dateOfWall(wall(...date, isOver ? DAY_MS : 0)));
  const zoned = offset.replace(/^[A-Za-z]+$/, 'Z');
  return parseDate(`${day}T${isOver ? '00' : hour}:${minute}:${second}.${fraction.slice(0, 9)}${zoned}`, zone);
}

/** Parses a text that consists of a time of day: `9`, `9:30` or `09:30:15`. */
export function parseClockTime(text: string): ClockTime | undefined {
  const match = timeOnly.exec(text.trim());
  return match ? clock(match[1], match[2], match[3]) : undefined;
}

export function inZone(value: WrittenTime | undefined, zone: string): CalendarDate | DateTime | undefined {
  if (value === undefined || value instanceof ClockTime) return undefined;
  if (value instanceof CalendarDate) return value;
  return value.offset === undefined ? dateTimeAt(value.wallMs, zone) : new DateTime(value.wallMs - value.offset * MINUTE_MS);
}

function writtenTimeOf(match: RegExpExecArray | RegExpMatchArray): WrittenTime | undefined {
  const [, year, , month, day, dayFirst, , monthSecond, yearLast, hour, minute, second, fraction, zone] = match;
  const date = [Number(year ?? yearLast), Number(month ?? monthSecond), Number(day ?? dayFirst)] as const;
  if (!isDate(...date)) return undefined;
  if (hour === undefined) return new CalendarDate(...date);
  const time = clock(hour, minute, second);
  if (!time) return undefined;
  const fractionMs = fraction ? Math.floor(Number(`0.${fraction}`) * SECOND_MS) : 0;
  const timeMs = time.hour * HOUR_MS + time.minute * MINUTE_MS + time.second * SECOND_MS + fractionMs;
  const offset = offsetMinutes(zone);
  if (offset !== undefined && Math.abs(offset) * MINUTE_MS > DAY_MS) return undefined;
  return { wallMs: wall(...date, timeMs), offset };
}

function clock(hour = '0', minute = '0', second = '0'): ClockTime | undefined {
  const parts = [Number(hour), Number(minute), Number(second)] as const;
  return isTime(...parts) ? new ClockTime(...parts) : undefined;
}

export function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined;
  if (zone === 'Z') return 0;
  const digits = zone.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || '0');
  return zone.startsWith('-') ? -minutes : minutes;
}
