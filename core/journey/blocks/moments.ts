import { plainValue } from '../plain-value.js';
import type { Json } from '../session.js';
import type { Run } from './block-type.js';

/** A number of seconds, written as a number or as an expression. */
export function secondsOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : given;
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** A moment in milliseconds, written as an expression with a date or an ISO text; without a zone it is UTC. */
export function momentOf(run: Run, given: Json | undefined): number | undefined {
  const value = typeof given === 'string' ? plainValue(run.value(given)) : null;
  if (typeof value !== 'string') return undefined;
  const hasZone = /^\d{4}-\d{2}-\d{2}$|(Z|[+-]\d{2}:?\d{2})$/i.test(value);
  const moment = Date.parse(hasZone ? value : `${value}Z`);
  return Number.isNaN(moment) ? undefined : moment;
}
