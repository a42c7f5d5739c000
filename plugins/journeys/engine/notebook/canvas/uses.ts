import { expressionRoots, templateRoots } from '../../expression/check.js';
import { isClause, isGuarded } from '../check.js';
import type { Expression } from '../expression.js';
import { baseOf } from '../names.js';
import type { ReadNotebook } from '../read-notebook.js';
import type { CallItem, Card, Target } from '../syntax.js';
import { choiceNames } from '../write-choices.js';

/** Words whose answer or result is stored under the name of their card, if it has no name of its own. */
const STORING: ReadonlySet<string> = new Set(['ask', 'buttons', 'list', 'get', 'post', 'put', 'patch', 'delete']);

/** The variable that a call sets, in lower case. In a card with conditions, its clause is part of the name. */
export function variableOf(notebook: ReadNotebook, card: Card, call: CallItem): string {
  if (call.name !== undefined) return call.name.toLowerCase();
  const definitions = notebook.cards.get(card.name)!;
  const clauses = definitions.filter((definition) => isClause(definitions, definition));
  const base = baseOf(card.name);
  return isGuarded(definitions) ? `${base}_case_condition_${clauses.indexOf(card)}` : base;
}

/** Whether the variable that a call sets has the name of its card. */
export const storesUnnamed = ({ name, word }: CallItem): boolean => name === undefined && STORING.has(word.name);

/** The variables that a definition of a card sets, in lower case. */
export const variablesOf = (notebook: ReadNotebook, card: Card): readonly string[] =>
  card.items.flatMap((item) => {
    if (item.kind === 'assign') return [item.name.toLowerCase()];
    if (item.kind !== 'call') return [];
    return item.name !== undefined || STORING.has(item.word.name) ? [variableOf(notebook, card, item)] : [];
  });

/** The first expression that reads a variable, with a text that fits, outside of the cards of a name. */
export function useOf(
  { program: { cards, triggers } }: ReadNotebook,
  variable: string,
  { fits = () => true, outside }: { readonly fits?: (text: string) => boolean; readonly outside?: string | undefined } = {},
): Expression | undefined {
  return expressionsIn([...cards.filter(({ name }) => name !== outside), ...triggers]).find(({ kind, text, content }) => {
    if (!fits(text)) return false;
    const roots = kind === 'text' ? templateRoots(content ?? '') : expressionRoots(text);
    return roots.some((root) => root.toLowerCase() === variable);
  });
}

/** The first expression that compares the answer of a choice with the name of an option that it would no longer have. */
export function comparisonOf(notebook: ReadNotebook, card: Card, call: CallItem, names: readonly string[], outside?: string) {
  const { choices } = call;
  const variable = variableOf(notebook, card, call);
  const lost = choices && choices.kind !== 'dynamic' ? choiceNames(choices).filter((name) => !names.includes(name)) : [];
  // Inside of a text, the quotes of an expression are escaped.
  const quotes = lost.flatMap((name) => [`"${name}"`, `'${name}'`, `"${name}\\"`]);
  return useOf(notebook, variable, { fits: (text) => quotes.some((quoted) => text.includes(quoted)), outside });
}

/** Every expression of a part of the syntax tree. Descriptions of the language itself are left out. */
function expressionsIn(part: unknown): readonly Expression[] {
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap(expressionsIn);
  if (part instanceof Map) return [...part.values()].flatMap(expressionsIn);
  if ('text' in part && 'content' in part) return [part as Expression];
  return Object.entries(part).flatMap(([key, inner]) => (key === 'word' || key === 'fence' ? [] : expressionsIn(inner)));
}

/** A way from a card to another one, as the text writes it. */
export interface Way {
  readonly card: Card;
  readonly target: Target;
  /** The item that it is written in; undefined for `then:` of the head. */
  readonly item: Extract<Card['items'][number], { kind: 'then' | 'call' }> | undefined;
  /** Its place among the options of the item. */
  readonly option: number | undefined;
}

/** Every way that the cards of a notebook write. */
export const waysOf = ({ program }: ReadNotebook): readonly Way[] =>
  program.cards.flatMap((card) => [
    ...card.items.flatMap((item): Way[] => {
      if (item.kind === 'then') return [{ card, item, target: item.target, option: undefined }];
      if (item.kind !== 'call') return [];
      const listed = [...item.args.values()].flatMap((argument) => (argument.kind === 'cards' ? argument.targets : []));
      const { choices } = item;
      if (choices?.kind === 'dynamic') return [{ card, item, target: choices.target, option: undefined }];
      const targets =
        choices?.kind === 'named' ? choices.options.map(({ target }) => target) : choices?.kind === 'cards' ? choices.targets : [];
      return [...targets, ...listed].map((target, option) => ({ card, item, target, option }));
    }),
    ...(card.head.next ? [{ card, item: undefined, target: card.head.next, option: undefined }] : []),
  ]);
