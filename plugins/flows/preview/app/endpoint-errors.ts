import { isExpression, parseReference } from '../../expression/reference.js';
import { type Fields, fieldsOf, isFields, type Screen, shownText } from './definition.js';
import { resolve, type Scope } from './evaluate.js';
import { formOf, inputsOf, isInput, shownComponents } from './inputs.js';
import { texts } from './texts.js';

/** Whether a property is dynamic, so that an endpoint can set it. */
const isBound = (value: unknown): value is string =>
  typeof value === 'string' && (isExpression(value) || parseReference(value) !== undefined);

/** The dynamic parts of a message: the message itself, or those for the two days of a range. */
const boundIn = (message: unknown): readonly string[] => (isFields(message) ? Object.values(message) : [message]).filter(isBound);

/**
 * The endpoint's errors in the data of a screen, by input: the values of references in `error-message` of inputs, or in `error-messages`
 * of the Form. Static messages are not errors of the endpoint: they are for problems that the phone finds.
 */
export function endpointErrorsOf(screen: Screen, scope: Scope): ReadonlyMap<string, string> {
  const ofForm = formOf(screen)?.['error-messages'];
  const resolved = fieldsOf(isBound(ofForm) ? resolve(ofForm, scope) : undefined);
  const errors = new Map<string, string>();
  for (const input of shownComponents(screen.children, scope).filter(isInput)) {
    const name = input.name as string;
    const places = [...boundIn(input['error-message']), ...boundIn(fieldsOf(ofForm)[name])];
    const messages = [...places.map((place) => resolve(place, scope)), resolved[name]];
    const texts = messages.flatMap((message) => (isFields(message) ? Object.values(message) : [message]));
    const text = texts.map(shownText).filter(Boolean).join(' ');
    if (text.trim() !== '') errors.set(name, text);
  }
  return errors;
}

const REJECTED = texts.notAccepted;

/**
 * The data with which an endpoint would reject the screen. Every field that can show a message gets one; if none can, `error_message` is
 * set, which phones show below the screen.
 */
export function rejectionData(screen: Screen, data: Fields): Fields {
  const inputs = inputsOf(screen);
  const ofForm = formOf(screen)?.['error-messages'];
  const places = [...inputs.map((input) => input['error-message']), ...Object.values(fieldsOf(ofForm))].flatMap(boundIn);
  const pathsOf = (place: unknown): string[] => {
    const reference = typeof place === 'string' ? parseReference(place) : undefined;
    return reference?.source === 'data' && reference.screen === undefined ? [reference.path] : [];
  };
  const paths = places.flatMap(pathsOf).map((path): [string, unknown] => [path, REJECTED]);
  for (const path of pathsOf(ofForm)) {
    const { properties } = fieldsOf(screen.data[path]);
    const names = inputs.map(({ name }) => name as string).filter((name) => !isFields(properties) || Object.hasOwn(properties, name));
    paths.push([path, Object.fromEntries(names.map((name) => [name, REJECTED]))]);
  }
  if (paths.length === 0) return { ...data, error_message: REJECTED };
  return paths.reduce((all, [path, message]) => withValue(all, path, message, screen.data), data);
}

/** @param declared the declared fields, because a name may contain dots */
function withValue(data: Fields, path: string, value: unknown, declared: Fields): Fields {
  const dot = Object.hasOwn(declared, path) ? -1 : path.indexOf('.');
  if (dot < 0) return { ...data, [path]: value };
  const [first, rest] = [path.slice(0, dot), path.slice(dot + 1)];
  return { ...data, [first]: withValue(fieldsOf(data[first]), rest, value, {}) };
}
