import type { Json } from '#core/basics';
import { plainValue } from '../compile.js';
import { dateTimeIn } from '../expression/expression.js';
import type { Run } from './block-type.js';

/** Reads a number of seconds from a setting, which may be an expression; undefined when its value is not a number. */
export function secondsOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : given;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Reads a date from a setting, as milliseconds since 1970. The setting is an expression for a date, or for text that `dateTimeIn` parses. */
export function dateTimeOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : null;
  return typeof value === 'string' ? dateTimeIn(value, run.timeZone) : undefined;
}
