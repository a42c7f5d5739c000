import { numericOf } from '../answers/numbers.js';
import { EXPRESSION_LIMITS } from './budget.js';
import { CalendarDate, ClockTime } from './calendar.js';
import type { Cursor } from './cursor.js';
import { readTimeLiteral } from './literals.js';
import {
  type AccessStep,
  AND_LEVEL,
  EQUALITY_LEVEL,
  type Hyphenated,
  type HyphenatedNames,
  type Link,
  type Node,
  OPERATORS,
  OR_LEVEL,
} from './syntax.js';
import { ExpressionError } from './value.js';

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const KEY = /[A-Za-z0-9_]+/y;
/** Bounded, because every combination of names in a long subtraction is looked up. */
const HYPHENS = /(?:-[A-Za-z0-9_]{1,50}){1,8}/y;
const NUMBER = /(?:\d[\d_]*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_])/y;
const CAPTURE = /&(\d{1,2})(?!\w)/y;
const WORD_OPERATOR = /(or|and)(?![A-Za-z0-9_])/iy;
const NOT = /not(?![A-Za-z0-9_(])/iy;
const RESERVED_WORD = /^(?:and|or|not)$/i;

const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['nil', null],
  ['null', null],
]);
/** The number of access steps in which hyphenated names are recognised. */
const HYPHEN_STEPS = 6;

/** A scannerless parser of expressions, so that a template can parse one in the middle of its text. */
export class Parser {
  readonly hyphenated: Hyphenated[] = [];
  private depth = 0;
  private readonly cursor: Cursor;
  private readonly hyphenatedNames: HyphenatedNames;

  constructor(cursor: Cursor, hyphenatedNames: HyphenatedNames) {
    this.cursor = cursor;
    this.hyphenatedNames = hyphenatedNames;
  }

  /** Parses an expression up to the first character that cannot continue it. */
  expression(): Node {
    return this.chain(OR_LEVEL);
  }

  /** Parses the expression after the `@` of a template: in parentheses, or in the short form (a path, a call or a list). */
  block(): Node | ExpressionError {
    return this.attempt(() => {
      if (this.cursor.starts('(')) return this.parenthesis();
      const node = this.cursor.starts('[') ? this.list() : this.shortName();
      if (!node) throw this.cursor.fault(`expected a name, '(' or '[' after '@'`);
      return this.access(node, true);
    });
  }

  private chain(level: number): Node {
    const links: Link[] = [];
    let first = this.operand();
    let current = 0;
    for (;;) {
      const next = this.operator();
      if (!next || next.level < level) break;
      this.cursor.at = next.end;
      const right = this.deeper(() => this.chain(next.level + 1));
      if (current !== next.level && links.length > 0) first = { kind: 'chain', first, links: links.splice(0) };
      current = next.level;
      links.push({ operator: next.operator, right });
    }
    return links.length > 0 ? { kind: 'chain', first, links } : first;
  }

  private operator(): { operator: Link['operator']; level: number; end: number } | undefined {
    const start = this.cursor.at;
    this.cursor.skipSpace();
    const at = this.cursor.at;
    const word = this.cursor.match(WORD_OPERATOR)?.toLowerCase();
    this.cursor.at = start;
    if (word === 'or' || word === 'and') return { operator: word, level: word === 'or' ? OR_LEVEL : AND_LEVEL, end: at + word.length };
    if (this.cursor.source.startsWith('//', at)) return undefined;
    // `&&1` is valid: the operator `&` before the argument `&1`.
    if (this.cursor.source.startsWith('&&', at) && !/\d/.test(this.cursor.source[at + 2] ?? '')) {
      throw new ExpressionError('parse', `'&&' is not an operator; write 'and' (position ${at + 1})`);
    }
    for (const { spelling, operator, level } of OPERATORS) {
      if (this.cursor.source.startsWith(spelling, at)) return { operator, level, end: at + spelling.length };
    }
    return undefined;
  }

