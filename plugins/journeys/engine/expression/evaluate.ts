import { beginningOf } from '#core/basics';
import { readDate } from '../answers/dates.js';
import { readTime } from '../answers/times.js';
import { markedIn, type TemplatePart, unmarked } from '../contact-text.js';
import { multiply, power } from './arithmetic.js';
import { Budget, EXPRESSION_LIMITS, type Meter } from './budget.js';
import { DateTime, dateTimeAt, MINUTE_MS, partOf } from './calendar.js';
import type { CallContext, ExpressionEnvironment } from './functions/define.js';
import { functions, isBounded } from './functions/index.js';
import { parseClockTime, parseDate } from './literals.js';
import { binaries, toNumber } from './operators.js';
import { parseExpression, parseTemplate } from './parse.js';
import { lookup, lookupRoot, resolveHyphens, type Scope } from './scope.js';
import type { AccessStep, Link, Node, Operator, TemplateExpression, TemplateNode } from './syntax.js';
import { valueText } from './text.js';
import { Answer, ExpressionError, isList, isMap, isTemporal, isTrue, Lambda, Missing, Range, unwrap, type Value } from './value.js';

/** A reason why an expression has no value, or not the expected one. */
export interface ExpressionWarning {
  readonly expression: string;
  readonly code: ExpressionError['code'] | 'missing' | 'lone_at';
  readonly reason: string;
}

/** The maximum number per code. */
const MAX_WARNINGS_PER_CODE = 100;

/** The arguments of a function: the values of `&1`, `&2`. */
type Captures = readonly Value[] | undefined;

/** The evaluation of one expression or template, including nested ones. */
export class Evaluation {
  readonly call: CallContext;
  readonly warnings: ExpressionWarning[] = [];
  private readonly scope: Scope;
  private readonly budget: Budget;
  private readonly isAnswer: ExpressionEnvironment['isAnswer'];
  private readonly typed: ExpressionEnvironment['typed'];
  private readonly warningsByCode = new Map<ExpressionWarning['code'], ExpressionWarning[]>();

  constructor(scope: Scope, environment: ExpressionEnvironment, meter?: Meter) {
    this.scope = scope;
    this.budget = new Budget(meter);
    this.isAnswer = environment.isAnswer;
    this.typed = environment.typed;
    const warn = (expression: string, reason: string): void => this.warn({ expression, code: 'bad_argument', reason });
    this.call = { budget: this.budget, timeZone: environment.timeZone, environment, warn };
  }

  /** @throws ExpressionError when it has no value */
  expression(source: string): Value {
    this.budget.spendSource(source);
    return this.value(
      resolveHyphens(parseExpression(source), this.scope, (names) => parseExpression(source, names)),
      undefined,
    );
  }

  /** Renders a template as text. A part without a value is printed as written. @throws ExpressionError when the template is too long */
  template(source: string): string {
    return this.text(this.parts(source), undefined, false);
  }

  /** Renders the parts of a template. */
  templateParts(source: string): readonly TemplatePart[] {
    return this.parts(source).map((part) => ({
      text: this.text([part], undefined, false),
      isPrinted: typeof part !== 'string' && 'node' in part,
    }));
  }

  /**
   * Evaluates a template: the typed value when it is a single expression, else a text.
   * @throws ExpressionError when the single expression has no value
   */
  templateValue(source: string): Value {
    const parts = this.parts(source);
    const [only] = parts;
    if (parts.length !== 1 || typeof only !== 'object' || !('node' in only)) return this.text(parts, undefined, false);
    const value = this.value(only.node, undefined);
    if (!(value instanceof Missing)) return value;
    this.warn({ expression: only.source, code: 'missing', reason: `${value.path} is not set` });
    return null;
  }

  /** Adds a warning, without duplicates and up to the limit per code, because an expression in a loop could cause thousands. */
  private warn(warning: ExpressionWarning): void {
    const { expression, code, reason } = warning;
    const existing = this.warningsByCode.get(code) ?? [];
    if (existing.length >= MAX_WARNINGS_PER_CODE || existing.some((known) => known.expression === expression && known.reason === reason))
      return;
    this.warningsByCode.set(code, [...existing, warning]);
    this.warnings.push(warning);
  }

  private parts(source: string): readonly TemplateNode[] {
    this.budget.spendSource(source);
    return resolveHyphens(parseTemplate(source), this.scope, (names) => parseTemplate(source, names));
  }

