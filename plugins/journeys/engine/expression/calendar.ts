/** English names; the first three letters are the abbreviations. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A day, without a time. */
export class CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;

  constructor(year: number, month: number, day: number) {
    this.year = year;
    this.month = month;
    this.day = day;
  }
}

/** A date with a time, in milliseconds since 1970. Its text depends on the time zone of the environment. */
export class DateTime {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }
}

/** A time of day, without a day. */
export class ClockTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;

  constructor(hour: number, minute: number, second: number) {
    this.hour = hour;
    this.minute = minute;
    this.second = second;
  }
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A wall-clock time as milliseconds, as if it were in UTC. Does not use `Date.UTC`, which maps the years 0 to 99 to 1900 to 1999.
 */
export function wall(year: number, month: number, day: number, timeMs = 0): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) + timeMs;
}

export const dateOfWall = (wallMs: number): CalendarDate => {
  const date = new Date(wallMs);
  return new CalendarDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
};

export const wallOfDate = (date: CalendarDate): number => wall(date.year, date.month, date.day);

const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

const lastDayOf = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : (LAST_DAYS[month - 1] ?? 0));

export const isDate = (year: number, month: number, day: number): boolean =>
  year >= 1 && year <= 9999 && day >= 1 && day <= lastDayOf(year, month);

export const isTime = (hour: number, minute: number, second: number): boolean =>
  hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 59;

/** Adds months to a date, clamped to the last day of the month. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const count = date.year * 12 + (date.month - 1) + months;
  const year = Math.floor(count / 12);
  const month = (((count % 12) + 12) % 12) + 1;
  return new CalendarDate(year, month, Math.min(date.day, lastDayOf(year, month)));
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

export const dateText = (date: CalendarDate): string =>
  `${String(date.year).padStart(4, '0')}-${twoDigits(date.month)}-${twoDigits(date.day)}`;

export const timeText = (time: ClockTime): string => `${twoDigits(time.hour)}:${twoDigits(time.minute)}:${twoDigits(time.second)}`;

const DAY_PARTS = {
  year: (wallClock: Date) => wallClock.getUTCFullYear(),
  month: (wallClock: Date) => wallClock.getUTCMonth() + 1,
  day: (wallClock: Date) => wallClock.getUTCDate(),
  /** 1 is Sunday, 7 is Saturday. */
  weekday: (wallClock: Date) => wallClock.getUTCDay() + 1,
};
const TIME_PARTS = {
  hour: (wallClock: Date) => wallClock.getUTCHours(),
  minute: (wallClock: Date) => wallClock.getUTCMinutes(),
  second: (wallClock: Date) => wallClock.getUTCSeconds(),
};

/** Reads a part of a date or time from what `wallClockOf` returns. */
export const PARTS = { ...DAY_PARTS, ...TIME_PARTS };

/** The wall-clock time of a value in a zone, as the UTC fields of a `Date`: a time of day on 1 January 1970, a date at midnight. */
export function wallClockOf(value: CalendarDate | DateTime | ClockTime, zone: string): Date {
  if (value instanceof ClockTime) return new Date(value.hour * HOUR_MS + value.minute * MINUTE_MS + value.second * SECOND_MS);
  return new Date(value instanceof CalendarDate ? wallOfDate(value) : wallOf(value, zone));
}

/** A part of a value by its case-insensitive name; undefined when the value has no such part, such as the hour of a date. */
export function partOf(value: CalendarDate | DateTime | ClockTime, name: string, zone: string): number | undefined {
  const parts = value instanceof CalendarDate ? DAY_PARTS : value instanceof ClockTime ? TIME_PARTS : PARTS;
  const key = name.toLowerCase();
  return Object.hasOwn(parts, key) ? PARTS[key as keyof typeof PARTS](wallClockOf(value, zone)) : undefined;
}

/** ISO 8601 in a zone; with milliseconds only when they are not zero. */
export function dateTimeText(moment: DateTime, zone: string): string {
  const offset = offsetAt(zone, moment.ms);
  const iso = new Date(moment.ms + offset * MINUTE_MS).toISOString().replace('.000', '');
  return offset === 0 ? iso : iso.replace('Z', offsetText(offset));
}

export const offsetText = (minutes: number, separator = ':'): string =>
  `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(Math.abs(minutes) / 60))}${separator}${twoDigits(Math.abs(minutes) % 60)}`;

/** The wall-clock time of a date-time in a zone. */
export const wallOf = (moment: DateTime, zone: string): number => moment.ms + offsetAt(zone, moment.ms) * MINUTE_MS;

/**
 * The date-time for a wall-clock time in a zone. In the hour that is repeated in autumn, the first of the two; in the hour that is
 * skipped in spring, one hour later.
 */
export function dateTimeAt(wallMs: number, zone: string): DateTime {
  // Offsets are less than a day, so these two are certainly before and after a change of the clock.
  const [before, after] = [offsetAt(zone, wallMs - DAY_MS), offsetAt(zone, wallMs + DAY_MS)];
  const [first, second] = [wallMs - before * MINUTE_MS, wallMs - after * MINUTE_MS];
  return new DateTime(offsetAt(zone, first) === before || offsetAt(zone, second) !== after ? first : second);
}

/** Zones change their offset only at whole quarters of an hour, so offsets can be cached per quarter. */
const QUARTER_MS = 15 * MINUTE_MS;
const CACHED_QUARTERS = 10_000;

interface Zone {
  readonly format: Intl.DateTimeFormat | null;
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone>();

/** The offset of a zone in minutes east of UTC. Unknown zones count as UTC. */
function offsetAt(name: string, ms: number): number {
  if (name === 'UTC' || name === '') return 0;
  let zone = zones.get(name);
  if (!zone) {
    zone = { format: formatFor(name), offsets: new Map() };
    zones.set(name, zone);
  }
  const quarter = Math.floor(ms / QUARTER_MS);
  let offset = zone.offsets.get(quarter);
  if (offset === undefined) {
    offset = zone.format ? offsetShown(zone.format, quarter * QUARTER_MS) : 0;
    if (zone.offsets.size >= CACHED_QUARTERS) zone.offsets.clear();
    zone.offsets.set(quarter, offset);
  }
  return offset;
}

function offsetShown(format: Intl.DateTimeFormat, ms: number): number {
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(ms)) part[type] = Number(value);
  const shown = wall(part.year ?? 0, part.month ?? 1, part.day ?? 1, (part.hour ?? 0) * HOUR_MS + (part.minute ?? 0) * MINUTE_MS);
  return Math.round((shown - ms) / MINUTE_MS);
}

function formatFor(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  } catch {
    return null;
  }
}
