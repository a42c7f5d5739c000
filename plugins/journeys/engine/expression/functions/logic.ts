import { isTrue } from '../value.js';
import { define, defineLazy, type FunctionDefinition } from './define.js';

export const logic: readonly FunctionDefinition[] = [
  defineLazy(
    'if(condition, then, otherwise?)',
    '`then` if the condition is true, else `otherwise` or nil; only the chosen one is evaluated.',
    ["if(2 > 1, 'yes', 'no')", 'yes'],
    (args) => {
      const [condition, then, otherwise] = args;
      return (condition && isTrue(condition()) ? then?.() : otherwise?.()) ?? null;
    },
  ),
  defineLazy(
    'and(condition...)',
    'Whether all conditions are true; stops at the first that is not.',
    ['and(1 = 1, 2 > 1)', 'true'],
    (args) => args.every((condition) => isTrue(condition())),
  ),
  defineLazy('or(value...)', 'The first true value, else false.', ["or(false, 'first', 'second')", 'first'], (args) => {
    for (const arg of args) {
      const value = arg();
      if (isTrue(value)) return value;
    }
    return false;
  }),
  define('not(value)', 'True when the value is false or nil.', ['not(false)', 'true'], ([value]) => !isTrue(value ?? null)),
];