  private text(parts: readonly TemplateNode[], captures: Captures, inside: boolean): string {
    let text = '';
    for (const part of parts) {
      if (typeof part === 'string') text += part;
      else if ('node' in part) text += this.blockText(part, captures, inside);
      else {
        text += part.source;
        if (!inside) this.warn({ expression: part.source, code: 'lone_at', reason: part.reason });
      }
      if (text.length > EXPRESSION_LIMITS.text) {
        this.budget.spendRendered(text);
        this.warn({
          expression: text.slice(0, 40),
          code: 'too_costly',
          reason: `the text has more than ${EXPRESSION_LIMITS.text} characters and was cut`,
        });
        return beginningOf(text, EXPRESSION_LIMITS.text);
      }
    }
    this.budget.spendRendered(text);
    return text;
  }

  private blockText(block: TemplateExpression, captures: Captures, inside: boolean): string {
    try {
      const value = this.value(block.node, captures);
      if (!(value instanceof Missing)) return valueText(value, this.call);
      if (!block.isAfterWord) this.warn({ expression: block.source, code: 'missing', reason: `${value.path} is not set` });
      return block.source.startsWith('@(') ? `@${value.path}` : block.source;
    } catch (error) {
      if (!(error instanceof ExpressionError) || (inside && error.code === 'too_costly')) throw error;
      this.warn({ expression: block.source, code: error.code, reason: error.message });
      return block.source;
    }
  }

  private value(node: Node, captures: Captures): Value {
    this.budget.spend(1);
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'name':
        return this.name(node.name);
      case 'access':
        return this.access(node, captures);
      case 'call':
        return this.function(node.name, node.args, captures);
      case 'chain':
        return this.chain(node.first, node.links, captures);
      case 'text':
        return this.answerIn(node.source, captures) ?? this.budget.nested(() => this.text(this.parts(node.source), captures, true));
      case 'not':
        return !isTrue(this.value(node.of, captures));
      case 'negate':
        return multiply(-1, toNumber(this.value(node.of, captures)));
      case 'power':
        return power(toNumber(this.value(node.base, captures)), toNumber(this.value(node.exponent, captures)));
      case 'list':
        return node.items.map((item) => missingAsNil(this.value(item, captures)));
      case 'range':
        return this.range(node.first, node.last, node.step, captures);
      case 'moment':
        return node.offset === undefined
          ? dateTimeAt(node.wallMs, this.call.timeZone)
          : new DateTime(node.wallMs - node.offset * MINUTE_MS);
      case 'capture':
        return this.capture(node.index, captures);
      case 'lambda':
        return new Lambda((args) => this.budget.nested(() => missingAsNil(this.value(node.body, args))));
    }
  }

  /** Distinguishes an unknown name (`Missing`, printed as written) from one whose value is nil (printed as nothing). */
  private name(name: string): Value {
    const found = lookupRoot(this.scope, name, this.budget);
    const value = found === undefined ? undefined : (this.typed?.(name, found) ?? found);
    if (typeof value === 'string' && this.isAnswer?.([name])) return new Answer(value, value, this.call.environment);
    return value === undefined ? new Missing(name) : value;
  }

  /** The answer that a text in quotes consists of, as in `"@age"`. */
  private answerIn(source: string, captures: Captures): Answer | undefined {
    if (!this.isAnswer) return undefined;
    const [only, ...more] = this.parts(source);
    if (more.length > 0 || typeof only !== 'object' || !('node' in only) || !isReference(only.node)) return undefined;
    const value = this.value(only.node, captures);
    return value instanceof Answer ? value : undefined;
  }

  private chain(first: Node, links: readonly Link[], captures: Captures): Value {
    let value = this.value(first, captures);
    for (const { operator, right } of links) {
      if (operator === 'or') value = isTrue(value) ? value : this.value(right, captures);
      else if (operator === 'and') value = isTrue(value) && isTrue(this.value(right, captures));
      else value = this.binary(operator, value, this.value(right, captures));
    }
    return links[0]?.operator === 'or' && !isTrue(value) ? false : value;
  }

  private binary(operator: Exclude<Operator, 'or' | 'and'>, left: Value, right: Value): Value {
    const isJoining = this.typed === undefined || operator === '&';
    return isJoining ? binaries[operator](left, right, this.call) : binaries[operator](unmarkedIn(left), unmarkedIn(right), this.call);
  }

  private function(name: string, args: readonly Node[], captures: Captures): Value {
    const definition = functions.get(name);
    if (!definition) throw new ExpressionError('unknown_function', `the function '${name}' does not exist`);
    if (args.length < definition.minArguments || args.length > definition.maxArguments) {
      throw new ExpressionError('unknown_function', `${definition.signature} is called with ${args.length} arguments`);
    }
    if (!isBounded(definition)) this.budget.spendUnbounded();
    if (definition.runLazily) return definition.runLazily(args.map((arg) => () => this.value(arg, captures)));
    const values = args.map((arg) => missingAsNil(this.value(arg, captures)));
    return definition.run?.(values, this.call) ?? null;
  }

  private range(first: Node, last: Node, step: Node | undefined, captures: Captures): Range {
    const [from, to] = [this.integer(first, captures), this.integer(last, captures)];
    const by = step ? this.integer(step, captures) : from <= to ? 1 : -1;
    if (by === 0) throw new ExpressionError('bad_argument', 'the step of a range must not be 0');
    return new Range(from, to, by);
  }

  private integer(node: Node, captures: Captures): number {
    const number = toNumber(this.value(node, captures));
    if (typeof number === 'bigint' || !Number.isSafeInteger(number))
      throw new ExpressionError('bad_argument', `${number} is not an integer`);
    return number;
  }

  private capture(index: number, captures: Captures): Value {
    const value = captures?.[index - 1];
    if (value === undefined)
      throw new ExpressionError('bad_argument', `&${index} has no value here; use it in a function that gets at least ${index} arguments`);
    return value;
  }

  private access(node: Access, captures: Captures): Value {
    let value = this.value(node.of, captures);
    for (const [i, step] of node.steps.entries()) {
      this.budget.spend(1);
      if (value instanceof Missing) return new Missing(pathOf(node, node.steps.length));
      const found = 'key' in step ? this.member(value, step.key) : this.element(value, missingAsNil(this.value(step.index, captures)));
      value = found === undefined ? new Missing(pathOf(node, i + 1)) : found;
    }
    const text = this.isAnswer ? unwrap(value) : null;
    return typeof text === 'string' && this.isAnswer?.(namesOf(node)) ? new Answer(text, value, this.call.environment) : value;
  }

  /** The value of a key: undefined when a map does not have it; null for values that cannot have keys. */
  private member(of: Value, key: string): Value | undefined {
    if (isMap(of)) return lookup(of, key, this.budget);
    if (isTemporal(of)) return partOf(of, key, this.call.timeZone);
    if (of instanceof Answer) return this.partOfAnswer(of, key);
    if (typeof of === 'string') return this.partOfText(of, key);
    return isList(of) && /^\d{1,6}$/.test(key) ? (of[Number(key)] ?? null) : null;
  }

  /** A part of a date or time in a text, such as its year: variables and contact fields store dates as text. */
  private partOfText(text: string, key: string): Value {
    const value = parseClockTime(text) ?? parseDate(text, this.call.timeZone);
    return (value && partOf(value, key, this.call.timeZone)) ?? null;
  }

  private partOfAnswer({ text, locale }: Answer, key: string): Value {
    const value = readTime(text) ?? readDate(text, locale, this.call.timeZone);
    return (value && partOf(value, key, this.call.timeZone)) ?? this.partOfText(text, key);
  }

  private element(of: Value, index: Value): Value {
    const plain = unwrap(index);
    const list = isList(of) ? of : unwrap(of);
    if (isList(list)) {
      if (plain instanceof Range) return slice(list, plain);
      return typeof plain === 'number' ? (list.at(Math.trunc(plain)) ?? null) : null;
    }
    if (!isMap(of) || (typeof plain !== 'string' && typeof plain !== 'number')) return null;
    return lookup(of, String(plain), this.budget) ?? null;
  }
}

