import { parseExpression } from '../../expression/parse.js';
import { isExpression, parseReference, type Reference } from '../../expression/reference.js';
import type { Expression } from '../../expression/syntax.js';
import { type Component, type Fields, fieldsOf, Marked, textOf } from './definition.js';

/** What references can reach. */
export interface Scope {
  readonly data: Fields;
  readonly form: Fields;
  screen(id: string): { readonly data: Fields; readonly form: Fields };
  /** Whether the flow declares the field or input that a reference names. */
  declares(reference: Reference): boolean;
}

const parsed = new Map<string, Expression | undefined>();

/** Properties whose text is shown on a screen, everywhere in a component. */
const WORDS: ReadonlySet<string> = new Set([
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

/** How references to what the flow does not declare are read: as undefined, or in words as `Marked`. */
type Reading = 'values' | 'words' | 'component';

/** A property as it stands now: references and expressions replaced by what they yield, everywhere inside. */
export const resolve = (value: unknown, scope: Scope): unknown => replaced(value, scope, 'values');

/** Text to be shown, or a list of texts: `Marked` where a reference names nothing that the flow declares. */
export const wordsOf = (value: unknown, scope: Scope): unknown => replaced(value, scope, 'words');

/** A component to be shown: its words as in `wordsOf`, its other properties as in `resolve`. */
export const resolveComponent = (component: Component, scope: Scope): Component => replaced(component, scope, 'component') as Component;

function replaced(value: unknown, scope: Scope, reading: Reading): unknown {
  if (typeof value === 'string') return ofText(value, scope, reading === 'words');
  if (Array.isArray(value)) return value.map((item) => replaced(item, scope, reading));
  if (typeof value !== 'object' || value === null) return value;
  const readingOf = (key: string): Reading => (reading === 'component' && WORDS.has(key) ? 'words' : reading);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replaced(inner, scope, readingOf(key))]));
}

/** A condition or the value of a Switch; one that cannot be read is not met. */
export function evaluate(text: unknown, scope: Scope): unknown {
  if (typeof text !== 'string') return text;
  const expression = read(text, false);
  return expression && yieldOf(expression, scope);
}

function ofText(text: string, scope: Scope, marks: boolean): unknown {
  if (isExpression(text)) {
    const expression = read(text.slice(1, -1), true);
    return expression ? yieldOf(expression, scope, marks) : text;
  }
  const reference = parseReference(text);
  return reference ? valueAt(reference, scope, marks) : text;
}

/** Undefined for what the validator complains of. */
function read(text: string, joins: boolean): Expression | undefined {
  const key = `${joins} ${text}`;
  if (!parsed.has(key)) {
    let expression: Expression | undefined;
    try {
      ({ expression } = parseExpression(text, { joins }));
    } catch {
      // The panel of errors shows it with its place.
    }
    parsed.set(key, expression);
  }
  return parsed.get(key);
}

/** Names may hold dots, so the longest name that exists wins. */
function valueAt(reference: Reference, scope: Scope, marks = false): unknown {
  const { screen, source, path } = reference;
  const from = screen === undefined ? scope : scope.screen(screen);
  const value = inside(from[source], path);
  if (value !== undefined || !marks || scope.declares(reference)) return value;
  return new Marked([{ reference: `\${${screen === undefined ? '' : `screen.${screen}.`}${source}.${path}}` }]);
}

function inside(fields: Fields, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(fields, name)) return inside(fieldsOf(fields[name]), path.slice(dot + 1));
  }
  return undefined;
}

/** @param marks whether references that nothing declares are marked; operators see undefined all the same */
function yieldOf(expression: Expression, scope: Scope, marks = false): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return valueAt(expression.reference, scope, marks);
    case 'not':
      return !yieldOf(expression.operand, scope);
    case 'join':
      return joined(expression.parts.map((part) => yieldOf(part, scope, marks)));
    case 'operation':
      return operate(expression, scope);
  }
}

function joined(values: readonly unknown[]): string | Marked {
  const parts = values.flatMap((value): Marked['parts'] => (value instanceof Marked ? value.parts : [textOf(value)]));
  const isMarked = values.some((value) => value instanceof Marked);
  return isMarked ? new Marked(parts) : parts.join('');
}

function operate({ operator, left, right }: Expression & { kind: 'operation' }, scope: Scope): unknown {
  const a = yieldOf(left, scope);
  const numbers = (of: (a: number, b: number) => unknown) => of(numberOf(a), numberOf(yieldOf(right, scope)));
  switch (operator) {
    case '&&':
      return Boolean(a) && Boolean(yieldOf(right, scope));
    case '||':
      return Boolean(a) || Boolean(yieldOf(right, scope));
    case '==':
      return isSame(a, yieldOf(right, scope));
    case '!=':
      return !isSame(a, yieldOf(right, scope));
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

/** What is not there yet is like nothing written, nothing ticked and zero. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' || typeof b === 'number') return numberOf(a) === numberOf(b);
  if (typeof a === 'boolean' || typeof b === 'boolean') return Boolean(a) === Boolean(b);
  return textOf(a) === textOf(b);
}

function numberOf(value: unknown): number {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}