  private operand(): Node {
    this.cursor.skipSpace();
    if (this.cursor.match(NOT)) return { kind: 'not', of: this.deeper(() => this.chain(EQUALITY_LEVEL)) };
    const first = this.unary();
    if (!this.cursor.takeAfterSpace('..')) return first;
    const last = this.unary();
    const step = this.cursor.takeAfterSpace('//') ? this.unary() : undefined;
    return { kind: 'range', first, last, step };
  }

  private unary(): Node {
    this.cursor.skipSpace();
    if (this.cursor.take('-')) {
      const of = this.deeper(() => this.unary());
      return of.kind === 'constant' && (typeof of.value === 'number' || typeof of.value === 'bigint')
        ? { kind: 'constant', value: -of.value }
        : { kind: 'negate', of };
    }
    const base = this.primary();
    if (!this.cursor.takeAfterSpace('^')) return base;
    return { kind: 'power', base, exponent: this.deeper(() => this.unary()) };
  }

  private primary(): Node {
    const next = this.cursor.source[this.cursor.at];
    if (next === undefined) throw this.cursor.fault('expected a value');
    if (next === '&') return this.lambda();
    if (next === '(') return this.access(this.deeper(() => this.parenthesis()));
    if (next === '[') return this.access(this.list());
    if (next === '"' || next === "'") return this.text(next);
    if ((next >= '0' && next <= '9') || next === '.') return this.literal();
    const name = this.name();
    if (name === undefined) throw this.cursor.fault('expected a value');
    if (this.cursor.startsAfterSpace('(')) return this.access(this.call(name));
    const constant = CONSTANTS.get(name.toLowerCase());
    if (constant !== undefined) return { kind: 'constant', value: constant };
    if (RESERVED_WORD.test(name)) throw this.cursor.fault(`'${name}' has no operand`);
    return this.access({ kind: 'name', name });
  }

  private literal(): Node {
    const time = readTimeLiteral(this.cursor.source, this.cursor.at);
    if (time) {
      if (time.value === undefined) throw this.cursor.fault('this date or time does not exist');
      this.cursor.at = time.end;
      const { value } = time;
      return value instanceof CalendarDate || value instanceof ClockTime ? { kind: 'constant', value } : { kind: 'moment', ...value };
    }
    const digits = this.cursor.match(NUMBER);
    const value = digits === undefined ? undefined : numericOf(digits.replaceAll('_', ''));
    if (value === undefined) throw this.cursor.fault('expected a number');
    return { kind: 'constant', value };
  }

  private text(quote: string): Node {
    let text = '';
    for (let i = this.cursor.at + 1; i < this.cursor.source.length; i++) {
      const char = this.cursor.source[i];
      if (char === '\\' && this.cursor.source[i + 1] === quote) {
        text += quote;
        i++;
      } else if (char === quote) {
        this.cursor.at = i + 1;
        return text.includes('@') ? { kind: 'text', source: text } : { kind: 'constant', value: text };
      } else {
        text += char;
      }
    }
    throw this.cursor.fault('the closing quote is missing for the text that starts');
  }

