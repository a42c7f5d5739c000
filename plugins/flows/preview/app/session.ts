import type { Reference } from '../../expression/reference.js';
import { type Component, type Fields, type FlowModel, fieldsOf, isFields, listOf, type Screen, shownText } from './definition.js';
import { endpointErrorsOf } from './endpoint-errors.js';
import { resolve, type Scope } from './evaluate.js';
import { initialForm, inputsOf, shownComponents } from './inputs.js';
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
  /** The request that the endpoint would receive, and the screens that its response could show. */
  | { readonly kind: 'exchange'; readonly request: Fields; readonly next: readonly string[] };

export interface Completion {
  /** `flow_token` and the payload of `complete`. */
  readonly response: Fields;
  readonly summary: readonly SummaryLine[];
}

/** The immutable state of a flow that is being played. */
export interface Session {
  readonly flow: FlowModel;
  readonly start: Start;
  /** Screen ids from the first to the current one. */
  readonly stack: readonly string[];
  readonly data: Readonly<Record<string, Fields>>;
  readonly forms: Readonly<Record<string, Fields>>;
  /** Inputs whose problems are shown: the user left them, or pressed the footer. */
  readonly touched: ReadonlySet<string>;
  /** By screen and input: the endpoint's error that was shown when the user edited the input. It is not shown again. */
  readonly corrected: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The `error_message` of the last response, shown below the screen until the next edit or action. */
  readonly errorMessage: string;
  readonly overlay: Overlay | undefined;
  readonly completion: Completion | undefined;
  readonly log: readonly LogEntry[];
  /** The data of the newest response by screen, which also the next conversation proposes. */
  readonly answers: Readonly<Record<string, Fields>>;
}

export type Event =
  | { readonly kind: 'set'; readonly name: string; readonly value: unknown; readonly input: Component }
  | { readonly kind: 'touch'; readonly names: readonly string[] }
  | { readonly kind: 'act'; readonly action: unknown }
  /** The user chose a row of a NavigationList; its id becomes the value of the list. */
  | { readonly kind: 'choose'; readonly list: string; readonly item: string; readonly action: unknown }
  | { readonly kind: 'back' }
  | { readonly kind: 'dismiss' }
  /** The endpoint responds with a screen and exactly this data. */
  | { readonly kind: 'answer'; readonly screen: string; readonly data: Fields }
  /** Opens the current screen again with exactly this data. */
  | { readonly kind: 'open'; readonly data: Fields }
  | { readonly kind: 'show'; readonly screen: string }
  | { readonly kind: 'restart' };

export function startSession(flow: FlowModel, start: Start): Session {
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
    answers: {},
  };
  const first = start.screen !== undefined && flow.screens.has(start.screen) ? start.screen : flow.entry;
  if (first === undefined) return empty;
  const opened = enterScreen(empty, first, dataOf(empty, first, start.data));
  if (start.action !== 'data_exchange') return opened;
  return { ...opened, overlay: exchange(opened, 'INIT', {}, [...flow.screens.keys()]) };
}

export const screenOf = ({ flow, stack }: Session): Screen | undefined => flow.screens.get(stack.at(-1) ?? '');

/** The values of the inputs of a screen, as the user entered them. */
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

/** Names may contain dots. A schema without `properties` declares everything below it. */
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

/** The endpoint's errors on the current screen by input, except for inputs that the user has edited since. */
export function currentEndpointErrors(session: Session): ReadonlyMap<string, string> {
  const screen = screenOf(session);
  if (!screen) return new Map();
  const corrected = own(session.corrected, screen.id) ?? {};
  return new Map([...endpointErrorsOf(screen, scopeOf(session, screen.id))].filter(([name, text]) => corrected[name] !== text));
}

/** The data of a screen. `given` overrides the current data, which overrides the examples. */
export const dataOf = (session: Session, id: string, given: Fields = {}): Fields => ({
  ...examples(session.flow, id),
  ...own(session.data, id),
  ...given,
});

