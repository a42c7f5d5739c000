import { parseExpression } from '../../expression/parse.js';
import { isExpression, parseReference, type Reference } from '../../expression/reference.js';
import type { Expression } from '../../expression/syntax.js';
import { type Fields, fieldsOf, textOf } from './definition.js';

/** What references can reach. */
export interface Scope {
  readonly data: Fields;
  readonly form: Fields;
  screen(id: string): { readonly data: Fields; readonly form: Fields };
}

const parsed = new Map<string, Expression | undefined>();

/** A property as it stands now: references and expressions replaced by what they yield, everywhere inside. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return ofText(value, scope);
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, scope)]));
}

export const resolveText = (value: unknown, scope: Scope): string => textOf(resolve(value, scope));

/** A condition or the value of a Switch; one that cannot be read is not met. */
export function evaluate(text: unknown, scope: Scope): unknown {
  if (typeof text !== 'string') return text;
  const expression = read(text, false);
  return expression && yieldOf(expression, scope);
}

function ofText(text: string, scope: Scope): unknown {
  if (isExpression(text)) {
    const expression = read(text.slice(1, -1), true);
    return expression ? yieldOf(expression, scope) : text;
  }
  const reference = parseReference(text);
  return reference ? valueAt(reference, scope) : text;
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
function valueAt({ screen, source, path }: Reference, scope: Scope): unknown {
  const from = screen === undefined ? scope : scope.screen(screen);
  return inside(from[source], path);
}

function inside(fields: Fields, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path];
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot);
    if (Object.hasOwn(fields, name)) return inside(fieldsOf(fields[name]), path.slice(dot + 1));
  }
  return undefined;
}

function yieldOf(expression: Expression, scope: Scope): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return valueAt(expression.reference, scope);
    case 'not':
      return !yieldOf(expression.operand, scope);
    case 'join':
      return expression.parts.map((part) => textOf(yieldOf(part, scope))).join('');
    case 'operation':
      return operate(expression, scope);
  }
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
