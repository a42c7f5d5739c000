import { type Component, type Fields, type FlowModel, fieldsOf, listOf, type Screen } from './definition.js';
import { resolve } from './evaluate.js';
import { initialForm, inputsOf } from './inputs.js';
import { examples, type Session, scopeOf, startSession } from './session.js';

/** Continues with another text of the flow. Screens, answers and data that still fit it stay, and what was not changed has its new initial value. */
export function replaceFlow(session: Session, flow: FlowModel): Session {
  const stack = session.stack.filter((id) => flow.screens.has(id));
  if (stack.length === 0) return { ...startSession(flow, session.start), log: session.log, answers: session.answers };
  const data = kept(session.data, flow, (id, old) => dataIn(session.flow, flow, id, old));
  const before = { ...session, flow, stack, data, overlay: undefined, completion: undefined };
  const forms = kept(session.forms, flow, (id, old) => answersIn(session, before, id, old));
  const { overlay } = session;
  if (overlay?.kind !== 'exchange') return { ...before, forms };
  const next = overlay.next.filter((id) => flow.screens.has(id));
  return { ...before, forms, ...(next.length > 0 && { overlay: { ...overlay, next } }) };
}

const kept = (
  fields: Readonly<Record<string, Fields>>,
  { screens }: FlowModel,
  change: (id: string, old: Fields) => Fields,
): Readonly<Record<string, Fields>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([id]) => screens.has(id))
      .map(([id, old]) => [id, change(id, old)]),
  );

/** The new examples, and values that are not the old ones. */
function dataIn(before: FlowModel, flow: FlowModel, id: string, old: Fields): Fields {
  const [was, is] = [examples(before, id), examples(flow, id)];
  const changed = Object.entries(old).filter(
    ([name, value]) => (Object.hasOwn(is, name) || !Object.hasOwn(was, name)) && !isSame(value, was[name]),
  );
  return { ...is, ...Object.fromEntries(changed) };
}

function answersIn(before: Session, after: Session, id: string, old: Fields): Fields {
  const screen = after.flow.screens.get(id)!;
  const oldScreen = before.flow.screens.get(id);
  const fresh = initialForm(screen, scopeOf(after, id));
  const untouched = oldScreen ? initialForm(oldScreen, scopeOf(before, id)) : {};
  const entries = inputsOf(screen).flatMap((input): [string, unknown][] => {
    const name = input.name as string;
    const fits = sameInput(oldScreen, input) && Object.hasOwn(old, name) && !isSame(old[name], untouched[name]);
    return fits ? [[name, fitting(input, old[name], after, id)]] : [];
  });
  return { ...fresh, ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

const sameInput = (screen: Screen | undefined, { type, name, mode }: Component): boolean =>
  screen !== undefined && inputsOf(screen).some((one) => one.name === name && one.type === type && one.mode === mode);

/** The part of an answer that can still be given: options may be gone. */
function fitting(input: Component, value: unknown, session: Session, id: string): unknown {
  if (input['data-source'] === undefined) return value;
  const ids = new Set(listOf(resolve(input['data-source'], scopeOf(session, id))).map((option) => fieldsOf(option).id));
  if (Array.isArray(value)) return value.filter((one) => ids.has(one));
  return ids.has(value) ? value : undefined;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