/** References to an input with `input-type` number yield numbers. */
function withNumbers(screen: Screen | undefined, form: Fields): Fields {
  const numeric = (screen ? inputsOf(screen) : []).filter((input) => input.type === 'TextInput' && input['input-type'] === 'number');
  const numbers = numeric.flatMap(({ name }): [string, number][] => {
    const written = shownText(form[name as string]);
    return /^-?\d+(?:\.\d+)?$/.test(written) ? [[name as string, Number(written)]] : [];
  });
  return numbers.length === 0 ? form : { ...form, ...Object.fromEntries(numbers) };
}

export function play(session: Session, event: Event): Session {
  switch (event.kind) {
    case 'set':
      return setValue(dismissEndpointError(session, event.name), event.input, event.name, event.value);
    case 'touch':
      return { ...session, touched: new Set([...session.touched, ...event.names]) };
    case 'act':
      return act({ ...session, errorMessage: '' }, event.action);
    case 'choose':
      return act({ ...withInputValue(session, event.list, event.item), errorMessage: '' }, event.action);
    case 'back':
      return back({ ...session, errorMessage: '' });
    case 'dismiss':
      return { ...session, overlay: undefined };
    case 'answer':
      return applyResponse(session, event.screen, event.data);
    case 'open': {
      const id = session.stack.at(-1) ?? '';
      return enterScreen({ ...session, forms: without(session.forms, id) }, id, event.data);
    }
    case 'show':
      return enterScreen({ ...session, stack: [], overlay: undefined, completion: undefined }, event.screen, dataOf(session, event.screen));
    case 'restart':
      return { ...startSession(session.flow, session.start), log: session.log, answers: session.answers };
  }
}

/** The possible responses of the endpoint to a request: the screens with the data of each, and the screen that is proposed. */
export function proposals(session: Session, { request, next }: Overlay & { kind: 'exchange' }) {
  const current = session.stack.at(-1);
  const isExchange = request.action === 'data_exchange';
  return {
    screens: next.map((id) => ({ id, data: own(session.answers, id) ?? dataOf(session, id) })),
    screen: next.find((id) => (id === current) !== isExchange) ?? next[0]!,
  };
}

function back(session: Session): Session {
  const previous = session.stack.at(-2);
  if (previous === undefined) return session;
  const next = { ...session, stack: session.stack.slice(0, -1), touched: new Set<string>() };
  if (!screenOf(session)?.refreshesOnBack) return withLogEntry(next, 'back', previous);
  const overlay = exchange(session, 'BACK', {}, [previous]);
  return { ...withLogEntry(next, 'back', overlay.request), overlay };
}

function applyResponse(session: Session, id: string, data: Fields): Session {
  const isFirst = session.overlay?.kind === 'exchange' && session.overlay.request.action === 'INIT';
  // The response to INIT decides the first screen.
  const answers = { ...session.answers, [id]: data };
  const from = { ...session, answers, overlay: undefined, ...(isFirst && { stack: [], forms: {}, data: {} }) };
  const next = enterScreen(from, id, data);
  return { ...withLogEntry(next, 'answer', { screen: id, data }), errorMessage: shownText(data.error_message) };
}

/** Shows a screen with exactly this data. Values that the user entered on it are retained. */
function enterScreen(session: Session, id: string, given: Fields): Session {
  const screen = session.flow.screens.get(id);
  if (!screen) return session;
  const data = { ...session.data, [id]: given };
  const at = session.stack.indexOf(id);
  // A screen that is on the stack already becomes the top again: each screen is on it at most once.
  const stack = at >= 0 ? session.stack.slice(0, at + 1) : [...session.stack, id];
  const corrected = without(session.corrected, id);
  const next = { ...session, data, stack, corrected, touched: new Set<string>(), errorMessage: '' };
  if (own(next.forms, id)) return next;
  return { ...next, forms: { ...next.forms, [id]: initialForm(screen, scopeOf(next, id)) } };
}

/** Reads own properties only, because a screen id may be `constructor`. */
const own = <T>(fields: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined);

const without = <T>(fields: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key));

export const examples = (flow: FlowModel, id: string): Fields =>
  Object.fromEntries(Object.entries(flow.screens.get(id)?.data ?? {}).map(([name, schema]) => [name, fieldsOf(schema).__example__]));

