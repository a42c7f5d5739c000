import { InvalidRequest } from '../../errors.js';

const MAX_DEPTH = 64;
/** Per object: joi takes several times as long per key as JSON.parse, even for unknown keys that it removes. */
const MAX_KEYS = 10_000;
/** Keys with which careless merging would pollute a prototype. */
const REFUSED_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

/**
 * Refuses JSON that is nested so deeply that recursive code could overflow the stack, objects with too many keys, and keys that lead to a
 * prototype. Iterative, because recursion would overflow on the input that this function refuses.
 * @throws InvalidRequest
 */
export function checkJson(body: unknown): void {
  let level = isNested(body) ? [body] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new InvalidRequest([], `The body is nested more than ${MAX_DEPTH} levels deep`);
    const next: object[] = [];
    for (const item of level) {
      // Two loops: `Object.values` would copy every object of every body.
      if (Array.isArray(item)) for (const inner of item) addNested(inner, next);
      else {
        let keys = 0;
        for (const key in item) {
          if (REFUSED_KEYS.has(key)) throw new InvalidRequest([], `The body has a key '${key}', which is refused at any depth`);
          if (++keys > MAX_KEYS) throw new InvalidRequest([], `The body has an object with more than ${MAX_KEYS} keys`);
          addNested((item as Readonly<Record<string, unknown>>)[key], next);
        }
      }
    }
    level = next;
  }
}

function addNested(value: unknown, to: object[]): void {
  if (isNested(value)) to.push(value);
}

/** Whether a body has more than `limit` values at all depths together. Call `checkJson` first, which bounds the keys of each object. */
export function hasMoreValues(body: unknown, limit: number): boolean {
  let count = 1;
  const pending = isNested(body) ? [body] : [];
  for (let item = pending.pop(); item; item = pending.pop()) {
    const inner = Array.isArray(item) ? item : Object.values(item);
    count += inner.length;
    if (count > limit) return true;
    for (const value of inner) if (isNested(value)) pending.push(value);
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
