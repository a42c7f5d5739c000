import { isDeepStrictEqual } from 'node:util';
import { PlatformError } from '#core';
import { type ScrubbingRules, scrubbingRules } from './schemas.js';

/** The kinds of an export. */
export const exportKinds = ['messages', 'statuses'] as const;
export type ExportKind = (typeof exportKinds)[number];

/** The place of a message or status in an export: those of one second are in the order in which they were recorded. */
export interface ExportPosition {
  /** Unix seconds. */
  readonly at: number;
  /** The uuid of the message, and the position of the status in it. */
  readonly uuid: string;
  readonly n: number;
}

/** An export from a place on. Nothing is stored: the cursor that the client sends back contains it. */
export interface Export {
  readonly number: string;
  readonly kind: ExportKind;
  /** Times in milliseconds; `until` is exclusive. */
  readonly from: number;
  readonly until: number;
  readonly isDescending: boolean;
  readonly size: number;
  readonly expires: number;
  readonly rules: ScrubbingRules | null;
  /** The last place of the previous page. */
  readonly after: ExportPosition | null;
}

/** The text of a cursor has only letters, digits, `-` and `_`, because clients put it into a path. */
export const cursorOf = ({ number, kind, from, until, isDescending, size, expires, rules, after }: Export): string =>
  Buffer.from(
    JSON.stringify([VERSION, number, kind, from, until, isDescending, size, expires, rules, after && [after.at, after.uuid, after.n]]),
  ).toString('base64url');

const VERSION = 1;

/**
 * Reads a cursor of the number. A client that makes one up reads only what its own token may read.
 * @throws PlatformError 404 for the cursor of another number or kind, and for one that is broken; 400 for one that has expired
 */
export function readCursor(text: string, { number, kind, now }: { number: string; kind: ExportKind; now: number }): Export {
  const read = parsed(text);
  if (!read || read.number !== number || read.kind !== kind || cursorOf(read) !== text)
    throw new PlatformError(404, 'cursor_not_found', 'There is no such cursor; create one for this number and kind');
  if (read.expires <= now) throw new PlatformError(400, 'cursor_expired', 'Cursor has expired; create another one');
  return read;
}

function parsed(text: string): Export | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 10 || value[0] !== VERSION) return undefined;
  const [, number, kind, from, until, isDescending, size, expires, rules, after] = value;
  const [at, uuid, n] = Array.isArray(after) && after.length === 3 ? after : [0, '', 0];
  const isSound =
    [from, until, size, expires, at, n].every(Number.isSafeInteger) &&
    size >= 1 &&
    size <= MAX_PAGE &&
    typeof isDescending === 'boolean' &&
    typeof uuid === 'string' &&
    (after === null || isDeepStrictEqual(after, [at, uuid, n])) &&
    (rules === null || scrubbingRules.validate(rules, { convert: false }).error === undefined);
  return isSound ? { number, kind, from, until, isDescending, size, expires, rules, after: after && { at, uuid, n } } : undefined;
}

/** The most items of a page. */
export const MAX_PAGE = 1000;
