/** Splits a path such as `flows[0].blocks[2].name` into steps. Needs the document because keys may contain dots. */
export function stepsOf(path: string, document: unknown): readonly (string | number)[] {
  const words = [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, key]) => (index === undefined ? (key ?? '') : Number(index)));
  const steps: (string | number)[] = [];
  let value: unknown = document;
  for (let at = 0; at < words.length; ) {
    const count = maxKey(value, words, at);
    const step = count === 1 ? words[at]! : words.slice(at, at + count).join('.');
    steps.push(step);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
    at += count;
  }
  return steps;
}

/** How many words from `at` form one key of the object when joined with dots; at least 1. */
function maxKey(value: unknown, words: readonly (string | number)[], at: number): number {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, words[at]!)) return 1;
  for (let count = 2; at + count <= words.length; count++) {
    if (Object.hasOwn(value, words.slice(at, at + count).join('.'))) return count;
  }
  return 1;
}

/** The JSON pointer (RFC 6901) of steps. */
export const pointerOf = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Splits a JSON pointer into steps; numeric ones become numbers. */
export const stepsOfPointer = (pointer: string): readonly (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => (/^(0|[1-9]\d*)$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
