import { templateOf } from '../draft.js';
import type { Expression } from '../expression.js';
import { inWords } from '../in-words.js';
import { type ReadNotebook, readNotebook } from '../read-notebook.js';
import type { CallItem, Card, Choices, Item, Span, Target } from '../syntax.js';

/** The parts of a card that an author can edit without writing code. `at` names a part: it is valid for the text that was read. */
export interface CardParts {
  /** The definitions of the card, in the order of the text. */
  readonly clauses: readonly ClauseParts[];
}

export interface ClauseParts {
  readonly at: number;
  /** Its condition in words. */
  readonly condition: string | null;
  readonly when?: ConditionPart;
  readonly texts: readonly TextPart[];
  readonly buttons: readonly ButtonPart[];
  readonly ends: readonly EndPart[];
}

export interface TextPart {
  readonly at: number;
  /** The word of the notebook, such as `text` or `footer`. */
  readonly word: string;
  readonly content: string;
  /** Why it cannot be edited. */
  readonly fixed?: string;
}

export interface ButtonPart {
  readonly at: number;
  readonly label: string;
  /** The card that it leads to; null if it leads where its card continues. */
  readonly to: string | null;
  /** Why its label cannot be edited. */
  readonly fixed?: string;
}

/** Where a card continues without a button. */
export interface EndPart {
  readonly at: number;
  readonly condition: string | null;
  readonly when?: ConditionPart;
  /** Null: the journey ends. */
  readonly to: string | null;
}

/** A condition as it is written. */
export interface ConditionPart {
  readonly at: number;
  readonly content: string;
  /** Why it cannot be edited. */
  readonly fixed?: string;
}

/** The parts of a card; undefined if the text has errors or no such card. */
export function partsOf(text: string, name: string): CardParts | undefined {
  const notebook = readNotebook(text);
  const definitions = notebook.findings.hasErrors ? undefined : notebook.cards.get(name);
  return definitions && { clauses: definitions.map((card) => clauseOf(notebook, card)) };
}

function clauseOf(notebook: ReadNotebook, card: Card): ClauseParts {
  const { start, head, items } = card;
  return {
    at: start,
    ...conditionOf(notebook, head.when),
    texts: textsOf(items).map(({ word, value }) => ({
      at: value.start,
      word,
      content: shownText(notebook, value),
      ...(value.content === undefined && { fixed: 'It is computed while the journey runs.' }),
    })),
    buttons: offersOf(card).flatMap(({ call }) => buttonsOf(notebook, call)),
    ends: endsOf(card).map(({ at, when, target }) => ({ at, ...conditionOf(notebook, when), to: target?.name ?? null })),
  };
}

function conditionOf({ source }: ReadNotebook, when: Expression | undefined): Pick<ClauseParts, 'condition' | 'when'> {
  if (!when) return { condition: null };
  const content = source.slice(when.start, when.end);
  const fixed = content.includes('\n') && { fixed: 'It has several lines. Change it in the text.' };
  return { condition: inWords(when.text), when: { at: when.start, content, ...fixed } };
}

/** Every condition of a card or of a way. */
export const conditionsIn = ({ program }: ReadNotebook): readonly Expression[] =>
  program.cards.flatMap((card) => [card.head.when, ...endsOf(card).map(({ when }) => when)]).filter((when) => when !== undefined);

/** A text as people edit it. The line break that every `"""` text ends with is not shown. */
export function shownText({ tokens }: ReadNotebook, value: Expression): string {
  if (value.content === undefined) return templateOf(value);
  return tokens.kinds[tokens.before(value.end)] === 'heredoc' ? value.content.slice(0, -1) : value.content;
}

/** Everything that a card says in words of its own, with the word of its item. */
export const textsOf = (items: readonly Item[]): readonly { readonly word: string; readonly value: Expression }[] =>
  items
    .flatMap((item) => (item.kind === 'call' ? [item, ...item.body] : []))
    .flatMap(({ word: { name }, args }) => {
      const argument = args.get(name === 'list' ? 'button' : 'text');
      return argument?.kind === 'value' && SAID.has(name) ? [{ word: name, value: argument.value }] : [];
    });

const SAID: ReadonlySet<string> = new Set(['text', 'header', 'footer', 'ask', 'list']);

export interface Offer {
  readonly card: Card;
  readonly call: CallItem;
}

/** The items of a card that offer buttons or rows. */
export const offersOf = (card: Card): readonly Offer[] =>
  card.items.flatMap((item) => (item.kind === 'call' && (item.choices || item.args.get('buttons')) ? [{ card, call: item }] : []));

/** An option of a choice, as it is written. `target` is what is replaced to lead elsewhere, `label` what is replaced to be named otherwise. */
export interface Written {
  readonly part: Span;
  readonly target: Target | undefined;
  readonly label: Expression | undefined;
}

/** The written options; none for options that are computed. */
export function writtenOptions(choices: Choices | undefined): readonly Written[] {
  switch (choices?.kind) {
    case 'named':
      return choices.options.map(({ target, label }) => ({ part: { start: target.start, end: label.end }, target, label }));
    case 'cards':
      return choices.targets.map((target) => ({ part: target, target, label: undefined }));
    case 'labels':
      return choices.labels.map((label) => ({ part: label, target: undefined, label }));
    default:
      return [];
  }
}

function buttonsOf(notebook: ReadNotebook, { choices, args, word }: CallItem): ButtonPart[] {
  if (choices?.kind === 'dynamic') {
    const fixed = 'The labels are computed while the journey runs.';
    return [{ at: choices.target.start, label: `@(${choices.value.text})`, to: choices.target.name, fixed }];
  }
  const listed = args.get('buttons');
  if (listed?.kind === 'cards') {
    const fixed = `The labels of ${word.name}(…) are those of the approved template.`;
    return listed.targets.map(({ start, name }, i) => ({ at: start, label: `Button ${i + 1}`, to: name, fixed }));
  }
  return writtenOptions(choices).map(({ part, target, label }) => ({
    at: part.start,
    label: label ? templateOf(label) : target ? labelOf(notebook, target.name) : '',
    to: target?.name ?? null,
    ...(label && label.content === undefined && { fixed: 'The label is computed while the journey runs.' }),
  }));
}

/** The label of a card, for buttons that are written as a list of cards. */
function labelOf(notebook: ReadNotebook, name: string): string {
  const label = labelOfCard(notebook, name);
  return label ? templateOf(label) : name;
}

export const labelOfCard = ({ cards }: Pick<ReadNotebook, 'cards'>, name: string): Expression | undefined =>
  cards.get(name)?.find(({ head }) => head.label)?.head.label;

/** Where a clause continues: each `then(…)` of it, and its `then:` unless a `then(…)` without a condition makes that unreachable. */
export function endsOf({ start, items, head }: Card): readonly { at: number; when: Expression | undefined; target: Target | undefined }[] {
  const routes = items.flatMap((item) => (item.kind === 'then' ? [{ at: item.start, when: item.when, target: item.target }] : []));
  const isLeft = routes.some(({ when }) => when === undefined) && !head.next;
  return isLeft ? routes : [...routes, { at: start, when: undefined, target: head.next }];
}
