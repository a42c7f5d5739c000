import { InvalidRequest } from '../errors.js';

const MAX_DEPTH = 64;

/** Refuses JSON nested so deeply that later steps could overflow the stack. Iterative, for the same reason. */
export function checkDepth(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new InvalidRequest([], `The body is nested more than ${MAX_DEPTH} levels deep`);
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null || ArrayBuffer.isView(item)) continue;
      for (const inner of Object.values(item)) if (typeof inner === 'object' && inner !== null) next.push(inner);
    }
    level = next;
  }
}
