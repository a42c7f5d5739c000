import { numberText } from '../expression/arithmetic.js';
import { CalendarDate, ClockTime, DateTime, dateText, dateTimeText, timeText } from '../expression/calendar.js';
import { parseExpression, parseTemplate } from '../expression/parse.js';
import type { Link, Node } from '../expression/syntax.js';
import { ExpressionError } from '../expression/value.js';

const SIGNS: Readonly<Partial<Record<Link['operator'], readonly [holds: string, fails: string]>>> = {
  '=': ['is', 'is not'],
  '!=': ['is not', 'is'],
  '>=': ['is at least', 'is less than'],
  '<=': ['is at most', 'is more than'],
  '>': ['is more than', 'is at most'],
  '<': ['is less than', 'is at least'],
};

/** Tests of their first argument; further arguments follow the words. */
const TESTS: Readonly<Record<string, readonly [holds: string, fails: string]>> = {
  has_all_members: ['has the members', 'does not have the members'],
  has_all_words: ['has the words', 'does not have the words'],
  has_any_exact_phrase: ['is a phrase of', 'is not a phrase of'],
  has_any_phrase: ['has a phrase of', 'has no phrase of'],
  has_any_word: ['has a word of', 'has no word of'],
  has_beginning: ['begins with', 'does not begin with'],
  has_date: ['has a date', 'has no date'],
  has_date_eq: ['has the date', 'does not have the date'],
  has_date_gt: ['has a date after', 'has no date after'],
  has_date_gte: ['has a date from', 'has no date from'],
  has_date_lt: ['has a date before', 'has no date before'],
  has_date_lte: ['has a date up to', 'has no date up to'],
  has_email: ['has an e-mail address', 'has no e-mail address'],
  has_group: ['has the group', 'does not have the group'],
  has_member: ['has the member', 'does not have the member'],
  has_number: ['has a number', 'has no number'],
  has_number_eq: ['has the number', 'does not have the number'],
  has_number_gt: ['has a number over', 'has no number over'],
  has_number_gte: ['has a number from', 'has no number from'],
  has_number_lt: ['has a number under', 'has no number under'],
  has_number_lte: ['has a number up to', 'has no number up to'],
  has_only_phrase: ['is the phrase', 'is not the phrase'],
  has_only_text: ['is', 'is not'],
  has_pattern: ['matches', 'does not match'],
  has_phone: ['has a telephone number', 'has no telephone number'],
  has_phrase: ['has the phrase', 'does not have the phrase'],
  has_text: ['has a text', 'has no text'],
  has_time: ['has a time', 'has no time'],
  is_nil_or_empty: ['is empty', 'is not empty'],
  isbool: ['is yes or no', 'is not yes or no'],
  isnumber: ['is a number', 'is not a number'],
  isstring: ['is a text', 'is not a text'],
};

/** Functions of one value with words of their own; those that only change the case or the spaces of a text have none. */
const PREFIXES: Readonly<Record<string, string>> = {
  clean: '',
  count: 'the number of ',
  len: 'the length of ',
  lower: '',
  trim: '',
  upper: '',
};

/** A condition in plain words, such as `age is at least 18`. Parts that have no words stay as they are. */
export function inWords(condition: string): string {
  try {
    return wordsOf(parseExpression(condition).tree);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return condition.replace(/\s+/g, ' ').trim();
  }
}

/** The words of a test, or of its opposite. */
function wordsOf(node: Node, holds = true): string {
  const side = holds ? 0 : 1;
  if (node.kind === 'not') return wordsOf(node.of, !holds);
  if (node.kind === 'call') {
    const { name, args } = node;
    if (name === 'not' && args.length === 1) return wordsOf(args[0]!, !holds);
    if ((name === 'and' || name === 'or') && args.length > 0) return joined(args, name, holds);
    const [value, ...others] = args;
    const test = Object.hasOwn(TESTS, name) ? TESTS[name]![side] : undefined;
    if (test !== undefined && value)
      return [operandOf(value), test, ...(others.length === 0 ? [] : [others.map(operandOf).join(', ')])].join(' ');
  }
  if (node.kind === 'chain') {
    const [{ operator, right }] = node.links as readonly [Link];
    if (operator === 'and' || operator === 'or') return joined([node.first, ...node.links.map((link) => link.right)], operator, holds);
    const sign = node.links.length === 1 ? SIGNS[operator]?.[side] : undefined;
    if (sign !== undefined) return `${operandOf(node.first)} ${sign} ${operandOf(right)}`;
  }
  return holds ? operandOf(node) : `not ${operandOf(node)}`;
}

