import { InvalidRequest } from '../errors.js';

const MAX_DEPTH = 64;
/** Keys through which a careless merge would reach what all objects share. */
const REFUSED_KEYS = ['__proto__', 'constructor'] as const;

/**
 * Refuses JSON nested so deeply that later steps could overflow the stack, and keys that lead to a prototype. Iterative,
 * for the first of these reasons.
 */
export function checkJson(body: unknown): void {
  let level = isNested(body) ? [body] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new InvalidRequest([], `The body is nested more than ${MAX_DEPTH} levels deep`);
    const next: object[] = [];
    for (const item of level) {
      for (const key of REFUSED_KEYS) {
        if (Object.hasOwn(item, key)) throw new InvalidRequest([], `The body has a key '${key}', which is refused at any depth`);
      }
      for (const inner of Object.values(item)) if (isNested(inner)) next.push(inner);
    }
    level = next;
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
