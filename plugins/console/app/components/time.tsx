import { signal } from '@preact/signals';
import { locale } from '../../../../core/web/language.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DATE_TIME = /\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

const clockTime = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const dayAndTime = new Intl.DateTimeFormat(locale, {
  ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
});
const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** The current day by the clock of the platform, which a sandbox moves; undefined if that is the clock of the browser. */
export const platformDay = signal<string | undefined>(undefined);

/** A date-time as the time of day; with the date if it was on another day, and the year if it was in another. The title has the whole date-time. */
export function Time({ at }: { at: string }) {
  const date = new Date(at);
  const today = new Date(platformDay.value ?? Date.now());
  const isThisYear = today.getFullYear() === date.getFullYear();
  const format = today.toDateString() === date.toDateString() ? clockTime : isThisYear ? dayAndTime : dateAndTime;
  return (
    <time dateTime={at} title={at}>
      {format.format(date)}
    </time>
  );
}

const timeRange = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });

/** A time range as text, such as `5 Jan 2026, 08:00 – 09:00`. @param from in milliseconds since 1970, as is `until` */
export const rangeText = (from: number, until: number): string => timeRange.formatRange(from, until);

/** A text of the server, with its date-times as times of this browser. */
export const WithTimes = ({ text }: { text: string }) => (
  <>{text.split(DATE_TIME).map((part, at) => (at % 2 === 1 ? <Time key={`${at} ${part}`} at={part} /> : part))}</>
);

/** A duration in words, such as `31 ms`, `17 s` or `5 min`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${Math.round(ms / 100) / 10} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  return ms < DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`;
}