/** The opposite of "both" is that one of them fails. A part with the other word between its own parts is in brackets. */
function joined(parts: readonly Node[], word: 'and' | 'or', holds: boolean): string {
  const between = opposedUnless(holds, word);
  return parts
    .map((part) => {
      const inside = joinOf(part, holds);
      return inside === undefined || inside === between ? wordsOf(part, holds) : `(${wordsOf(part, holds)})`;
    })
    .join(` ${between} `);
}

const opposedUnless = (holds: boolean, word: 'and' | 'or'): 'and' | 'or' => (holds ? word : word === 'and' ? 'or' : 'and');

/** The word between the parts of a condition; undefined if it has one part. */
function joinOf(node: Node, holds: boolean): 'and' | 'or' | undefined {
  if (node.kind === 'not') return joinOf(node.of, !holds);
  if (node.kind === 'call' && node.name === 'not') return node.args[0] && joinOf(node.args[0], !holds);
  const word = node.kind === 'call' ? node.name : node.kind === 'chain' ? node.links[0]?.operator : undefined;
  return word === 'and' || word === 'or' ? opposedUnless(holds, word) : undefined;
}

function operandOf(node: Node): string {
  switch (node.kind) {
    case 'constant':
      return constantText(node.value);
    case 'moment':
      return dateTimeText(new DateTime(node.wallMs), 'UTC');
    case 'text': {
      const [only, ...more] = parseTemplate(node.source).tree;
      return typeof only === 'object' && 'node' in only && more.length === 0 ? operandOf(only.node) : `“${node.source}”`;
    }
    case 'list':
      return node.items.map(operandOf).join(', ');
    case 'name':
      return node.name;
    case 'capture':
      return `&${node.index}`;
    case 'access':
      return node.steps.reduce((path, step) => path + ('key' in step ? `.${step.key}` : `[${operandOf(step.index)}]`), operandOf(node.of));
    case 'chain':
      if (SIGNS[node.links[0]!.operator] || joinOf(node, true)) return `(${wordsOf(node)})`;
      return node.links.reduce((sum, { operator, right }) => `${sum} ${operator} ${part(right)}`, part(node.first));
    case 'not':
      return `(${wordsOf(node)})`;
    case 'negate':
      return `-${part(node.of)}`;
    case 'power':
      return `${part(node.base)} ^ ${part(node.exponent)}`;
    case 'range':
      return `${operandOf(node.first)} to ${operandOf(node.last)}${node.step ? ` by ${operandOf(node.step)}` : ''}`;
    case 'lambda':
      return `&(${operandOf(node.body)})`;
    case 'call': {
      const { name, args } = node;
      const [first] = args;
      if (first && args.length === 1 && Object.hasOwn(PREFIXES, name)) return PREFIXES[name] + operandOf(first);
      if (args.length === 0) return name;
      const isTest = Object.hasOwn(TESTS, name) || name === 'not' || joinOf(node, true) !== undefined;
      return isTest ? `(${wordsOf(node)})` : `${name}(${args.map(operandOf).join(', ')})`;
    }
  }
}

/** An operand: a calculation inside of another one is in brackets. */
const part = (node: Node): string => (node.kind === 'chain' || node.kind === 'power' ? `(${operandOf(node)})` : operandOf(node));

function constantText(value: Extract<Node, { kind: 'constant' }>['value']): string {
  if (value === null) return 'nothing';
  if (typeof value === 'string') return `“${value}”`;
  if (value instanceof CalendarDate) return dateText(value);
  if (value instanceof ClockTime) return timeText(value);
  return typeof value === 'number' ? numberText(value) : String(value);
}
