import type { Reference } from '../../expression/reference.js';
import { type Component, type Fields, type FlowModel, fieldsOf, isFields, listOf, type Screen, textOf } from './definition.js';
import { resolve, type Scope } from './evaluate.js';
import { initialForm, inputsOf, shownComponents } from './inputs.js';
import { refusalsOf } from './refusals.js';
import { type SummaryLine, summaryOf } from './summary.js';

/** How a flow is opened: the query parameters of the network's preview. */
export interface Start {
  readonly flowToken: string;
  readonly action: 'navigate' | 'data_exchange';
  readonly screen?: string | undefined;
  readonly data?: Fields | undefined;
}

export interface LogEntry {
  readonly action: string;
  readonly screen: string;
  readonly detail: unknown;
}

export type Overlay =
  | { readonly kind: 'url'; readonly url: string }
  /** The request that an endpoint would get, and where its answer could lead. */
  | { readonly kind: 'exchange'; readonly request: Fields; readonly next: readonly string[] };

export interface Completion {
  /** What is sent: `flow_token` and the payload. */
  readonly response: Fields;
  readonly summary: readonly SummaryLine[];
}

/** A flow being played. Nothing in it is ever changed in place. */
export interface Session {
  readonly flow: FlowModel;
  readonly start: Start;
  /** Screens from the first to the one on show. */
  readonly stack: readonly string[];
  readonly data: Readonly<Record<string, Fields>>;
  readonly forms: Readonly<Record<string, Fields>>;
  /** Inputs whose problems are shown: left once, or asked for by the footer. */
  readonly touched: ReadonlySet<string>;
  /** By screen and input: the refusal that was shown when the input was edited. It is not shown again. */
  readonly corrected: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The `error_message` of the endpoint's last answer; phones show it below the screen until the next edit or action. */
  readonly errorMessage: string;
  readonly overlay: Overlay | undefined;
  readonly completion: Completion | undefined;
  readonly log: readonly LogEntry[];
}

export type Event =
  | { readonly kind: 'set'; readonly name: string; readonly value: unknown; readonly input: Component }
  | { readonly kind: 'touch'; readonly names: readonly string[] }
  | { readonly kind: 'act'; readonly action: unknown }
  /** A row of a NavigationList: its id becomes the value of the list. */
  | { readonly kind: 'choose'; readonly list: string; readonly item: string; readonly action: unknown }
  | { readonly kind: 'back' }
  | { readonly kind: 'dismiss' }
  /** The endpoint answers: this screen, with exactly these data. */
  | { readonly kind: 'answer'; readonly screen: string; readonly data: Fields }
  /** The screen on show is opened anew with exactly these data. */
  | { readonly kind: 'open'; readonly data: Fields }
  | { readonly kind: 'show'; readonly screen: string }
  | { readonly kind: 'restart' };

export function beginSession(flow: FlowModel, start: Start): Session {
  const empty: Session = {
    flow,
    start,
    stack: [],
    data: {},
    forms: {},
    touched: new Set(),
    corrected: {},
    errorMessage: '',
    overlay: undefined,
    completion: undefined,
    log: [],
  };
  const first = start.screen !== undefined && flow.screens.has(start.screen) ? start.screen : flow.entry;
  if (first === undefined) return empty;
  const opened = enter(empty, first, dataOf(empty, first, start.data));
  if (start.action !== 'data_exchange') return opened;
  return { ...opened, overlay: exchange(opened, 'INIT', {}, [...flow.screens.keys()]) };
}

export const screenOf = ({ flow, stack }: Session): Screen | undefined => flow.screens.get(stack.at(-1) ?? '');

/** What the inputs of a screen hold, as it was written. */
export const valuesOf = (session: Session, id: string): Fields => own(session.forms, id) ?? {};

export function scopeOf(session: Session, id: string): Scope {
  const formOf = (screen: string): Fields => withNumbers(session.flow.screens.get(screen), valuesOf(session, screen));
  return {
    data: own(session.data, id) ?? examples(session.flow, id),
    form: formOf(id),
    screen: (other) => ({ data: own(session.data, other) ?? {}, form: formOf(other) }),
    declares: (reference) => isDeclared(reference, session.flow.screens.get(reference.screen ?? id)),
  };
}

function isDeclared({ source, path }: Reference, screen: Screen | undefined): boolean {
  if (!screen) return false;
  if (source === 'data') return isInSchema(screen.data, path);
  return inputsOf(screen).some(({ name }) => path === name || path.startsWith(`${name}.`));
}

/** Names may hold dots. A schema without `properties` says nothing about what is inside. */
function isInSchema(schemas: Fields, path: string): boolean {
  if (Object.hasOwn(schemas, path)) return true;
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    if (!Object.hasOwn(schemas, name)) continue;
    const { properties } = fieldsOf(schemas[name]);
    return properties === undefined || isInSchema(fieldsOf(properties), path.slice(dot + 1));
  }
  return false;
}

