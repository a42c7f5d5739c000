import { baseOf, distinct } from '../names.js';
import type { ReadNotebook } from '../read-notebook.js';
import type { CallItem, Card } from '../syntax.js';
import { labelOfCard, writtenOptions } from './parts.js';
import { comparisonOf, storesUnnamed, useOf, variableOf, waysOf } from './uses.js';
import { isPlainName, literal, Refused, replaced, type TextChange, targetLike } from './write.js';

/** Renames a card and everything that leads to it. Labels that contacts see stay the same, and so do the names of stored answers. */
export function renamedCard(notebook: ReadNotebook, name: string, to: string): TextChange[] {
  const definitions = notebook.cards.get(name);
  if (!definitions) throw new Refused(`There is no card ${name}.`);
  if (to === name) return [];
  if (!isPlainName(to)) throw new Refused('The name of a card is one word of letters, digits and _, such as OpeningHours.');
  const similar = [...notebook.cards.keys()].find((other) => other !== name && baseOf(other) === baseOf(to));
  if (similar !== undefined) throw new Refused(`There is a card ${similar} already.`);
  if (baseOf(to) !== baseOf(name)) for (const card of definitions) checkVariables(notebook, card);
  const ways = waysOf(notebook).filter(({ target }) => target.name === name);
  const spelled = new Set<CallItem>();
  for (const { card, item } of ways) {
    if (item?.kind !== 'call') continue;
    checkComparisons(notebook, card, item, name, to);
    // The label of such a button is the name of its card.
    if (item.choices?.kind === 'cards' && !definitions.some(({ head }) => head.label)) spelled.add(item);
  }
  return [
    ...definitions.map(({ nameAt }) => replaced(nameAt, targetLike(to))),
    ...ways.map(({ target: { start, end } }) => replaced({ start, end: notebook.source[end - 1] === ':' ? end - 1 : end }, to)),
    ...[...spelled].flatMap((item) => withLabels(notebook, item)),
  ];
}

/** `[Card, Other]` as `Card: "label", Other: "label"`, so that each has a label of its own. @param labelOf the code of the label; by default its own */
export function withLabels(
  { tokens, ...notebook }: ReadNotebook,
  { choices }: CallItem,
  labelOf: (option: number) => string | undefined = () => undefined,
): TextChange[] {
  const written = writtenOptions(choices);
  const open = tokens.before(written[0]!.part.start);
  const close = tokens.matches[open]!;
  if (tokens.kinds[open] !== '[' || choices?.kind !== 'cards') throw new Refused('These buttons cannot be written with labels.');
  return [
    { from: tokens.starts[open]!, to: tokens.ends[open]!, insert: '' },
    ...written.map(({ target }, i): TextChange => {
      const { end, name } = target!;
      const own = labelOfCard(notebook, name);
      const label = labelOf(i) ?? (own ? notebook.source.slice(own.start, own.end) : literal(name));
      return { from: end, to: end, insert: `: ${label}` };
    }),
    { from: tokens.starts[close]!, to: tokens.ends[close]!, insert: '' },
  ];
}

function checkVariables(notebook: ReadNotebook, card: Card): void {
  for (const item of card.items) {
    if (item.kind !== 'call' || !storesUnnamed(item)) continue;
    const variable = variableOf(notebook, card, item);
    const use = useOf(notebook, variable);
    if (use)
      throw new Refused(
        `${lineOf(notebook, use)} uses ${variable}, the answer to this card. Give it a name in the text first, such as answer = ${item.word.name}(…).`,
      );
  }
}

function checkComparisons(notebook: ReadNotebook, card: Card, item: CallItem, name: string, to: string): void {
  const names = writtenOptions(item.choices).flatMap(({ target }) => (target ? baseOf(target.name === name ? to : target.name) : []));
  const use = comparisonOf(notebook, card, item, distinct(names));
  if (use) throw new Refused(`${lineOf(notebook, use)} compares the answer with the button to this card. Change it in the text first.`);
}

const lineOf = ({ lines }: ReadNotebook, { start }: { readonly start: number }): string => `Line ${lines.at(start).line}`;
