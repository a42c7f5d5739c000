import {
  DAY_MS,
  DAYS,
  DateTime,
  dateTimeAt,
  HOUR_MS,
  isDate,
  isTime,
  MINUTE_MS,
  MONTHS,
  offsetText,
  SECOND_MS,
  wall,
  wallOf,
} from './calendar.js';

/** The wall-clock fields of a date-time. */
interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly afternoon?: boolean;
  /** Minutes east of UTC. */
  readonly offset?: number;
}

interface Directive {
  readonly write: (date: Date, offset: number, zone: string) => string;
  /** The pattern for reading; absent when the directive can only be written. */
  readonly pattern?: string;
  readonly read: (text: string) => Partial<Parts>;
}

const nothing = (): Partial<Parts> => ({});
const year = (number: number): Partial<Parts> => ({ year: number });
const shortYear = (number: number): Partial<Parts> => ({ year: number + (number < 70 ? 2000 : 1900) });
const month = (number: number): Partial<Parts> => ({ month: number });
const day = (number: number): Partial<Parts> => ({ day: number });
const hour = (number: number): Partial<Parts> => ({ hour: number });
const minute = (number: number): Partial<Parts> => ({ minute: number });
const second = (number: number): Partial<Parts> => ({ second: number });

const number = (width: number, fill: string, value: (date: Date) => number, read: (number: number) => Partial<Parts>): Directive => ({
  write: (date) => String(value(date)).padStart(width, fill),
  pattern: String.raw`\s*\d{1,${width}}`,
  read: (text) => read(Number(text)),
});

const name = (
  names: readonly string[],
  length: number,
  of: (date: Date) => number,
  read: (index: number) => Partial<Parts>,
): Directive => ({
  write: (date) => (names[of(date)] ?? '').slice(0, length),
  pattern: names.map((name) => name.slice(0, length)).join('|'),
  read: (text) => read(names.findIndex((name) => name.slice(0, length).toLowerCase() === text.toLowerCase())),
});

const fixed = (text: string, pattern = text): Directive => ({ write: () => text, pattern, read: nothing });

const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12;
const dayOfYear = (date: Date): number => Math.floor((date.getTime() - wall(date.getUTCFullYear(), 1, 1)) / DAY_MS) + 1;
const monthOf = (date: Date): number => date.getUTCMonth();
const weekdayOf = (date: Date): number => date.getUTCDay();
const monthNamed = (index: number): Partial<Parts> => month(index + 1);

const meridiem = (am: string, pm: string): Directive => ({
  write: (date) => (date.getUTCHours() < 12 ? am : pm),
  pattern: '[ap]m',
  read: (text) => ({ afternoon: text.toLowerCase() === 'pm' }),
});

const zoneOffset = (separator: string): Directive => ({
  write: (_, offset) => offsetText(offset, separator),
  pattern: String.raw`Z|[+-]\d{2}:?\d{2}`,
  read: (text) => {
    const minutes = text === 'Z' ? 0 : Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
    return { offset: text.startsWith('-') ? -minutes : minutes };
  },
});

const directives: Readonly<Record<string, Directive>> = {
  Y: number(4, '0', (date) => date.getUTCFullYear(), year),
  y: number(2, '0', (date) => date.getUTCFullYear() % 100, shortYear),
  m: number(2, '0', (date) => date.getUTCMonth() + 1, month),
  d: number(2, '0', (date) => date.getUTCDate(), day),
  e: number(2, ' ', (date) => date.getUTCDate(), day),
  H: number(2, '0', (date) => date.getUTCHours(), hour),
  k: number(2, ' ', (date) => date.getUTCHours(), hour),
  I: number(2, '0', hour12, hour),
  l: number(2, ' ', hour12, hour),
  M: number(2, '0', (date) => date.getUTCMinutes(), minute),
  S: number(2, '0', (date) => date.getUTCSeconds(), second),
  j: number(3, '0', dayOfYear, nothing),
  u: number(1, '0', (date) => date.getUTCDay() || 7, nothing),
  w: number(1, '0', weekdayOf, nothing),
  B: name(MONTHS, 20, monthOf, monthNamed),
  b: name(MONTHS, 3, monthOf, monthNamed),
  A: name(DAYS, 20, weekdayOf, nothing),
  a: name(DAYS, 3, weekdayOf, nothing),
  p: meridiem('AM', 'PM'),
  P: meridiem('am', 'pm'),
  z: zoneOffset(''),
  ':z': zoneOffset(':'),
  Z: { write: (_, offset, zone) => (offset === 0 ? 'UTC' : zone), pattern: '[A-Za-z/_]+', read: nothing },
  s: { write: (date, offset) => String(Math.floor((date.getTime() - offset * MINUTE_MS) / SECOND_MS)), read: nothing },
  '%': fixed('%'),
  n: fixed('\n', String.raw`\s+`),
  t: fixed('\t', String.raw`\s+`),
};

/** Directives that are replaced by several others. */
const shortcuts: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  c: '%a %b %e %H:%M:%S %Y',
  x: '%Y-%m-%d',
  X: '%H:%M:%S',
};

const DIRECTIVE = /%(?:([-_0]?)(:z|[A-Za-z%]))/g;

const expand = (format: string): string => format.replace(/%([FTRDcxX])/g, (_, letter: string) => shortcuts[letter] ?? '').slice(0, 1000);

/** Formats a date-time. Text that is not a directive is copied. */
export function formatDateTime(moment: DateTime, format: string, zone: string): string {
  const wallMs = wallOf(moment, zone);
  const date = new Date(wallMs);
  const offset = Math.round((wallMs - moment.ms) / MINUTE_MS);
  return expand(format).replace(DIRECTIVE, (whole, flag: string, name: string) => {
    const text = directives[name]?.write(date, offset, zone);
    if (text === undefined) return whole;
    return flag === '-' ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

/** Parses a date-time in a format; undefined when the text does not match. */
export function readDateTime(text: string, format: string, zone: string): DateTime | undefined {
  const readers: Directive[] = [];
  let pattern = '';
  let from = 0;
  const expanded = expand(format);
  for (const match of expanded.matchAll(DIRECTIVE)) {
    const directive = directives[match[2] ?? ''];
    if (!directive?.pattern) return undefined;
    pattern += `${literal(expanded.slice(from, match.index))}(${directive.pattern})`;
    readers.push(directive);
    from = match.index + match[0].length;
  }
  pattern += literal(expanded.slice(from));
  const found = text.length > 200 || readers.length > 20 ? null : new RegExp(`^${pattern}$`, 'i').exec(text);
  if (!found) return undefined;
  let parts: Parts = { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0 };
  for (const [i, directive] of readers.entries()) parts = { ...parts, ...directive.read((found[i + 1] ?? '').trim()) };
  return dateTimeOfParts(parts, zone);
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

function dateTimeOfParts({ year, month, day, hour, minute, second, afternoon, offset }: Parts, zone: string): DateTime | undefined {
  const clock = afternoon === undefined ? hour : (hour % 12) + (afternoon ? 12 : 0);
  if (!isDate(year, month, day) || !isTime(clock, minute, second)) return undefined;
  const wallMs = wall(year, month, day, clock * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS);
  return offset === undefined ? dateTimeAt(wallMs, zone) : new DateTime(wallMs - offset * MINUTE_MS);
}