/** What the endpoint refuses on the screen on show, by input, without what has been edited since. */
export function refusalsIn(session: Session): ReadonlyMap<string, string> {
  const screen = screenOf(session);
  if (!screen) return new Map();
  const corrected = own(session.corrected, screen.id) ?? {};
  return new Map([...refusalsOf(screen, scopeOf(session, screen.id))].filter(([name, text]) => corrected[name] !== text));
}

/** The data of a screen: its examples, under what it has been given, under `given`. */
export const dataOf = (session: Session, id: string, given: Fields = {}): Fields => ({
  ...examples(session.flow, id),
  ...own(session.data, id),
  ...given,
});

/** The value of an input for numbers is a number wherever it is referred to. */
function withNumbers(screen: Screen | undefined, form: Fields): Fields {
  const numeric = (screen ? inputsOf(screen) : []).filter((input) => input.type === 'TextInput' && input['input-type'] === 'number');
  const numbers = numeric.flatMap(({ name }): [string, number][] => {
    const written = textOf(form[name as string]);
    return /^-?\d+(?:\.\d+)?$/.test(written) ? [[name as string, Number(written)]] : [];
  });
  return numbers.length === 0 ? form : { ...form, ...Object.fromEntries(numbers) };
}

export function play(session: Session, event: Event): Session {
  switch (event.kind) {
    case 'set':
      return changed(withCorrection(session, event.name), event.input, event.name, event.value);
    case 'touch':
      return { ...session, touched: new Set([...session.touched, ...event.names]) };
    case 'act':
      return act({ ...session, errorMessage: '' }, event.action);
    case 'choose':
      return act({ ...put(session, event.list, event.item), errorMessage: '' }, event.action);
    case 'back':
      return back({ ...session, errorMessage: '' });
    case 'dismiss':
      return { ...session, overlay: undefined };
    case 'answer':
      return answered(session, event.screen, event.data);
    case 'open': {
      const id = session.stack.at(-1) ?? '';
      return enter({ ...session, forms: without(session.forms, id) }, id, event.data);
    }
    case 'show':
      return enter({ ...session, stack: [], overlay: undefined, completion: undefined }, event.screen, dataOf(session, event.screen));
    case 'restart':
      return { ...beginSession(session.flow, session.start), log: session.log };
  }
}

function back(session: Session): Session {
  const before = session.stack.at(-2);
  if (before === undefined) return session;
  const left = { ...session, stack: session.stack.slice(0, -1), touched: new Set<string>() };
  if (!screenOf(session)?.refreshesOnBack) return noted(left, 'back', before);
  const overlay = exchange(session, 'BACK', {}, [before]);
  return { ...noted(left, 'back', overlay.request), overlay };
}

function answered(session: Session, id: string, data: Fields): Session {
  const isFirst = session.overlay?.kind === 'exchange' && session.overlay.request.action === 'INIT';
  // The answer to the first request says where the flow begins.
  const from = { ...session, overlay: undefined, ...(isFirst && { stack: [], forms: {}, data: {} }) };
  const next = enter(from, id, data);
  return { ...noted(next, 'answer', { screen: id, data }), errorMessage: textOf(data.error_message) };
}

/** Shows a screen with exactly these data. What was filled in on it stays. */
function enter(session: Session, id: string, given: Fields): Session {
  const screen = session.flow.screens.get(id);
  if (!screen) return session;
  const data = { ...session.data, [id]: given };
  const at = session.stack.indexOf(id);
  // A screen that is shown already is gone back to, so that there is one of each.
  const stack = at >= 0 ? session.stack.slice(0, at + 1) : [...session.stack, id];
  const corrected = without(session.corrected, id);
  const next = { ...session, data, stack, corrected, touched: new Set<string>(), errorMessage: '' };
  if (own(next.forms, id)) return next;
  return { ...next, forms: { ...next.forms, [id]: initialForm(screen, scopeOf(next, id)) } };
}

/** A screen may be called `constructor`. */
const own = <T>(fields: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined);

const without = <T>(fields: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));

export const examples = (flow: FlowModel, id: string): Fields =>
  Object.fromEntries(Object.entries(flow.screens.get(id)?.data ?? {}).map(([name, schema]) => [name, fieldsOf(schema).__example__]));

function put(session: Session, name: string, value: unknown): Session {
  const id = session.stack.at(-1)!;
  return { ...session, forms: { ...session.forms, [id]: { ...valuesOf(session, id), [name]: value } } };
}

