import { nearest } from '#core/basics';
import { isMatcher, type MatcherWord, matcherWords } from './matcher-words.js';
import { patternOf } from './pattern.js';

/** Whether a text has a column of a table, whose value is not known before the row is filled in. */
export const isColumn = (given: unknown): boolean => typeof given === 'string' && /\{\{.+\}\}/.test(given);

/** The mistake in an expected value, also inside lists and objects; undefined if there is none. */
export function valueProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return firstProblem(value.map((item) => () => valueProblem(item)));
  const keys = Object.keys(value);
  const operator = keys.find(isOperator);
  const other = keys.find((key) => !isOperator(key));
  // One of them is a mistake.
  if (operator !== undefined && other !== undefined)
    return `mixes the operator '${operator}' with the key '${other}'; write data with such keys below 'equals'`;
  const entries = Object.entries(value);
  return firstProblem(
    entries.map(
      ([key, inside]) =>
        () =>
          isOperator(key) ? named(key, operandProblem(key, inside)) : valueProblem(inside),
    ),
  );
}

/** The mistake in what an operator is given, such as a pattern that is not one; undefined if there is none. */
export function operandProblem(word: MatcherWord, operand: unknown): string | undefined {
  if (isColumn(operand)) return undefined;
  switch (word) {
    case 'matches':
      return typeof operand === 'string' || typeof operand === 'number' ? patternProblem(String(operand)) : 'must be a regular expression';
    case 'length':
      return isMatcher(operand) ? valueProblem(operand) : isCount(operand) ? undefined : 'must be a number of characters, items or keys';
    case 'at_least':
    case 'at_most':
      return Number.isFinite(typeof operand === 'string' && operand.trim() !== '' ? Number(operand) : operand)
        ? undefined
        : 'must be a number';
    case 'any':
    case 'absent':
      return typeof operand === 'boolean' ? undefined : 'must be true or false';
    case 'ordered':
      return Array.isArray(operand) ? valueProblem(operand) : 'must be a list (lines that begin with -)';
    case 'not':
    case 'one_of':
    case 'contains':
    case 'unordered':
    case 'subset':
    case 'superset':
      return firstProblem((Array.isArray(operand) ? operand : [operand]).map((one) => () => misspelt(one) ?? valueProblem(one)));
    case 'equals':
      return undefined;
  }
}

const isOperator = (key: string): key is MatcherWord => Object.hasOwn(matcherWords, key);
const isCount = (operand: unknown): boolean => Number.isInteger(operand) && (operand as number) >= 0;

/** A misspelt operator is data, which no text equals: below `not`, the test would always pass. */
function misspelt(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [key, ...more] = Object.keys(value);
  const meant = key === undefined || more.length > 0 || isOperator(key) ? undefined : nearest(key, Object.keys(matcherWords));
  return meant === undefined ? undefined : `has the unknown operator '${key}'; did you mean '${meant}'?`;
}

function patternProblem(text: string): string | undefined {
  try {
    patternOf(text);
    return undefined;
  } catch (error) {
    return `must be a regular expression: ${(error as Error).message}`;
  }
}

const named = (word: string, problem: string | undefined): string | undefined => problem && `has a mistake: '${word}' ${problem}`;

function firstProblem(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}
