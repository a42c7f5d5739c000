import { type Mark, templateOf } from './draft.js';
import type { Expression } from './expression.js';
import type { CallItem } from './syntax.js';

/** The expression given for a parameter that takes a single value. */
export function valueAt({ args }: CallItem, name: string): Expression | undefined {
  const argument = args.get(name);
  return argument?.kind === 'value' ? argument.value : undefined;
}

/** The same as a template; null when the argument is missing. */
export const templateAt = (call: CallItem, name: string): string | null => {
  const value = valueAt(call, name);
  return value ? templateOf(value) : null;
};

/** Maps arguments to the paths of the block that they are compiled to. */
export const marksOf = (call: CallItem, paths: Readonly<Record<string, string>>): Mark[] =>
  Object.entries(paths).flatMap(([name, path]) => {
    const value = valueAt(call, name);
    return value ? [{ path, start: value.start, end: value.end }] : [];
  });
