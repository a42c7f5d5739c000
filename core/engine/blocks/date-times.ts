import type { Json } from '../../json.js';
import { dateTimeIn } from '../expression/expression.js';
import { plainValue } from '../plain-value.js';
import type { Run } from './block-type.js';

/** The seconds of a setting that is a number or an expression; undefined when it has no such value. */
export function secondsOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : given;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** The time in milliseconds since 1970 of a setting: an expression for a date, or for a text in a format that `dateTimeIn` reads. */
export function dateTimeOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : null;
  return typeof value === 'string' ? dateTimeIn(value, run.timeZone) : undefined;
}
