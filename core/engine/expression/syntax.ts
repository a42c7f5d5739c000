import type { CalendarDate, ClockTime } from './calendar.js';

/** An expression as read. Plain data: it is cached and shared. */
export type Node =
  | { readonly kind: 'constant'; readonly value: null | boolean | number | string | CalendarDate | ClockTime }
  /** A date with a time; without an offset it is in the zone of whoever evaluates it. */
  | { readonly kind: 'moment'; readonly wallMs: number; readonly offset: number | undefined }
  /** Quoted text that is a template itself. */
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'capture'; readonly index: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: 'access'; readonly of: Node; readonly steps: readonly AccessStep[] }
  /** Operators of one level, applied from left to right; flat, so that a long chain is not a deep tree. */
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

/** What an author may write, the operator it means, and how tightly it binds. Longer spellings first. */
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

/** A template as read: text, and blocks to be replaced by their values. */
export type TemplateNode = string | Block | Fault;

export interface Block {
  readonly node: Node;
  /** As it was written, with its `@`. */
  readonly source: string;
  /** Stands right behind a letter or digit, as in an e-mail address. */
  readonly glued: boolean;
}

/** An `@` that starts nothing; it is printed as it is. */
export interface Fault {
  readonly source: '@';
  readonly reason: string;
}

/** A name with hyphens that could be one name or a subtraction; the context decides. */
export interface Hyphenated {
  readonly at: number;
  readonly end: number;
  readonly path: readonly string[];
}

export interface Parsed<T> {
  readonly tree: T;
  readonly hyphenated: readonly Hyphenated[];
}

/** Where hyphenated names that exist start, and where they end. */
export type WholeNames = ReadonlyMap<number, number>;