type Access = Extract<Node, { kind: 'access' }>;

const isReference = ({ kind }: Node): boolean => kind === 'name' || kind === 'access';

/** The names of a path such as `block.value`; none for any other access. */
const namesOf = ({ of, steps }: Access): readonly string[] =>
  of.kind === 'name'
    ? [of.name, ...steps.map((step) => ('key' in step ? step.key : step.index.kind === 'constant' ? String(step.index.value) : ''))]
    : [];

/** The source form of the first steps of an access, for messages. */
function pathOf(node: Access, count: number): string {
  const root = node.of.kind === 'name' ? node.of.name : '…';
  return root + node.steps.slice(0, count).map(stepText).join('');
}

const stepText = (step: AccessStep): string => {
  if ('key' in step) return `.${step.key}`;
  return step.index.kind === 'constant' ? `[${step.index.value}]` : '[…]';
};

/** In lists and arguments, an unknown name is nil. */
const missingAsNil = (value: Value): Value => (value instanceof Missing ? null : value);

/** Comparisons and arithmetic are about what a contact wrote. */
const unmarkedIn = (value: Value): Value =>
  value instanceof Answer ? new Answer(unmarked(value.text), markedIn(value.value, unmarked), value.locale) : markedIn(value, unmarked);

function slice(list: readonly Value[], { first, last, step }: Range): readonly Value[] {
  const position = (index: number) => (index < 0 ? list.length + index : index);
  const piece = list.slice(Math.max(0, position(first)), Math.max(0, position(last) + 1));
  return step === 1 ? piece : piece.filter((_, i) => i % Math.abs(step) === 0);
}
