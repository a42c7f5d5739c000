import type { Json, JsonObject } from '#core';

/** A value of the context that a turn added, changed or removed. */
export interface ContextChange {
  /** The names of the objects around the value, and its own name last. */
  readonly path: string[];
  readonly change: 'added' | 'changed' | 'removed';
  readonly before?: Json;
  readonly after?: Json;
}

/** Authors read the changes; further ones are left out. */
const MAX_CHANGES = 500;

/** The differences between two contexts, in the order of the newer one. Lists are compared as a whole. */
export function changesOf(before: JsonObject, after: JsonObject): ContextChange[] {
  const changes: ContextChange[] = [];
  compare(before, after, [], changes);
  return changes;
}

function compare(before: JsonObject, after: JsonObject, path: readonly string[], changes: ContextChange[]): void {
  for (const name of new Set([...Object.keys(after), ...Object.keys(before)])) {
    if (changes.length === MAX_CHANGES) return;
    const at = [...path, name];
    const [old, now] = [before[name], after[name]];
    if (old === undefined && now !== undefined) changes.push({ path: at, change: 'added', after: now });
    else if (now === undefined && old !== undefined) changes.push({ path: at, change: 'removed', before: old });
    else if (isObject(old) && isObject(now)) compare(old, now, at, changes);
    else if (JSON.stringify(old) !== JSON.stringify(now)) changes.push({ path: at, change: 'changed', before: old!, after: now! });
  }
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
