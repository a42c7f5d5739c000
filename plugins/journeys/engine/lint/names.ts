import { type Flow, isObject, listAt } from '../compile.js';
import { HIDDEN_NAMES, RESERVED_NAMES } from '../limits.js';

/** The names that every expression can use, apart from the variables of its flow. */
const CONTEXT_NAMES: readonly string[] = [...HIDDEN_NAMES, ...RESERVED_NAMES, 'flow', 'arguments'];

/** The names that can have a value in these flows, in lower case: the context, blocks, and the variables that blocks set. */
export function namesIn(flows: Iterable<Flow>): ReadonlySet<string> {
  const names = new Set(CONTEXT_NAMES);
  for (const { blocks } of flows) {
    for (const { name, config } of blocks.values()) {
      names.add(name.toLowerCase());
      for (const variable of listAt(config, 'destination_variables')) if (typeof variable === 'string') names.add(variable.toLowerCase());
      for (const assignment of listAt(config, 'assignments')) {
        if (isObject(assignment) && typeof assignment.name === 'string') names.add(assignment.name.toLowerCase());
      }
    }
  }
  return names;
}

export const unknownNames = (roots: readonly string[], known: ReadonlySet<string>): readonly string[] => [
  ...new Set(roots.filter((root) => !known.has(root.toLowerCase()))),
];