/** An edit takes away what was refused of its input. */
function withCorrection(session: Session, name: string): Session {
  const id = session.stack.at(-1)!;
  const text = refusalsIn(session).get(name);
  const corrected =
    text === undefined ? session.corrected : { ...session.corrected, [id]: { ...own(session.corrected, id), [name]: text } };
  return { ...session, corrected, errorMessage: '' };
}

/** A new value, and the actions that go with choosing and no longer choosing. */
function changed(session: Session, input: Component, name: string, value: unknown): Session {
  const id = session.stack.at(-1)!;
  const before = valuesOf(session, id)[name];
  let next = put(session, name, value);
  const [was, is] = [chosenIn(before), chosenIn(value)];
  const dropped = was.filter((one) => !is.includes(one));
  const added = is.filter((one) => !was.includes(one));
  const options = listOf(resolve(input['data-source'], scopeOf(session, id))).map(fieldsOf);
  const optionAction = (option: string, key: string) => options.find((one) => one.id === option)?.[key];
  for (const option of dropped) next = actOn(next, optionAction(option, 'on-unselect-action'));
  for (const option of added) next = actOn(next, optionAction(option, 'on-select-action'));
  if (JSON.stringify(value) === JSON.stringify(before)) return next;
  // A range is chosen with its last day.
  if (input.type === 'CalendarPicker' && isFields(value) && value['end-date'] === undefined) return next;
  const isUnselect = added.length === 0 && (dropped.length > 0 || value === false);
  const unselect = input['on-unselect-action'];
  return actOn(next, isUnselect && unselect !== undefined ? unselect : input['on-select-action']);
}

const chosenIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : typeof value === 'string' && value !== '' ? [value] : [];

const actOn = (session: Session, action: unknown): Session => (action === undefined ? session : act(session, action));

function act(session: Session, action: unknown): Session {
  const { name, next, payload, url } = fieldsOf(action);
  const screen = screenOf(session);
  if (!screen) return session;
  const scope = scopeOf(session, screen.id);
  const evaluated = fieldsOf(resolve(shownOnly(payload, screen, scope), scope));
  switch (name) {
    case 'navigate': {
      const target = textOf(fieldsOf(next).name);
      return enter(noted(session, 'navigate', { screen: target, payload: evaluated }), target, dataOf(session, target, evaluated));
    }
    case 'update_data': {
      const data = { ...session.data, [screen.id]: { ...own(session.data, screen.id), ...evaluated } };
      return noted({ ...session, data }, 'update_data', evaluated);
    }
    case 'open_url':
      return { ...noted(session, 'open_url', url), overlay: { kind: 'url', url: textOf(resolve(url, scope)) } };
    case 'data_exchange': {
      const routes = own(session.flow.routes, screen.id) ?? [...session.flow.screens.keys()].filter((id) => id !== screen.id);
      const overlay = exchange(session, 'data_exchange', evaluated, [screen.id, ...routes.filter((id) => id !== screen.id)]);
      return { ...noted(session, 'data_exchange', overlay.request), overlay };
    }
    case 'complete': {
      const response = { flow_token: session.start.flowToken, ...evaluated };
      const filled = session.stack.map((id) => ({
        screen: session.flow.screens.get(id)!,
        scope: scopeOf(session, id),
        form: valuesOf(session, id),
      }));
      return { ...noted(session, 'complete', response), completion: { response, summary: summaryOf(filled) } };
    }
    default:
      return session;
  }
}

const exchange = (
  { flow, start, stack }: Session,
  action: string,
  data: Fields,
  next: readonly string[],
): Overlay & { kind: 'exchange' } => ({
  kind: 'exchange',
  request: {
    version: flow.dataApiVersion ?? '3.0',
    action,
    ...(action !== 'INIT' && { screen: stack.at(-1), data }),
    flow_token: start.flowToken,
  },
  next,
});

const noted = (session: Session, action: string, detail: unknown): Session => ({
  ...session,
  log: [...session.log, { action, screen: session.stack.at(-1) ?? '', detail }],
});

/** A payload without the values of inputs that stand in a branch that is not shown. */
function shownOnly(payload: unknown, screen: Screen, scope: Scope): unknown {
  const shown = new Set(shownComponents(screen.children, scope).map(({ name }) => name));
  const hidden = new Set(
    inputsOf(screen)
      .map(({ name }) => name)
      .filter((name) => !shown.has(name)),
  );
  const isShown = (value: unknown): boolean => {
    const name = typeof value === 'string' ? /^\$\{form\.(.+)\}$/.exec(value)?.[1] : undefined;
    return name === undefined || !hidden.has(name);
  };
  const shownIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter(isShown).map(shownIn);
    if (!isFields(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, inner]) => isShown(inner))
        .map(([key, inner]) => [key, shownIn(inner)]),
    );
  };
  return shownIn(fieldsOf(payload));
}
