import { readTime } from '../../answers/times.js';
import {
  addMonths,
  CalendarDate,
  ClockTime,
  DAY_MS,
  DateTime,
  dateOfWall,
  dateTimeAt,
  HOUR_MS,
  isDate,
  isTime,
  MINUTE_MS,
  PARTS,
  SECOND_MS,
  wallClockOf,
  wallOf,
  wallOfDate,
} from '../calendar.js';
import { parseClockTime } from '../literals.js';
import { dateOf, dateTimeOf } from '../operators.js';
import { formatDateTime, readDateTime } from '../strftime.js';
import { Answer, ExpressionError, unwrap, type Value } from '../value.js';
import {
  type CallContext,
  dateArgument,
  dateTimeArgument,
  define,
  type FunctionDefinition,
  integerArgument,
  isNil,
  textArgument,
} from './define.js';

export const dates: readonly FunctionDefinition[] = [
  define('now()', 'The current date and time.', ['year(now()) > 2000', 'true'], (_, { environment }) => new DateTime(environment.now)),
  define('today()', 'The current date.', ['today() = today()', 'true'], (_, { environment }) =>
    dateOfDateTime(new DateTime(environment.now), environment.timeZone),
  ),
  define('date(year, month, day)', 'The date with this year, month and day.', ['date(2022, 1, 31)', '2022-01-31'], ([year, month, day]) => {
    const parts = [integerArgument(year), integerArgument(month), integerArgument(day)] as const;
    if (!isDate(...parts)) throw new ExpressionError('bad_argument', 'this date does not exist');
    return new CalendarDate(...parts);
  }),
  define(
    'time(hour, minute, second)',
    'The time of day with this hour, minute and second.',
    ['time(9, 5, 0)', '09:05:00'],
    ([hour, minute, second]) => {
      const parts = [integerArgument(hour), integerArgument(minute), integerArgument(second)] as const;
      if (!isTime(...parts)) throw new ExpressionError('bad_argument', 'this time does not exist');
      return new ClockTime(...parts);
    },
  ),
  define('timevalue(text)', 'The time of day in a text.', ["timevalue('2:30')", '02:30:00'], ([text], call) => {
    const written = textArgument(text, call);
    const time = parseClockTime(written) ?? readTime(written);
    if (!time) throw new ExpressionError('bad_argument', 'the text is not a time such as 9:30');
    return time;
  }),
  define(
    'datevalue(date, format?)',
    'Formats a date as text; `.date` and `.datetime` are its typed values.',
    ["datevalue('2022-01-31', '%d %B %Y')", '31 January 2022'],
    datevalue,
  ),
  define(
    'parse_datevalue(text, format)',
    'The date and time in a text with this format; nil if the text does not match.',
    ["parse_datevalue('29/02/16 22:25', '%d/%m/%y %H:%M')", '2016-02-29T22:25:00Z'],
    ([text, format], call) => readDateTime(textArgument(text, call), textArgument(format, call), call.timeZone) ?? null,
  ),
  define(
    'datetime_add(date, count, unit)',
    'Adds to a date, or subtracts with a negative count; the unit is Y, M, W, D, h, m or s.',
    ["datetime_add('2022-01-31', 1, 'M')", '2022-02-28T00:00:00Z'],
    datetimeAdd,
  ),
  define(
    'edate(date, months)',
    'The date that is `months` months later.',
    ["edate('2022-10-10', 1)", '2022-11-10'],
    ([date, months], call) => {
      const start = dateArgument(date, call);
      if (start instanceof CalendarDate) return onCalendar(addMonths(start, integerArgument(months)));
      return shiftWall(start, call, (day) => addMonths(day, integerArgument(months)));
    },
  ),
  ...(
    [
      ['year', 'The year of a date; `date.year` too.', ["year('2022-09-10')", '2022']],
      ['month', 'The month of a date, from 1.', ["month('2022-09-10')", '9']],
      ['day', 'The day of the month.', ["day('2022-09-10')", '10']],
      ['weekday', 'The day of the week: 1 is Sunday, 7 is Saturday.', ['weekday(2022-11-06)', '1']],
      ['hour', 'The hour of a time.', ["hour('10:30')", '10']],
      ['minute', 'The minute of a time.', ["minute('10:30')", '30']],
      ['second', 'The second of a time.', ["second('10:30:15')", '15']],
    ] as const satisfies readonly (readonly [keyof typeof PARTS, string, readonly [string, string]])[]
  ).map(([name, summary, example]) =>
    define(`${name}(date)`, summary, example, ([value], call) => PARTS[name](wallClockOf(timeArgument(value, call), call.timeZone))),
  ),
];

