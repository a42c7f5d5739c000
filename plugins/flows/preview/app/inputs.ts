import { daysBetween, isDate, weekdayOf } from './dates.js';
import { type Component, componentsOf, everyComponent, type Fields, fieldsOf, listOf, type Screen, shownText } from './definition.js';
import { evaluate, resolve, type Scope } from './evaluate.js';
import { createPatterns } from './pattern.js';
import { texts } from './texts.js';

/** The inputs of a screen: initial values, validation, visibility. */

const inputTypes = new Set([
  'TextInput',
  'TextArea',
  'CheckboxGroup',
  'RadioButtonsGroup',
  'Dropdown',
  'ChipsSelector',
  'OptIn',
  'DatePicker',
  'CalendarPicker',
  'PhotoPicker',
  'DocumentPicker',
]);
const listInputTypes = new Set(['CheckboxGroup', 'ChipsSelector', 'PhotoPicker', 'DocumentPicker']);

export const isInput = (component: Component): boolean => inputTypes.has(component.type) && typeof component.name === 'string';

export const inputsOf = ({ children }: Screen): Component[] => everyComponent(children).filter(isInput);

export const formOf = ({ children }: Screen): Component | undefined => everyComponent(children).find(({ type }) => type === 'Form');

export function initialForm(screen: Screen, scope: Scope): Fields {
  const fromForm = fieldsOf(resolve(formOf(screen)?.['init-values'], scope));
  return Object.fromEntries(
    inputsOf(screen).map((input) => {
      const name = input.name as string;
      return [name, startOf(input, resolve(input['init-value'], scope) ?? fromForm[name])];
    }),
  );
}

function startOf({ type, mode }: Component, given: unknown): unknown {
  if (listInputTypes.has(type)) return listOf(given).filter((item) => typeof item === 'string');
  if (type === 'OptIn') return given === true;
  if (type === 'CalendarPicker' && mode === 'range') return isDateRange(given) ? given : {};
  return shownText(given);
}

const isDateRange = (value: unknown): boolean => Object.keys(fieldsOf(value)).length > 0;

/** The components that are shown: of Ifs and Switches only the current branch, of Forms the children. */
export function shownComponents(components: readonly Component[], scope: Scope): Component[] {
  return components.flatMap((component): Component[] => {
    if (component.type === 'Form') return shownComponents(componentsOf(component.children), scope);
    if (component.type === 'If') {
      return shownComponents(componentsOf(evaluate(component.condition, scope) === true ? component.then : component.else), scope);
    }
    if (component.type === 'Switch') {
      const cases = fieldsOf(component.cases);
      const value = shownText(evaluate(component.value, scope));
      return shownComponents(componentsOf(Object.hasOwn(cases, value) ? cases[value] : cases.default), scope);
    }
    return [component];
  });
}

export const isVisible = ({ visible }: Component, scope: Scope): boolean => visible === undefined || resolve(visible, scope) !== false;
export const isEnabled = ({ enabled }: Component, scope: Scope): boolean => enabled === undefined || resolve(enabled, scope) !== false;

/**
 * The problems that disable the footer, by input name.
 * @param form the values of the inputs, as the user entered them
 */
export function problemsOf(screen: Screen, scope: Scope, form: Fields): ReadonlyMap<string, string> {
  const messages = fieldsOf(resolve(formOf(screen)?.['error-messages'], scope));
  const problems = new Map<string, string>();
  for (const input of shownComponents(screen.children, scope)) {
    if (!isInput(input) || !isVisible(input, scope) || !isEnabled(input, scope)) continue;
    const name = input.name as string;
    const { enabled: _, visible: __, ...plain } = input;
    const problem = problemOf(resolve(plain, scope) as Component, form[name]);
    if (problem === undefined) continue;
    const own = shownText(resolve(input['error-message'], scope) ?? messages[name]);
    problems.set(name, own.trim() !== '' && !problem.isMissing ? own : problem.text);
  }
  return problems;
}

interface Problem {
  readonly text: string;
  /** Whether a required value is missing. */
  readonly isMissing?: boolean;
}

const missing: Problem = { text: texts.thisFieldIsRequired, isMissing: true };
const invalid = (text: string): Problem => ({ text });

