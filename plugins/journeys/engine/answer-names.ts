import { isObject, objectAt } from './compile.js';
import type { Frame } from './session.js';

/** The names of a frame whose values are texts of the contact, after the value of a name changed. */
export const withAnswer = (answers: readonly string[], name: string, isAnswer: boolean): readonly string[] =>
  isAnswer ? [...answers, name] : answers.filter((other) => other !== name);

/** The parts of a result that are the answer. */
const PARTS: ReadonlySet<string> = new Set(['value', 'response', '__value__']);

const has = (answers: readonly string[] = [], name: string): boolean =>
  answers.includes(name) || answers.some((answer) => answer.length === name.length && answer.toLowerCase() === name.toLowerCase());

/**
 * Whether the value of a path, such as `['age']` or `['block', 'value']`, is a text of the contact: an answer, a copy of one, or a message.
 * @param isAnswering a block processes an answer, so that `block` is about it
 */
export function isAnswerPath([root = '', ...keys]: readonly string[], stack: readonly Frame[], isAnswering: boolean): boolean {
  const [frame, caller] = [stack.at(-1), stack.at(-2)];
  const [name = '', part] = keys;
  switch (root.toLowerCase()) {
    case 'block':
      return (name === 'value' || name === 'response') && (isAnswering || has(frame?.answers, 'block'));
    case 'results':
    case 'flow': {
      const result = frame?.results[name];
      return (part === undefined || PARTS.has(part)) && isObject(result) && result.response !== undefined;
    }
    case 'event':
      return keys.join('.') === 'message.text.body';
    case 'parent':
      return keys.length === 1 && has(Object.hasOwn(frame?.args ?? {}, name) ? frame?.answers : caller?.answers, parentName(frame, name));
    case 'child':
      return keys.length === 1 && objectAt(frame?.child, 'results', name).response !== undefined;
    default:
      return keys.length === 0 && has(frame?.answers, root);
  }
}

/** Arguments of a call are marked in the called frame. */
const parentName = (frame: Frame | undefined, name: string): string => (Object.hasOwn(frame?.args ?? {}, name) ? argumentName(name) : name);

/** The mark of an argument. No variable has such a name. */
export const argumentName = (name: string): string => `parent.${name}`;
