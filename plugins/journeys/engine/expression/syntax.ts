import type { CalendarDate, ClockTime } from './calendar.js';

/** A parsed expression. Plain data, because it is cached and shared. */
export type Node =
  | { readonly kind: 'constant'; readonly value: null | boolean | number | bigint | string | CalendarDate | ClockTime }
  /** A date with a time; without an offset, in the time zone of the evaluation. */
  | { readonly kind: 'moment'; readonly wallMs: number; readonly offset: number | undefined }
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'capture'; readonly index: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: 'access'; readonly of: Node; readonly steps: readonly AccessStep[] }
  /** Operators of one level, applied from left to right. Flat, so that a long chain does not become a deep tree. */
  | { readonly kind: 'chain'; readonly first: Node; readonly links: readonly Link[] }
  | { readonly kind: 'not'; readonly of: Node }
  | { readonly kind: 'negate'; readonly of: Node }
  | { readonly kind: 'power'; readonly base: Node; readonly exponent: Node }
  | { readonly kind: 'range'; readonly first: Node; readonly last: Node; readonly step: Node | undefined }
  | { readonly kind: 'lambda'; readonly body: Node };

export type AccessStep = { readonly key: string } | { readonly index: Node };

export interface Link {
  readonly operator: Operator;
  readonly right: Node;
}

export type Operator = 'or' | 'and' | '=' | '!=' | '<' | '<=' | '>' | '>=' | '&' | '+' | '-' | '*' | '/' | '%';

/** The spellings of operators, and their precedence. Longer spellings come first because the parser takes the first match. */
export const OPERATORS: readonly { readonly spelling: string; readonly operator: Operator; readonly level: number }[] = [
  { spelling: '==', operator: '=', level: 3 },
  { spelling: '!=', operator: '!=', level: 3 },
  { spelling: '<>', operator: '!=', level: 3 },
  { spelling: '<=', operator: '<=', level: 4 },
  { spelling: '>=', operator: '>=', level: 4 },
  { spelling: '=', operator: '=', level: 3 },
  { spelling: '<', operator: '<', level: 4 },
  { spelling: '>', operator: '>', level: 4 },
  { spelling: '&', operator: '&', level: 5 },
  { spelling: '+', operator: '+', level: 6 },
  { spelling: '-', operator: '-', level: 6 },
  { spelling: '*', operator: '*', level: 7 },
  { spelling: '/', operator: '/', level: 7 },
  { spelling: '%', operator: '%', level: 7 },
];

export const OR_LEVEL = 1;
export const AND_LEVEL = 2;
export const EQUALITY_LEVEL = 3;

/** A part of a parsed template: literal text, an expression, or an `@` without one. */
export type TemplateNode = string | TemplateExpression | LoneAt;

export interface TemplateExpression {
  readonly node: Node;
  /** The source text, including the `@`. */
  readonly source: string;
  /** Whether the `@` follows a letter or digit, as in an e-mail address. */
  readonly isAfterWord: boolean;
}

/** An `@` that does not begin an expression; it is printed as it is. */
export interface LoneAt {
  readonly source: '@';
  readonly reason: string;
}

/** A sequence such as `first-name` that is one name if the context has it, else a subtraction. */
export interface Hyphenated {
  readonly at: number;
  readonly end: number;
  readonly path: readonly string[];
}

export interface Parsed<T> {
  readonly tree: T;
  readonly hyphenated: readonly Hyphenated[];
}

/** The start and end positions of hyphenated names that exist in the context. */
export type HyphenatedNames = ReadonlyMap<number, number>;