/** @param input with its references resolved */
function problemOf(input: Component, value: unknown): Problem | undefined {
  switch (input.type) {
    case 'TextInput':
    case 'TextArea':
      return textProblem(input, shownText(value));
    case 'RadioButtonsGroup':
    case 'Dropdown':
      return input.required === true && shownText(value) === '' ? missing : undefined;
    case 'CheckboxGroup':
    case 'ChipsSelector':
      return countProblem(input, listOf(value).length, 'selected-items');
    case 'OptIn':
      return input.required === true && value !== true ? missing : undefined;
    case 'DatePicker':
      return dateProblem(input, shownText(value), input.required === true);
    case 'CalendarPicker':
      return calendarProblem(input, value);
    default:
      return countProblem(input, listOf(value).length, input.type === 'PhotoPicker' ? 'uploaded-photos' : 'uploaded-documents');
  }
}

const bases: Readonly<Record<string, readonly [pattern: RegExp, text: string]>> = {
  number: [/^-?\d+(?:[.,]\d+)?$/, texts.enterANumber],
  email: [/^[^\s@]+@[^\s@]+\.[^\s@.]+$/, texts.enterAValidEmailAddress],
  phone: [/^\+?[\d\s().-]{4,25}$/, texts.enterAValidPhoneNumber],
  passcode: [/^\d+$/, texts.enterDigitsOnly],
};
const DEFAULT_MAX_CHARS = { TextInput: 80, TextArea: 600 } as const;

const matches = createPatterns();

function textProblem(input: Component, value: string): Problem | undefined {
  if (value.trim() === '') return input.required === true ? missing : undefined;
  const max = maxCharsOf(input);
  const min = Number(input['min-chars'] ?? 0);
  if (value.length > max) return invalid(texts.useAtMostCharacters(max));
  if (value.length < min) return invalid(texts.useAtLeastCharacters(min));
  if (input.type !== 'TextInput') return undefined;
  const base = bases[shownText(input['input-type'])];
  if (base && !base[0].test(value)) return invalid(base[1]);
  if (typeof input.pattern !== 'string') return undefined;
  return matches(input.pattern, value) ? undefined : invalid(texts.useTheRequestedFormat);
}

export function maxCharsOf(input: Component): number {
  const given = Number(input.type === 'TextArea' ? input['max-length'] : input['max-chars']);
  return given > 0 ? given : DEFAULT_MAX_CHARS[input.type === 'TextArea' ? 'TextArea' : 'TextInput'];
}

function countProblem(input: Component, count: number, what: string): Problem | undefined {
  const min = Number(input[`min-${what}`] ?? 0);
  const max = Number(input[`max-${what}`] ?? Number.POSITIVE_INFINITY);
  const isPicker = what.startsWith('uploaded');
  if (count === 0) return input.required === true || (isPicker && min > 0) ? missing : undefined;
  if (count < min) return invalid(texts.atLeast(isPicker, min));
  if (count > max) return invalid(texts.atMost(isPicker, max));
  return undefined;
}

export function isSelectable(input: Component, date: string): boolean {
  const { 'min-date': min, 'max-date': max, 'unavailable-dates': unavailable, 'include-days': days } = input;
  if (isDate(min) && date < min) return false;
  if (isDate(max) && date > max) return false;
  if (listOf(unavailable).includes(date)) return false;
  return !Array.isArray(days) || days.length === 0 || days.includes(weekdayOf(date));
}

function dateProblem(input: Component, value: string, isRequired: boolean): Problem | undefined {
  if (value === '') return isRequired ? missing : undefined;
  return isDate(value) && isSelectable(input, value) ? undefined : invalid(texts.chooseAnotherDay);
}

function calendarProblem(input: Component, value: unknown): Problem | undefined {
  const required = input.required;
  if (input.mode !== 'range') return dateProblem(input, shownText(value), required === true);
  const range = fieldsOf(value);
  const [start, end] = [shownText(range['start-date']), shownText(range['end-date'])];
  const needs = (key: string): boolean => required === true || fieldsOf(required)[key] === true;
  const problem = dateProblem(input, start, needs('start-date')) ?? dateProblem(input, end, needs('end-date'));
  if (problem) return problem;
  if (start === '' && end !== '') return invalid(texts.chooseTheFirstDayAs);
  if (end === '') return undefined;
  const days = daysBetween(start, end);
  const [min, max] = [Number(input['min-days'] ?? 0), Number(input['max-days'] ?? Number.POSITIVE_INFINITY)];
  if (days < 0) return invalid(texts.theLastDayIsBefore);
  if (days < min) return invalid(texts.chooseAtLeastDays(min));
  return days > max ? invalid(texts.chooseAtMostDays(max)) : undefined;
}
