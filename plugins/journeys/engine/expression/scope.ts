import type { Budget } from './budget.js';
import type { Hyphenated, HyphenatedNames, Parsed } from './syntax.js';
import { isMap, type Value, type ValueMap } from './value.js';

/** The layers in which names are looked up; the first layer with a name wins. */
export type Scope = readonly ValueMap[];

/** The value of a key: an exact match, or a case-insensitive match if there is none. */
export function lookup(map: ValueMap, key: string, budget: Budget | undefined): Value | undefined {
  if (Object.hasOwn(map, key)) return map[key];
  const folded = key.toLowerCase();
  let looked = 0;
  for (const candidate in map) {
    looked++;
    if (candidate.length === key.length && candidate.toLowerCase() === folded && Object.hasOwn(map, candidate)) return map[candidate];
  }
  budget?.spend(looked >> 4);
  return undefined;
}

export function lookupRoot(scope: Scope, name: string, budget: Budget | undefined): Value | undefined {
  for (const layer of scope) if (Object.hasOwn(layer, name)) return layer[name];
  for (const layer of scope) {
    const value = lookup(layer, name, budget);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Parses again if this scope contains hyphenated names of the source; the parser otherwise reads them as subtractions. */
export function resolveHyphens<T>(parsed: Parsed<T>, scope: Scope, parseAgain: (names: HyphenatedNames) => Parsed<T>): T {
  if (parsed.hyphenated.length === 0) return parsed.tree;
  const whole = new Map<number, number>();
  for (const candidate of parsed.hyphenated) {
    if (!whole.has(candidate.at) && exists(scope, candidate)) whole.set(candidate.at, candidate.end);
  }
  return whole.size === 0 ? parsed.tree : parseAgain(whole).tree;
}

function exists(scope: Scope, { path }: Hyphenated): boolean {
  const [root, ...keys] = path;
  let value = root === undefined ? undefined : lookupRoot(scope, root, undefined);
  for (const key of keys) value = isMap(value) ? lookup(value, key, undefined) : undefined;
  return value !== undefined;
}