function withInputValue(session: Session, name: string, value: unknown): Session {
  const id = session.stack.at(-1)!;
  return { ...session, forms: { ...session.forms, [id]: { ...valuesOf(session, id), [name]: value } } };
}

/** An edit dismisses the endpoint's error of the input. */
function dismissEndpointError(session: Session, name: string): Session {
  const id = session.stack.at(-1)!;
  const text = currentEndpointErrors(session).get(name);
  const corrected =
    text === undefined ? session.corrected : { ...session.corrected, [id]: { ...own(session.corrected, id), [name]: text } };
  return { ...session, corrected, errorMessage: '' };
}

/** Sets the value of an input and runs its select and unselect actions. */
function setValue(session: Session, input: Component, name: string, value: unknown): Session {
  const id = session.stack.at(-1)!;
  const previous = valuesOf(session, id)[name];
  let next = withInputValue(session, name, value);
  const [was, is] = [selectedIn(previous), selectedIn(value)];
  const dropped = was.filter((one) => !is.includes(one));
  const added = is.filter((one) => !was.includes(one));
  const options = listOf(resolve(input['data-source'], scopeOf(session, id))).map(fieldsOf);
  const optionAction = (option: string, key: string) => options.find((one) => one.id === option)?.[key];
  for (const option of dropped) next = actIfDefined(next, optionAction(option, 'on-unselect-action'));
  for (const option of added) next = actIfDefined(next, optionAction(option, 'on-select-action'));
  if (JSON.stringify(value) === JSON.stringify(previous)) return next;
  // A range is complete only with its last day.
  if (input.type === 'CalendarPicker' && isFields(value) && value['end-date'] === undefined) return next;
  const isUnselect = added.length === 0 && (dropped.length > 0 || value === false);
  const unselect = input['on-unselect-action'];
  return actIfDefined(next, isUnselect && unselect !== undefined ? unselect : input['on-select-action']);
}

const selectedIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : typeof value === 'string' && value !== '' ? [value] : [];

const actIfDefined = (session: Session, action: unknown): Session => (action === undefined ? session : act(session, action));

function act(session: Session, action: unknown): Session {
  const { name, next, payload, url } = fieldsOf(action);
  const screen = screenOf(session);
  if (!screen) return session;
  const scope = scopeOf(session, screen.id);
  const evaluated = fieldsOf(resolve(withoutHiddenInputs(payload, screen, scope), scope));
  switch (name) {
    case 'navigate': {
      const target = shownText(fieldsOf(next).name);
      return enterScreen(
        withLogEntry(session, 'navigate', { screen: target, payload: evaluated }),
        target,
        dataOf(session, target, evaluated),
      );
    }
    case 'update_data': {
      const data = { ...session.data, [screen.id]: { ...own(session.data, screen.id), ...evaluated } };
      return withLogEntry({ ...session, data }, 'update_data', evaluated);
    }
    case 'open_url':
      return { ...withLogEntry(session, 'open_url', url), overlay: { kind: 'url', url: shownText(resolve(url, scope)) } };
    case 'data_exchange': {
      const routes = own(session.flow.routes, screen.id) ?? [...session.flow.screens.keys()].filter((id) => id !== screen.id);
      const overlay = exchange(session, 'data_exchange', evaluated, [screen.id, ...routes.filter((id) => id !== screen.id)]);
      return { ...withLogEntry(session, 'data_exchange', overlay.request), overlay };
    }
    case 'complete': {
      const response = { flow_token: session.start.flowToken, ...evaluated };
      const filled = session.stack.map((id) => ({
        screen: session.flow.screens.get(id)!,
        scope: scopeOf(session, id),
        form: valuesOf(session, id),
      }));
      return { ...withLogEntry(session, 'complete', response), completion: { response, summary: summaryOf(filled) } };
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

const withLogEntry = (session: Session, action: string, detail: unknown): Session => ({
  ...session,
  log: [...session.log, { action, screen: session.stack.at(-1) ?? '', detail }],
});

/** Removes values of inputs in branches that are not shown from a payload. */
function withoutHiddenInputs(payload: unknown, screen: Screen, scope: Scope): unknown {
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
