import type { Expression } from './expression.js';
import type { Fence } from './markdown.js';
import type { Word } from './words.js';

/** The syntax tree. Starts and ends are offsets in the notebook. */
export interface Program {
  readonly cards: readonly Card[];
  readonly triggers: readonly TriggerNode[];
  readonly timeout: number | undefined;
  /** Name of the first `stack … do`. */
  readonly name: string | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One definition of a card. Definitions of the same name are clauses. */
export interface Card extends Span {
  readonly name: string;
  readonly nameAt: Span;
  readonly head: Head;
  readonly items: readonly Item[];
  readonly fence: Fence;
}

export interface Head {
  readonly label?: Expression | undefined;
  readonly when?: Expression | undefined;
  /** Target of `then:`. */
  readonly next?: Target | undefined;
  /** `version`, `uuid`, `code_generator`. */
  readonly options: ReadonlyMap<string, string>;
}

/** A reference to a card. */
export interface Target extends Span {
  readonly name: string;
}

export type Item =
  | (Span & { readonly kind: 'assign'; readonly name: string; readonly value: Expression })
  | (Span & { readonly kind: 'value'; readonly value: Expression })
  | (Span & { readonly kind: 'then'; readonly target: Target; readonly when: Expression | undefined })
  | CallItem;

export interface CallItem extends Span {
  readonly kind: 'call';
  readonly word: Word;
  /** The variable it is assigned to. */
  readonly name: string | undefined;
  /** Arguments by parameter name. */
  readonly args: ReadonlyMap<string, Argument>;
  /** Keyword arguments that are not parameters of the word, such as contact fields. */
  readonly rest: readonly NamedExpression[];
  readonly choices: Choices | undefined;
  readonly body: readonly CallItem[];
}

export interface NamedExpression extends Span {
  readonly name: string;
  readonly value: Expression;
}

/** The argument of a parameter. */
export type Argument =
  | { readonly kind: 'value'; readonly value: Expression }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'pairs'; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'cards'; readonly targets: readonly Target[] };

/** Choices: cards with labels, cards with their own labels, labels alone, or computed at run time. */
export type Choices =
  | { readonly kind: 'named'; readonly options: readonly { readonly target: Target; readonly label: Expression }[] }
  | { readonly kind: 'cards'; readonly targets: readonly Target[] }
  | { readonly kind: 'labels'; readonly labels: readonly Expression[] }
  | { readonly kind: 'dynamic'; readonly target: Target; readonly value: Expression };

export type TriggerNode = Span & {
  readonly on?: string | undefined;
  readonly interval?: string | undefined;
  readonly relativeTo?: string | undefined;
  readonly when?: Expression | undefined;
};
