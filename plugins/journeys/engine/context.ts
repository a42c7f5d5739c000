import { integersAsText, type Json, type JsonObject } from '#core/basics';
import { isObject } from './compile.js';
import type { Frame, Session } from './session.js';

/** `parent` of the running frame: the caller's variables and arguments. In the outermost frame: the `parent` given when the session started. */
function parentOf(stack: readonly Frame[]): JsonObject | undefined {
  const frame = stack.at(-1);
  const caller = stack.at(-2);
  return caller ? { ...caller.vars, ...frame?.args } : frame?.parent;
}

/** `child` after a called flow returns: its variables, and its results as `results`. */
export const childOf = (frame: Frame): JsonObject =>
  Object.keys(frame.results).length > 0 ? { ...frame.vars, results: frame.results } : frame.vars;

/**
 * The names whose values the engine sets; they take precedence over variables. The journey's `config` is not among them: a message
 * has the whole context, and tables of parameters can be large.
 */
export const engineNames = (stack: readonly Frame[], contact: JsonObject): Record<string, Json> => {
  const frame = stack.at(-1);
  const parent = parentOf(stack);
  return {
    contact,
    ...(frame && { results: frame.results }),
    ...(frame?.answer && { block: frame.answer }),
    ...(parent && { parent }),
    ...(frame?.child && { child: frame.child }),
  };
};

/** The context as clients see it. Names that start with an underscore are internal and left out. */
export function contextView({ stack, contact, globals }: Pick<Session, 'stack' | 'contact' | 'globals'>): JsonObject {
  const view = { ...globals, ...stack.at(-1)?.vars, ...engineNames(stack, contact) };
  for (const name of Object.keys(view)) if (name.startsWith('_')) delete view[name];
  return view;
}

/** Reads the context that a turn reports as text. */
export function readContext(session: string): JsonObject {
  const parsed = JSON.parse(integersAsText(session)) as Session;
  return contextView(parsed);
}

/** An object without the ignored names; undefined for any other value, since callers that start a session may pass anything. */
export const withoutIgnored = (given: JsonObject | undefined, ignored: ReadonlySet<string>): JsonObject | undefined =>
  isObject(given) ? Object.fromEntries(Object.entries(given).filter(([name]) => !ignored.has(name))) : undefined;
