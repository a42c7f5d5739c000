import type { Json, JsonObject } from '#core/basics';
import { argumentName } from './answer-names.js';
import { isObject } from './compile.js';
import { type Mark, markAll, markedByNeighbours, markedIn, markNeighbours, markSigns, unmarked } from './contact-text.js';
import { isList, isMap, type Value, type ValueMap } from './expression/value.js';
import type { Frame } from './session.js';

/** Names whose values are from the contact as a whole. */
export const CONTACT_NAMES: ReadonlySet<string> = new Set(['arguments', 'contact', 'event', 'flow', 'results']);

/** Whether the value of a name, in lower case, may have text of the contact in it: a quick test before values are marked. */
export function mayBeTyped(root: string, stack: readonly Frame[], isAnswering: boolean): boolean {
  if (CONTACT_NAMES.has(root) || root === 'child' || root === 'parent' || (root === 'block' && isAnswering)) return true;
  const { answers, marked } = stack.at(-1) ?? {};
  const isSame = (other: string): boolean => other.length === root.length && other.toLowerCase() === root;
  return (answers?.some(isSame) ?? false) || (marked !== undefined && Object.keys(marked).some(isSame));
}

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
  if (stored !== undefined) return withStoredMarks(value, marked[stored]!, mark);
  return answers.some(isSame) ? markedIn(value, mark) : undefined;
}

function withParts(value: ValueMap, ofPart: (key: string, part: Value) => Value | undefined): Value | undefined {
  const parts = Object.entries(value).flatMap(([key, part]) => {
    const marked = ofPart(key, part);
    return marked === undefined ? [] : [[key, marked] as const];
  });
  return parts.length === 0 ? undefined : { ...value, ...Object.fromEntries(parts) };
}

/**
 * Where the contact's text is in a value, as frames store it: `true` for all texts in it, `false` for none, `null` if it has no texts, the
 * lengths of runs of a text (the author's and the contact's in turn), and a list or object of these for one.
 */
export function storedMarks(value: Json, marked: Json): Json {
  if (typeof value === 'string') return typeof marked === 'string' ? runsOf(value, marked) : true;
  if (Array.isArray(value)) {
    const marks = value.map((item, i) => storedMarks(item, Array.isArray(marked) ? marked[i]! : true));
    return shared(marks) ?? marks;
  }
  if (!isObject(value)) return null;
  const marks = Object.entries(value).map(
    ([key, item]) => [key, storedMarks(item, isObject(marked) ? (marked[key] ?? true) : true)] as const,
  );
  return shared(marks.map(([, mark]) => mark)) ?? Object.fromEntries(marks);
}

/** The mark of all parts if they have the same; parts without text have none. */
function shared(marks: readonly Json[]): Json | undefined {
  const some = marks.filter((mark) => mark !== null);
  if (some.length === 0) return null;
  return some.every((mark) => typeof mark === 'boolean' && mark === some[0]) ? some[0] : undefined;
}

function runsOf(text: string, marked: string): Json {
  if (marked === text) return false;
  if (marked === markAll(text)) return true;
  const runs = [0];
  for (const character of Array.from(marked)) {
    const isTyped = unmarked(character) !== character;
    if (isTyped !== (runs.length % 2 === 0)) runs.push(0);
    runs[runs.length - 1]! += unmarked(character).length;
  }
  return runs;
}

/** A value with its stored marks. A value of another shape is the contact's as a whole. */
function withStoredMarks(value: Value, marks: Json, mark: Mark): Value {
  if (marks === null || marks === false) return value;
  if (typeof value === 'string' && Array.isArray(marks)) return withRuns(value, marks as number[], mark);
  if (isList(value) && Array.isArray(marks)) return value.map((item, i) => withStoredMarks(item, marks[i] ?? true, mark));
  if (!isMap(value) || !isObject(marks)) return markedIn(value, mark);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withStoredMarks(part, marks[key] ?? true, mark)])) as ValueMap;
}

function withRuns(text: string, runs: readonly number[], mark: Mark): string {
  let at = 0;
  const parts = runs.map((length, i) => {
    const part = text.slice(at, at + length);
    at += length;
    return i % 2 === 1 ? mark(part) : part;
  });
  return at === text.length ? parts.join('') : mark(text);
}

/** Marks after the value of a name changed. */
export function withMark(frame: Pick<Frame, 'marked'>, name: string, marks: Json): JsonObject | undefined {
  if (marks !== null && marks !== false) return { ...frame.marked, [name]: marks };
  if (frame.marked === undefined || !Object.hasOwn(frame.marked, name)) return frame.marked;
  const { [name]: _, ...others } = frame.marked;
  return others;
}

/** The marks of a frame after a called frame returned. */
export function withMarksOfChild({ marked = {} }: Pick<Frame, 'marked'>, child: Frame): JsonObject | undefined {
  const own = Object.entries(marked).filter(([name]) => !name.startsWith('child.'));
  const variables = Object.entries(child.vars).flatMap(([name, value]) => {
    const mark = ofName(name, value as Value, child, markAll);
    return mark === undefined ? [] : [[`child.${name}`, storedMarks(value, mark as Json)] as const];
  });
  const results = Object.keys(child.results).length > 0 ? [['child.results', true] as const] : [];
  const all = [...own, ...variables, ...results];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** Evaluates an expression with everything marked that the contact wrote. */
export type MarkedEvaluation = (mark: Mark) => Json;

/**
 * Marks the parts of a computed value that come from the contact. If an evaluation with marks gives another value, all of it is marked.
 */
export function marksIn(value: Json, evaluate: MarkedEvaluation): Json {
  const text = JSON.stringify(value);
  const isSame = (marked: Json): boolean => JSON.stringify(markedIn(marked as Value, unmarked)) === text;
  const all = evaluate(markAll);
  if (isSame(all)) return all;
  const other = typeof value === 'string' ? evaluate(markNeighbours) : undefined;
  const precise = typeof value === 'string' && typeof other === 'string' ? markedByNeighbours(value, other) : undefined;
  if (precise !== undefined) return precise;
  const signs = evaluate(markSigns);
  return isSame(signs) ? signs : (markedIn(value as Value, markAll) as Json);
}

export const canBeMarked = (value: Json): boolean => typeof value === 'string' || Array.isArray(value) || isObject(value);
