import { parseExpression } from '../../expression/parse.js';
import { isExpression, parseReference, type Reference } from '../../expression/reference.js';
import type { Expression } from '../../expression/syntax.js';
import { type Component, type Fields, fieldsOf, shownText, UndeclaredText } from './definition.js';

/** The values that references on a screen resolve to. */
export interface Scope {
  readonly data: Fields;
  readonly form: Fields;
  screen(id: string): { readonly data: Fields; readonly form: Fields };
  /** Whether the flow declares the field or input that a reference names. */
  declares(reference: Reference): boolean;
}

const parsed = new Map<string, Expression | undefined>();

const TEXT_PROPERTIES: ReadonlySet<string> = new Set([
  'text',
  'label',
  'title',
  'description',
  'metadata',
  'helper-text',
  'badge',
  'tags',
  'left-caption',
  'center-caption',
  'right-caption',
]);

/** How undeclared references resolve: to undefined (`values`), or marked as `UndeclaredText` (`text`). `component` uses both. */
type Mode = 'values' | 'text' | 'component';

/** Replaces references and expressions in a property, at any depth, by their current values. */
export const resolve = (value: unknown, scope: Scope): unknown => resolveIn(value, scope, 'values');

/** Resolves text, or a list of texts, for display: `UndeclaredText` where a reference is undeclared. */
export const displayText = (value: unknown, scope: Scope): unknown => resolveIn(value, scope, 'text');

/** Resolves a component for display: its texts as `displayText` does, its other properties as `resolve` does. */
export const resolveComponent = (component: Component, scope: Scope): Component => resolveIn(component, scope, 'component') as Component;

function resolveIn(value: unknown, scope: Scope, mode: Mode): unknown {
  if (typeof value === 'string') return ofText(value, scope, mode === 'text');
  if (Array.isArray(value)) return value.map((item) => resolveIn(item, scope, mode));
  if (typeof value !== 'object' || value === null) return value;
  const modeOf = (key: string): Mode => (mode === 'component' && TEXT_PROPERTIES.has(key) ? 'text' : mode);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveIn(inner, scope, modeOf(key))]));
}

/** Evaluates a condition or the value of a Switch; undefined if it is invalid. */
export function evaluate(text: unknown, scope: Scope): unknown {
  if (typeof text !== 'string') return text;
  const expression = read(text, false);
  return expression && evaluateExpression(expression, scope);
}

function ofText(text: string, scope: Scope, marksUndeclared: boolean): unknown {
  if (isExpression(text)) {
    const expression = read(text.slice(1, -1), true);
    return expression ? evaluateExpression(expression, scope, marksUndeclared) : text;
  }
  const reference = parseReference(text);
  return reference ? valueAt(reference, scope, marksUndeclared) : text;
}

/** Parses an expression; undefined if it is invalid. */
function read(text: string, joins: boolean): Expression | undefined {
  const key = `${joins} ${text}`;
  if (!parsed.has(key)) {
    let expression: Expression | undefined;
    try {
      ({ expression } = parseExpression(text, { joins }));
    } catch {
      // The panel of errors reports it.
    }
    parsed.set(key, expression);
  }
  return parsed.get(key);
}

/** Names may contain dots, so the longest existing name wins. */
function valueAt(reference: Reference, scope: Scope, marksUndeclared = false): unknown {
  const { screen, source, path } = reference;
  const from = screen === undefined ? scope : scope.screen(screen);
  const value = valueAtPath(from[source], path);
  if (value !== undefined || !marksUndeclared || scope.declares(reference)) return value;
  return new UndeclaredText([{ reference: `\${${screen === undefined ? '' : `screen.${screen}.`}${source}.${path}}` }]);
}

function valueAtPath(fields: Fields, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(fields, name)) return valueAtPath(fieldsOf(fields[name]), path.slice(dot + 1));
  }
  return undefined;
}

/** @param marksUndeclared whether an undeclared reference yields `UndeclaredText`; as an operand it is always undefined */
function evaluateExpression(expression: Expression, scope: Scope, marksUndeclared = false): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return valueAt(expression.reference, scope, marksUndeclared);
    case 'not':
      return !evaluateExpression(expression.operand, scope);
    case 'join':
      return joined(expression.parts.map((part) => evaluateExpression(part, scope, marksUndeclared)));
    case 'operation':
      return operate(expression, scope);
  }
}

function joined(values: readonly unknown[]): string | UndeclaredText {
  const parts = values.flatMap((value): UndeclaredText['parts'] => (value instanceof UndeclaredText ? value.parts : [shownText(value)]));
  const hasUndeclared = values.some((value) => value instanceof UndeclaredText);
  return hasUndeclared ? new UndeclaredText(parts) : parts.join('');
}

function operate({ operator, left, right }: Expression & { kind: 'operation' }, scope: Scope): unknown {
  const a = evaluateExpression(left, scope);
  const numbers = (of: (a: number, b: number) => unknown) => of(numberOf(a), numberOf(evaluateExpression(right, scope)));
  switch (operator) {
    case '&&':
      return Boolean(a) && Boolean(evaluateExpression(right, scope));
    case '||':
      return Boolean(a) || Boolean(evaluateExpression(right, scope));
    case '==':
      return isSame(a, evaluateExpression(right, scope));
    case '!=':
      return !isSame(a, evaluateExpression(right, scope));
    case '<':
      return numbers((a, b) => a < b);
    case '<=':
      return numbers((a, b) => a <= b);
    case '>':
      return numbers((a, b) => a > b);
    case '>=':
      return numbers((a, b) => a >= b);
    case '+':
      return numbers((a, b) => a + b);
    case '-':
      return numbers((a, b) => a - b);
    case '*':
      return numbers((a, b) => a * b);
    case '/':
      return numbers((a, b) => (b === 0 ? 0 : a / b));
    case '%':
      return numbers((a, b) => (b === 0 ? 0 : a % b));
  }
}

/** An undefined value equals empty text, false and zero. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' || typeof b === 'number') return numberOf(a) === numberOf(b);
  if (typeof a === 'boolean' || typeof b === 'boolean') return Boolean(a) === Boolean(b);
  return shownText(a) === shownText(b);
}

function numberOf(value: unknown): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}
