import t from 'tap';
import { parseExpression } from '../../../plugins/flows/expression/parse.js';
import type { Expression } from '../../../plugins/flows/expression/syntax.js';
import { validateFlow } from '../../../plugins/flows/validate/validate-flow.js';
import { readCases } from './validate/flow-cases.js';

type Broken = readonly [text: string, problem: string, column?: number];
const cases = readCases<{ sound: string[]; broken: Broken[]; 'sound expressions': string[]; 'broken expressions': Broken[] }>(
  'rules/expressions.json',
);

/** The errors of a component on a screen with data and inputs of every type, as `CODE message`. */
function messages(component: object): string[] {
  const field = (type: string, example: unknown) => ({ type, __example__: example });
  const footer = (action: object) => ({ type: 'Footer', label: 'Go', 'on-click-action': action });
  const screen = (id: string, children: object[]) => ({ id, layout: { type: 'SingleColumnLayout', children } });
  const inputs = [
    { type: 'TextInput', name: 'i', label: 'I' },
    { type: 'TextInput', name: 'n', label: 'N', 'input-type': 'number' },
    { type: 'OptIn', name: 'o', label: 'O' },
  ];
  const start = screen('A', [component, ...inputs, footer({ name: 'navigate', next: { type: 'screen', name: 'B' }, payload: {} })]);
  const end = screen('B', [{ type: 'TextInput', name: 'x', label: 'X' }, footer({ name: 'complete', payload: {} })]);
  const data = { t: field('string', 'a'), n: field('number', 1), b: field('boolean', true) };
  const flow = {
    version: '7.3',
    screens: [
      { ...start, data },
      { ...end, terminal: true },
    ],
  };
  return validateFlow(JSON.stringify(flow)).errors.map(({ error, message }) => `${error} ${message}`);
}

// biome-ignore lint/suspicious/noThenProperty: the network calls it so
const condition = (text: string): string[] => messages({ type: 'If', condition: text, then: [{ type: 'TextBody', text: 'Hi' }] });
const expression = (text: string): string[] => messages({ type: 'TextBody', text: `\`${text}\`` });

t.test('valid conditions have no errors', async (t) => {
  for (const text of cases.sound) t.strictSame(condition(text), [], text);
});

t.test('invalid conditions get the reason and the column within the condition', async (t) => {
  for (const [text, problem, column] of cases.broken) {
    const [message, ...others] = condition(text);
    t.match(message, /^INVALID_PROPERTY_VALUE invalid condition: /, text);
    t.ok(message?.includes(problem), `${text}: ${message}`);
    t.equal(/column (\d+)/.exec(message ?? '')?.[1], column?.toString() ?? /column (\d+)/.exec(message ?? '')?.[1], `${text}: ${message}`);
    t.strictSame(others, [], text);
  }
});

t.test('expressions in backticks may concatenate values', async (t) => {
  for (const text of cases['sound expressions']) t.strictSame(expression(text), [], text);
});

t.test('invalid expressions get the reason and the column within the text', async (t) => {
  for (const [text, problem, column] of cases['broken expressions']) {
    const [message, ...others] = expression(text);
    t.match(message, /^INVALID_PROPERTY_VALUE invalid expression: /, text);
    t.ok(message?.includes(problem), `${text}: ${message}`);
    if (column !== undefined) t.ok(message?.includes(`column ${column} `), `${text}: ${message}`);
    t.strictSame(others, [], text);
  }
});

/** Writes an expression with all its parentheses. */
function bracketed(expression: Expression): string {
  if (expression.kind === 'literal') return String(expression.value);
  if (expression.kind === 'reference') return expression.reference.path;
  if (expression.kind === 'not') return `!${bracketed(expression.operand)}`;
  if (expression.kind === 'join') return expression.parts.map(bracketed).join(' ');
  return `(${bracketed(expression.left)} ${expression.operator} ${bracketed(expression.right)})`;
}

t.test('operators have the usual precedence and associate to the left; concatenation has the lowest precedence', async (t) => {
  const read: readonly (readonly [written: string, meant: string])[] = [
    ['a + b * 2', '(a + (b * 2))'],
    ['a - 1 - b', '((a - 1) - b)'],
    ['a * (b + 1) % 2', '((a * (b + 1)) % 2)'],
    ['a > 1 && b < 2 || !c', '(((a > 1) && (b < 2)) || !c)'],
    ['a == b && c != 1', '((a == b) && (c != 1))'],
    ['a < b == c > 1', '((a < b) == (c > 1))'],
    ["'each ' a / 2 ' of ' b", 'each  (a / 2)  of  b'],
    ['!(a && b)', '!(a && b)'],
    ['a > -1.5', '(a > -1.5)'],
    ['a -1', '(a - 1)'],
  ];
  for (const [written, meant] of read) {
    const text = written.replace(/\b[abc]\b/g, (name) => `\${data.${name}}`);
    t.equal(bracketed(parseExpression(text, { joins: true }).expression), meant, text);
  }
});
