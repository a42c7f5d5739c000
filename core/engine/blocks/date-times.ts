import type { Json } from '../../json.js';
import { dateTimeIn } from '../expression/expression.js';
import { plainValue } from '../plain-value.js';
import type { Run } from './block-type.js';

/** A number of seconds, written as a number or as an expression. */
export function secondsOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : given;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** A moment in milliseconds, written as an expression with a date or a text that is one, as expressions read dates or machines write them. */
export function dateTimeOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : null;
  return typeof value === 'string' ? dateTimeIn(value, run.timeZone) : undefined;
}
