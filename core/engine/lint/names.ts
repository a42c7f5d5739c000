import { type Flow, isObject, listAt } from '../compile.js';
import { HIDDEN_NAMES, RESERVED_NAMES } from '../limits.js';

/** Names that every expression can begin with, beside the variables of its flow. */
const CONTEXT_NAMES: readonly string[] = [...HIDDEN_NAMES, ...RESERVED_NAMES, 'flow', 'arguments'];

/** The names that can have a value somewhere in these flows, in small letters: those of blocks and of what they assign. */
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

/** Of these names, each that nothing gives a value to, once. */
export const unknownNames = (roots: readonly string[], known: ReadonlySet<string>): readonly string[] => [
  ...new Set(roots.filter((root) => !known.has(root.toLowerCase()))),
];
