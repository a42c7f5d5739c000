import { isExpression, parseReference } from '../../expression/reference.js';
import { type Fields, fieldsOf, isFields, type Screen, textOf } from './definition.js';
import { resolve, type Scope } from './evaluate.js';
import { formOf, inputsOf, isInput, shownComponents } from './inputs.js';

/** Whether a property comes from data, and so can be what an endpoint says. */
const isBound = (value: unknown): value is string =>
  typeof value === 'string' && (isExpression(value) || parseReference(value) !== undefined);

/** The places of a message that come from data: the message itself, or those of the two days of a range. */
const boundIn = (message: unknown): readonly string[] => (isFields(message) ? Object.values(message) : [message]).filter(isBound);

/**
 * What the data of a screen refuses, by the names of inputs: messages that references in `error-message` of inputs, or in
 * `error-messages` of the Form, yield. Messages that are written in the flow itself are for problems that the phone finds.
 */
export function refusalsOf(screen: Screen, scope: Scope): ReadonlyMap<string, string> {
  const ofForm = formOf(screen)?.['error-messages'];
  const resolved = fieldsOf(isBound(ofForm) ? resolve(ofForm, scope) : undefined);
  const refusals = new Map<string, string>();
  for (const input of shownComponents(screen.children, scope).filter(isInput)) {
    const name = input.name as string;
    const places = [...boundIn(input['error-message']), ...boundIn(fieldsOf(ofForm)[name])];
    const messages = [...places.map((place) => resolve(place, scope)), resolved[name]];
    const texts = messages.flatMap((message) => (isFields(message) ? Object.values(message) : [message]));
    const text = texts.map(textOf).filter(Boolean).join(' ');
    if (text.trim() !== '') refusals.set(name, text);
  }
  return refusals;
}

const REFUSED = 'This was not accepted';

/**
 * Data with which an endpoint would refuse a screen: the given data with a message wherever the screen can show one, or with
 * the `error_message` that phones show below the screen.
 */
export function refusingData(screen: Screen, data: Fields): Fields {
  const inputs = inputsOf(screen);
  const ofForm = formOf(screen)?.['error-messages'];
  const places = [...inputs.map((input) => input['error-message']), ...Object.values(fieldsOf(ofForm))].flatMap(boundIn);
  const pathsOf = (place: unknown): string[] => {
    const reference = typeof place === 'string' ? parseReference(place) : undefined;
    return reference?.source === 'data' && reference.screen === undefined ? [reference.path] : [];
  };
  const paths = places.flatMap(pathsOf).map((path): [string, unknown] => [path, REFUSED]);
  for (const path of pathsOf(ofForm)) {
    const { properties } = fieldsOf(screen.data[path]);
    const names = inputs.map(({ name }) => name as string).filter((name) => !isFields(properties) || Object.hasOwn(properties, name));
    paths.push([path, Object.fromEntries(names.map((name) => [name, REFUSED]))]);
  }
  if (paths.length === 0) return { ...data, error_message: REFUSED };
  return paths.reduce((all, [path, message]) => withValue(all, path, message, screen.data), data);
}

/** @param declared the fields that are declared: a name may hold dots */
function withValue(data: Fields, path: string, value: unknown, declared: Fields): Fields {
  const dot = Object.hasOwn(declared, path) ? -1 : path.indexOf('.');
  if (dot < 0) return { ...data, [path]: value };
  const [first, rest] = [path.slice(0, dot), path.slice(dot + 1)];
  return { ...data, [first]: withValue(fieldsOf(data[first]), rest, value, {}) };
}
