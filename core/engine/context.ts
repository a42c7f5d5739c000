import type { Json, JsonObject } from '../json.js';
import { isObject } from './compile.js';
import type { Frame, Session } from './session.js';

/** `parent` in the frame on top of a stack: what the caller knew and gave, or what the session was started with. */
function parentOf(stack: readonly Frame[]): JsonObject | undefined {
  const frame = stack.at(-1);
  const caller = stack.at(-2);
  return caller ? { ...caller.vars, ...frame?.args } : frame?.parent;
}

/** What a called flow leaves behind: its variables, and its results by that name. */
export const childOf = (frame: Frame): JsonObject =>
  Object.keys(frame.results).length > 0 ? { ...frame.vars, results: frame.results } : frame.vars;

/** The names that the engine gives values to, whatever variables there are. */
export const namedBy = (stack: readonly Frame[], contact: JsonObject): Record<string, Json> => {
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

/** The context as the outside is shown it: names that start with an underscore stay inside. */
export function contextView({ stack, contact, globals }: Pick<Session, 'stack' | 'contact' | 'globals'>): JsonObject {
  const view = { ...globals, ...stack.at(-1)?.vars, ...namedBy(stack, contact) };
  for (const name of Object.keys(view)) if (name.startsWith('_')) delete view[name];
  return view;
}

/** The context of a session that is at hand only as the string it is kept as. */
export function readContext(session: string): JsonObject {
  const parsed = JSON.parse(session) as Session;
  return contextView(parsed);
}

/** Objects only: whoever starts a session may have put anything there. Ignored names are left out. */
export const withoutNames = (given: JsonObject | undefined, ignored: ReadonlySet<string>): JsonObject | undefined =>
  isObject(given) ? Object.fromEntries(Object.entries(given).filter(([name]) => !ignored.has(name))) : undefined;
