import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type JsonObject } from '#core';
import { messageTypes, type Posted } from '../schemas.js';

/** The fields of a message that the event about it has from its record, and the parts of other types. */
const RECORDED: ReadonlySet<string> = new Set(['to', 'type', 'preview_url', 'recipient_type', 'render_mentions', ...messageTypes]);
const MAX_CHARACTERS = 65_536;

/**
 * The posted fields that the platform does not use: those without a meaning, and the part of the type if it has any. Undefined if there are
 * none. @throws InvalidRequest when they are too large to be stored
 */
export function unusedFields(raw: JsonObject, posted: Posted): JsonObject | undefined {
  const { type = 'text' } = posted;
  const others = Object.entries(raw).filter(([name]) => !RECORDED.has(name));
  const isPartUsed = raw[type] === posted[type] || isDeepStrictEqual(raw[type], posted[type]);
  if (others.length === 0 && isPartUsed) return undefined;
  const fields = Object.fromEntries(isPartUsed ? others : [...others, [type, raw[type]!]]);
  if (JSON.stringify(fields).length > MAX_CHARACTERS) {
    const message = `fields that are not used may have at most ${MAX_CHARACTERS} characters together, as JSON`;
    throw new InvalidRequest([{ path: [], rule: 'any.invalid', message }]);
  }
  return fields;
}