  /** Parses an argument (`&1`) or a function: `&(…)`, `&[…]`, `&"…"`, `&name(…)` or `& &1.name`. */
  private lambda(): Node {
    const capture = this.capture();
    if (capture) return capture;
    this.cursor.at++;
    this.cursor.skipSpace();
    const { at } = this.cursor;
    const isDelimited = /[("']/.test(this.cursor.source[at] ?? '');
    const body = this.deeper(() => this.capture() ?? this.primary());
    const { kind } = body.kind === 'access' ? body.of : body;
    if (isDelimited || kind === 'capture' || kind === 'list' || kind === 'call') return { kind: 'lambda', body };
    this.cursor.at = at;
    throw this.cursor.fault("'&' begins a function, as in &(&1 + 1): expected parentheses");
  }

  private capture(): Node | undefined {
    const written = this.cursor.match(CAPTURE);
    if (written === undefined) return undefined;
    return this.access({ kind: 'capture', index: Number(written.slice(1)) });
  }

  private parenthesis(): Node {
    this.cursor.at++;
    const inside = this.expression();
    this.cursor.expect(')');
    return inside;
  }

  private list(): Node {
    this.cursor.at++;
    return { kind: 'list', items: this.items(']') };
  }

  private call(name: string): Node {
    this.cursor.expect('(');
    return { kind: 'call', name: name.toLowerCase(), args: this.items(')') };
  }

  private items(close: string): Node[] {
    const items: Node[] = [];
    this.cursor.skipSpace();
    if (this.cursor.take(close)) return items;
    do items.push(this.deeper(() => this.expression()));
    while (this.cursor.takeAfterSpace(','));
    this.cursor.expect(close);
    return items;
  }

  /** Parses all following `.name`, `.0` and `[…]`. The short form of a template stops at one that it cannot parse; the rest is text. */
  private access(of: Node, short = false): Node {
    const steps: AccessStep[] = [];
    for (;;) {
      const start = this.cursor.at;
      if (this.cursor.take('.')) {
        const key = this.key(of, steps);
        if (key === undefined) {
          this.cursor.at = start;
          break;
        }
        steps.push({ key });
      } else if (this.cursor.starts('[')) {
        const index = short ? this.attempt(() => this.bracket()) : this.bracket();
        if (index instanceof ExpressionError) break;
        steps.push({ index });
      } else break;
    }
    return steps.length > 0 ? { kind: 'access', of, steps } : of;
  }

  private bracket(): Node {
    this.cursor.at++;
    const index = this.deeper(() => this.expression());
    this.cursor.expect(']');
    return index;
  }

  private shortName(): Node | undefined {
    const name = this.name();
    if (name === undefined) return undefined;
    // In the short form a bracket after a space belongs to the text.
    const call = this.cursor.starts('(') ? this.attempt(() => this.call(name)) : undefined;
    return call === undefined || call instanceof ExpressionError ? { kind: 'name', name } : call;
  }

  private name(): string | undefined {
    const start = this.cursor.at;
    const name = this.cursor.match(NAME);
    return name === undefined ? undefined : this.withHyphens(start, name, []);
  }

  private key(of: Node, steps: readonly AccessStep[]): string | undefined {
    const start = this.cursor.at;
    const key = this.cursor.match(KEY);
    if (key === undefined || of.kind !== 'name' || this.cursor.source[this.cursor.at] !== '-' || steps.length > HYPHEN_STEPS) return key;
    const before = steps.flatMap((step) => ('key' in step ? step.key : []));
    return before.length === steps.length ? this.withHyphens(start, key, [of.name, ...before]) : key;
  }

  /** Decides whether `first-name` is one name or a subtraction; records candidates that the context has to decide. */
  private withHyphens(start: number, name: string, before: readonly string[]): string {
    if (this.cursor.source[this.cursor.at] !== '-') return name;
    const whole = this.hyphenatedNames.get(start);
    if (whole !== undefined) {
      this.cursor.at = whole;
      return this.cursor.source.slice(start, whole);
    }
    const at = this.cursor.at;
    const tail = this.cursor.match(HYPHENS);
    this.cursor.at = at;
    const pieces = tail?.slice(1).split('-') ?? [];
    for (let count = pieces.length; count > 0; count--) {
      const longer = [name, ...pieces.slice(0, count)].join('-');
      this.hyphenated.push({ at: start, end: start + longer.length, path: [...before, longer] });
    }
    return name;
  }

  /** Parses, or resets the parser and returns the error. */
  private attempt(read: () => Node): Node | ExpressionError {
    const { depth } = this;
    const { at } = this.cursor;
    const known = this.hyphenated.length;
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.cursor.at = at;
      this.depth = depth;
      this.hyphenated.length = known;
      return error;
    }
  }

  private deeper(read: () => Node): Node {
    if (++this.depth > EXPRESSION_LIMITS.depth)
      throw new ExpressionError('parse', `the expression is nested more than ${EXPRESSION_LIMITS.depth} levels deep`);
    const node = read();
    this.depth--;
    return node;
  }
}