export const dateOfDateTime = (moment: DateTime, zone: string): CalendarDate => dateOfWall(wallOf(moment, zone));

function timeArgument(value: Value | undefined, call: CallContext): CalendarDate | DateTime | ClockTime {
  const plain = unwrap(value ?? null);
  const time = typeof plain === 'string' ? (parseClockTime(plain) ?? readTime(plain)) : plain;
  return time instanceof ClockTime ? time : dateArgument(value, call);
}

function datevalue([value, format]: readonly Value[], call: CallContext): Value {
  const date = dateOf(value instanceof Answer ? value : unwrap(value ?? null), call.timeZone);
  if (!date) return null;
  const datetime = dateTimeOf(date, call.timeZone);
  const text = formatDateTime(datetime, isNil(format) ? '%Y-%m-%d %H:%M:%S' : textArgument(format, call), call.timeZone);
  return { __value__: text, date: dateOfDateTime(datetime, call.timeZone), datetime };
}

const fixedUnits: Readonly<Record<string, number>> = { h: HOUR_MS, m: MINUTE_MS, s: SECOND_MS };

const calendarUnits: Readonly<Record<string, (date: CalendarDate, count: number) => CalendarDate>> = {
  Y: (date, count) => addMonths(date, count * 12),
  M: addMonths,
  W: (date, count) => dateOfWall(wallOfDate(date) + count * 7 * DAY_MS),
  D: (date, count) => dateOfWall(wallOfDate(date) + count * DAY_MS),
};

function datetimeAdd([date, count, unit]: readonly Value[], call: CallContext): DateTime {
  const start = dateTimeArgument(date, call);
  const number = integerArgument(count);
  const name = textArgument(unit, call);
  const fixed = Object.hasOwn(fixedUnits, name) ? fixedUnits[name] : undefined;
  if (fixed !== undefined) return inRange(new DateTime(start.ms + number * fixed));
  const shift = Object.hasOwn(calendarUnits, name) ? calendarUnits[name] : undefined;
  if (!shift) throw new ExpressionError('bad_argument', `"${name.slice(0, 20)}" is not a unit; use Y, M, W, D, h, m or s`);
  return shiftWall(start, call, (day) => shift(day, number));
}

/** Shifts the day and keeps the wall-clock time, also across daylight-saving changes. */
function shiftWall(moment: DateTime, call: CallContext, shift: (date: CalendarDate) => CalendarDate): DateTime {
  const wallMs = wallOf(moment, call.timeZone);
  const day = dateOfWall(wallMs);
  return inRange(dateTimeAt(wallOfDate(onCalendar(shift(day))) + (wallMs - wallOfDate(day)), call.timeZone));
}

function onCalendar(date: CalendarDate): CalendarDate {
  if (!isDate(date.year, date.month, date.day)) throw new ExpressionError('bad_argument', 'the date is out of range: years are 1 to 9999');
  return date;
}

function inRange(moment: DateTime): DateTime {
  const { year, month, day } = dateOfWall(moment.ms);
  if (!isDate(year, month, day)) throw new ExpressionError('bad_argument', 'the date is out of range: years are 1 to 9999');
  return moment;
}
