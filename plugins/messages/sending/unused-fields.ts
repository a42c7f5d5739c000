import { isDeepStrictEqual } from 'node:util';
import { InvalidRequest, type Json, type JsonObject } from '#core';
import { messageTypes, type Posted } from '../schemas.js';

/** The fields of a message that the event about it has from its record, and the parts of other types. */
const RECORDED: ReadonlySet<string> = new Set(['to', 'type', 'preview_url', 'recipient_type', 'render_mentions', ...messageTypes]);
const MAX_CHARACTERS = 65_536;

/**
 * The posted fields that the platform does not use: those without a meaning, and the whole part of the type if it has such fields. Undefined if
 * there are none; null counts as absent. @throws InvalidRequest when they are too large to be stored
 */
export function unusedFields(raw: JsonObject, posted: Posted): JsonObject | undefined {
  const { type = 'text' } = posted;
  const used = posted[type] as unknown as Json;
  const part = raw[type] === used ? used : completed(used, raw[type]);
  const others = Object.entries(raw).filter(([name, value]) => !RECORDED.has(name) && value !== null);
  const isPartUsed = part === used || isDeepStrictEqual(part, used);
  if (others.length === 0 && isPartUsed) return undefined;
  const fields = Object.fromEntries(isPartUsed ? others : [...others, [type, part]]);
  if (JSON.stringify(fields).length > MAX_CHARACTERS) {
    const message = `fields that are not used may have at most ${MAX_CHARACTERS} characters together, as JSON`;
    throw new InvalidRequest([{ path: [], rule: 'any.invalid', message }]);
  }
  return fields;
}

/** A checked value with the fields that the check has removed. */
function completed(used: Json, raw: Json | undefined): Json {
  if (Array.isArray(used) && Array.isArray(raw)) return used.map((one, i) => completed(one, raw[i]));
  if (!isObject(used) || !isObject(raw)) return used;
  const removed = Object.entries(raw).filter(([name, value]) => !Object.hasOwn(used, name) && value !== null);
  const kept = Object.entries(used).map(([name, value]) => [name, completed(value, raw[name])] as const);
  return Object.fromEntries([...kept, ...removed]);
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
