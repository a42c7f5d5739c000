import { locale } from '../../../../core/web/language.js';

/** Dates as `YYYY-MM-DD`, without time and time zone. */

const DAY_MS = 24 * 60 * 60 * 1000;
export const EARLIEST = '1900-01-01';
export const LATEST = '2100-12-31';

const at = (date: string): Date => new Date(`${date}T00:00:00Z`);
const isoDate = (date: Date): string => date.toISOString().slice(0, 10);

export const isDate = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(at(value).getTime()) && isoDate(at(value)) === value;

export const addDays = (date: string, days: number): string => isoDate(new Date(at(date).getTime() + days * DAY_MS));

/** The same day of another month, or the last day of that month. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = partsOf(date);
  const target = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate();
  return isoDate(new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth(), Math.min(day, last))));
}

export const daysBetween = (from: string, to: string): number => Math.round((at(to).getTime() - at(from).getTime()) / DAY_MS);

export const partsOf = (date: string): [year: number, month: number, day: number] =>
  date.split('-').map(Number) as [number, number, number];

export const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
export const weekdayOf = (date: string): (typeof weekdays)[number] => weekdays[at(date).getUTCDay()]!;

/** The weeks of a month, starting on Sunday; undefined for days of the neighbouring months. */
export function weeksOf(date: string): (string | undefined)[][] {
  const [year, month] = partsOf(date);
  const first = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-01`;
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const cells: (string | undefined)[] = Array.from({ length: at(first).getUTCDay() });
  for (let day = 0; day < length; day++) cells.push(addDays(first, day));
  while (cells.length % 7 !== 0) cells.push(undefined);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat(locale ?? 'en', { timeZone: 'UTC', ...options });
  return (date: string): string => (isDate(date) ? formatter.format(at(date)) : date);
};
export const longDate = format({ dateStyle: 'full' });
export const shortDate = format({ dateStyle: 'medium' });
export const monthName = format({ month: 'long' });

export function today(): string {
  const now = new Date();
  return isoDate(new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())));
}

export const within = (date: string, min: string, max: string): string => (date < min ? min : date > max ? max : date);
