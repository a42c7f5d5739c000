import type { Json, JsonObject } from '../json.js';
import { argumentName } from './answer-names.js';
import { isObject } from './compile.js';
import { type Mark, markAll, markedIn, unmarked } from './contact-text.js';
import { isMap, type Value, type ValueMap } from './expression/value.js';
import type { Frame } from './session.js';

/** Names whose values are from the contact as a whole. */
export const CONTACT_NAMES: ReadonlySet<string> = new Set(['arguments', 'contact', 'event', 'flow', 'results']);

/** The value of a name with everything that the contact wrote in it marked; undefined if there is nothing. */
export function markedValue(name: string, value: Value, stack: readonly Frame[], isAnswering: boolean, mark: Mark): Value | undefined {
  const [frame, caller] = [stack.at(-1), stack.at(-2)];
  const root = name.toLowerCase();
  if (CONTACT_NAMES.has(root) || (root === 'block' && isAnswering)) return markedIn(value, mark);
  if (root === 'child' && isMap(value)) return withParts(value, (key, part) => ofName(`child.${key}`, part, frame, mark));
  if (root !== 'parent' || !isMap(value)) return ofName(name, value, frame, mark);
  return withParts(value, (key, part) =>
    Object.hasOwn(frame?.args ?? {}, key) ? ofName(argumentName(key), part, frame, mark) : ofName(key, part, caller, mark),
  );
}

function ofName(name: string, value: Value, frame: Frame | undefined, mark: Mark): Value | undefined {
  const { answers = [], marked = {} } = frame ?? {};
  const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  const stored = Object.keys(marked).find(isSame);
  if (stored !== undefined) return marked[stored] as Value;
  return answers.some(isSame) ? markedIn(value, mark) : undefined;
}

function withParts(value: ValueMap, ofPart: (key: string, part: Value) => Value | undefined): Value | undefined {
  const parts = Object.entries(value).flatMap(([key, part]) => {
    const marked = ofPart(key, part);
    return marked === undefined ? [] : [[key, marked] as const];
  });
  return parts.length === 0 ? undefined : { ...value, ...Object.fromEntries(parts) };
}

/** Marks after the value of a name changed. */
export function withMark(frame: Pick<Frame, 'marked'>, name: string, marked: Json | undefined): JsonObject | undefined {
  if (marked !== undefined) return { ...frame.marked, [name]: marked };
  if (frame.marked === undefined || !Object.hasOwn(frame.marked, name)) return frame.marked;
  const { [name]: _, ...others } = frame.marked;
  return others;
}

/** The marks of a frame after a called frame returned. */
export function withMarksOfChild({ marked = {} }: Pick<Frame, 'marked'>, child: Frame): JsonObject | undefined {
  const own = Object.entries(marked).filter(([name]) => !name.startsWith('child.'));
  const variables = Object.entries(child.vars).flatMap(([name, value]) => {
    const mark = ofName(name, value as Value, child, markAll);
    return mark === undefined ? [] : [[`child.${name}`, mark as Json] as const];
  });
  const results =
    Object.keys(child.results).length > 0 ? [['child.results', markedIn(child.results as Value, markAll) as Json] as const] : [];
  const all = [...own, ...variables, ...results];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/**
 * Marks the parts of a computed value that are from the contact: the value of an evaluation with marks if the marks changed nothing else, else all of it.
 * @param evaluations with all characters marked, then with the signs marked
 */
export function marksIn(value: Json, evaluations: readonly (() => Json)[]): Json {
  const text = JSON.stringify(value);
  for (const evaluation of evaluations) {
    const marked = evaluation();
    if (JSON.stringify(markedIn(marked as Value, unmarked)) === text) return marked;
  }
  return markedIn(value as Value, markAll) as Json;
}

export const canBeMarked = (value: Json): boolean => typeof value === 'string' || Array.isArray(value) || isObject(value);
