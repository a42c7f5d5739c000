import { templateOf } from '../draft.js';
import { baseOf, distinct, nameOfLabel } from '../names.js';
import type { ReadNotebook } from '../read-notebook.js';
import type { CallItem, Card, Item, Span, Target } from '../syntax.js';
import { words } from '../words.js';
import { conditionsIn, endsOf, labelOfCard, type Offer, offersOf, shownText, textsOf, type Written, writtenOptions } from './parts.js';
import { renamedCard, withLabels } from './rename.js';
import { comparisonOf, useOf, variableOf, variablesOf, type Way, waysOf } from './uses.js';
import {
  indentOfFence,
  isPlainName,
  literal,
  marginAt,
  Refused,
  replaced,
  type TextChange,
  targetLike,
  textLike,
  withoutCards,
  withoutOptions,
  withoutStatement,
} from './write.js';

/** An edit of a card. `at` is that of a part, and `text` makes a new card with the name `to`, which says it. */
export type CanvasAction =
  | { readonly kind: 'text'; readonly at: number; readonly content: string }
  | { readonly kind: 'add_button'; readonly at: number; readonly label: string; readonly to: string; readonly text?: string | undefined }
  | { readonly kind: 'rename_button'; readonly at: number; readonly label: string }
  | { readonly kind: 'delete_button'; readonly at: number }
  /** `to`: null ends the journey there. */
  | { readonly kind: 'connect'; readonly at: number; readonly to: string | null; readonly text?: string | undefined }
  /** `at` is that of the condition. */
  | { readonly kind: 'condition'; readonly at: number; readonly content: string }
  | { readonly kind: 'rename_card'; readonly card: string; readonly to: string }
  | { readonly kind: 'delete_card'; readonly card: string };

const GONE = 'This part of the card is no longer there. Select the card again.';

export interface Made {
  readonly changes: readonly TextChange[];
  readonly also?: readonly string[];
}

/** Makes the edits of one notebook. Throws `Refused` where the text cannot express them. */
export class Editing {
  private readonly notebook: ReadNotebook;

  constructor(notebook: ReadNotebook) {
    this.notebook = notebook;
  }

  edit(action: CanvasAction): Made {
    switch (action.kind) {
      case 'text':
        return this.text(action.at, plainLines(action.content));
      case 'add_button':
        return this.addButton(action.at, action.to, this.label(action.label), action.text);
      case 'rename_button':
        return this.rename(action.at, this.label(action.label));
      case 'delete_button':
        return this.deleteButton(action.at);
      case 'connect':
        return this.connect(action.at, action.to, action.text);
      case 'condition':
        return this.condition(action.at, action.content.trim());
      case 'rename_card':
        return { changes: renamedCard(this.notebook, action.card, action.to) };
      case 'delete_card':
        return this.deleteCard(action.card);
    }
  }

  private get cards(): readonly Card[] {
    return this.notebook.program.cards;
  }

  private text(at: number, content: string): Made {
    const said = this.cards.flatMap(({ items }) => textsOf(items)).find(({ value }) => value.start === at);
    if (!said) throw new Refused(GONE);
    if (said.value.content === undefined) throw new Refused(`The text is computed: ${said.value.text}. Change it in the text.`);
    if (shownText(this.notebook, said.value) === content) return { changes: [] };
    return { changes: [replaced(said.value, textLike(this.notebook, said.value, content))] };
  }

  private condition(at: number, content: string): Made {
    const when = conditionsIn(this.notebook).find(({ start }) => start === at);
    if (!when) throw new Refused(GONE);
    if (content === '') throw new Refused('A condition is an expression, such as age > 17. To have none, delete it in the text.');
    return { changes: [replaced(when, content)] };
  }

  private label(label: string): string {
    const line = label.trim();
    if (line === '') throw new Refused('A button needs a label.');
    if (/[\r\n]/.test(line)) throw new Refused('The label of a button is one line.');
    return line;
  }

  private addButton(at: number, to: string, label: string, text: string | undefined): Made {
    const card = this.cards.find(({ start }) => start === at);
    if (!card) throw new Refused(GONE);
    const created = this.created(card, to, text, undefined);
    if (!isPlainName(to)) throw new Refused(`A button cannot lead to a card whose name is in quotes: ${to}.`);
    const offer = offersOf(card).at(-1);
    const option = `${to}: ${literal(label)}`;
    if (!offer) return { changes: [...this.asChoice(card, option), ...created] };
    const { choices, word } = offer.call;
    if (choices?.kind === 'dynamic')
      throw new Refused('The buttons of this card are computed while the journey runs. Change them in the text.');
    if (!choices) throw new Refused(`The buttons of ${word.name}(…) are those of the approved template.`);
    if (choices.kind === 'labels')
      throw new Refused(
        'The buttons of this card all lead where the card continues. Write Card: "label" in the text to let each lead elsewhere.',
      );
    const written = writtenOptions(choices);
    if (written.length >= word.mostChoices!)
      throw new Refused(
        word.name === 'list'
          ? `A list has at most ${word.mostChoices} rows.`
          : `A message has at most ${word.mostChoices} buttons. In the text, list(…) offers up to ${words.get('list')!.mostChoices} rows.`,
      );
    this.checkLabels(written, label);
    const last = written.at(-1)!.part;
    const isOnLine = marginAt(this.notebook.source, last.start) !== '';
    const insert = isOnLine ? `,\n${marginAt(this.notebook.source, last.start)}${option}` : `, ${option}`;
    const { end } = choices.kind === 'cards' ? written.at(-1)!.target! : last;
    const spelled = choices.kind === 'cards' ? withLabels(this.notebook, offer.call) : [];
    return { changes: [...spelled, { from: end, to: end, insert }, ...created] };
  }

  /** The last text of a card, with the picture before it, becomes the message of a choice. */
  private asChoice({ items }: Card, option: string): TextChange[] {
    const last = items.at(-1);
    if (last?.kind !== 'call' || last.word.name !== 'text' || last.name !== undefined)
      throw new Refused('A button belongs to a text at the end of a card. Write where it belongs in the text.');
    const { source } = this.notebook;
    const before = items.at(-2);
    const first = isMedium(before) ? before : last;
    const margin = ' '.repeat(indentOfFence(this.notebook.tokens, first.start));
    const own = marginAt(source, first.start) || margin;
    return [
      { from: first.start, to: first.start, insert: `buttons(${option}) do\n${own}  ` },
      ...(first === last || marginAt(source, last.start) === '' ? [] : [{ from: last.start, to: last.start, insert: '  ' }]),
      { from: last.end, to: last.end, insert: `\n${own}end` },
    ];
  }

  private checkLabels(written: readonly Written[], label: string): void {
    const labels = written.map((option) => this.labelOf(option).toLowerCase());
    if (labels.includes(label.toLowerCase())) throw new Refused(`There is a button “${label}” already.`);
  }

  private labelOf({ label, target }: Written): string {
    const own = label ?? labelOfCard(this.notebook, target!.name);
    return own ? templateOf(own) : target!.name;
  }

  /** The option that begins at a place. */
  private option(at: number): { readonly offer: Offer; readonly written: readonly Written[]; readonly index: number } {
    for (const offer of this.cards.flatMap(offersOf)) {
      const written = writtenOptions(offer.call.choices);
      const index = written.findIndex(({ part }) => part.start === at);
      if (index >= 0) return { offer, written, index };
      const isFixed = offer.call.choices?.kind === 'dynamic' && offer.call.choices.target.start === at;
      if (isFixed) throw new Refused('These buttons are computed while the journey runs. Change them in the text.');
    }
    if (waysOf(this.notebook).some(({ target }) => target.start === at))
      throw new Refused('The buttons of an approved template cannot be edited here. Change them in the text.');
    throw new Refused(GONE);
  }

  private rename(at: number, label: string): Made {
    const { offer, written, index } = this.option(at);
    const option = written[index]!;
    if (this.labelOf(option) === label) return { changes: [] };
    if (option.label && option.label.content === undefined)
      throw new Refused(`The label is computed: ${option.label.text}. Change it in the text.`);
    this.checkLabels(
      written.filter((one) => one !== option),
      label,
    );
    if (!option.label) return { changes: withLabels(this.notebook, offer.call, (i) => (i === index ? literal(label) : undefined)) };
    if (!option.target) {
      const labels = written.map((one) => (one === option ? label : templateOf(one.label!)));
      this.checkComparisons(offer, distinct(labels.map(nameOfLabel)));
    }
    return { changes: [replaced(option.label, textLike(this.notebook, option.label, label))] };
  }

  private deleteButton(at: number): Made {
    const { offer, written, index } = this.option(at);
    return { changes: this.without(offer, written, new Set([index])) };
  }

  private without(offer: Offer, written: readonly Written[], removed: ReadonlySet<number>, outside?: string): TextChange[] {
    const changes = withoutOptions(this.notebook, written, removed);
    const kept = written.filter((_, i) => !removed.has(i));
    const names = distinct(kept.map(({ target, label }) => (target ? baseOf(target.name) : nameOfLabel(templateOf(label!)))));
    this.checkComparisons(offer, names, outside);
    const variable = variableOf(this.notebook, offer.card, offer.call);
    const counted = useOf(this.notebook, variable, { fits: (text) => text.toLowerCase().includes(`${variable}.index`), outside });
    if (counted) throw new Refused(`Line ${this.lineOf(counted)} uses the position of the chosen button. Change it in the text first.`);
    return changes;
  }

  private checkComparisons({ card, call }: Offer, names: readonly string[], outside?: string): void {
    const use = comparisonOf(this.notebook, card, call, names, outside);
    if (use) throw new Refused(`Line ${this.lineOf(use)} compares the answer with this button. Change it in the text first.`);
  }

  private connect(at: number, to: string | null, text: string | undefined): Made {
    const ends = this.cards.flatMap((card) => endsOf(card).map((end) => ({ card, end })));
    const found = ends.find(({ end }) => end.at === at);
    if (found) return { changes: this.connectEnd(found.card, found.end.target, at === found.card.start, to, text) };
    const way = waysOf(this.notebook).find(({ target, item }) => target.start === at && item !== undefined);
    const isLabel = !way && this.option(at).written.length > 0;
    if (isLabel) throw new Refused('This button leads where the card continues. Write Card: "label" in the text to let it lead elsewhere.');
    if (!way) throw new Refused(GONE);
    if (to === null) throw new Refused('A button always leads to a card.');
    return { changes: this.connectButton(way, to, text) };
  }

  private connectButton({ card, target, item, option }: Way, to: string, text: string | undefined): TextChange[] {
    const created = this.created(card, to, text, undefined);
    if (target.name === to) return [];
    const call = item as CallItem;
    const isNamed = call.choices?.kind !== 'dynamic';
    if (isNamed && !isPlainName(to)) throw new Refused(`A button cannot lead to a card whose name is in quotes: ${to}.`);
    const written = writtenOptions(call.choices);
    if (written.length > 0) {
      const names = written.map(({ target: own }, i) => baseOf(i === option ? to : own!.name));
      this.checkComparisons({ card, call }, distinct(names));
    }
    if (call.choices?.kind === 'cards') {
      // The label of such a button is that of its card.
      const label = this.labelOf(written[option!]!);
      const spelled = withLabels(this.notebook, call, (i) => (i === option ? literal(label) : undefined));
      return [...spelled, replaced(target, to), ...created];
    }
    const { start, end } = target;
    const isKey = this.notebook.source[end - 1] === ':';
    return [replaced({ start, end: isKey ? end - 1 : end }, isNamed ? to : targetLike(to)), ...created];
  }

  private connectEnd(card: Card, target: Target | undefined, isHead: boolean, to: string | null, text: string | undefined): TextChange[] {
    // A new card comes between this one and what it led to.
    const created = to === null ? [] : this.created(card, to, text, isHead ? target?.name : undefined);
    if ((target?.name ?? null) === to) return [];
    if (to !== null && target) return [replaced(target, targetLike(to)), ...created];
    const { tokens, layout } = this.notebook;
    if (to === null) {
      if (!isHead) throw new Refused('This way has a condition. Delete its line in the text.');
      return [this.withoutNext(card)];
    }
    const [start] = layout.bodies.find(([, end]) => tokens.ends[end] === card.end)!;
    const place = tokens.ends[start - 1]!;
    return [{ from: place, to: place, insert: `, then: ${targetLike(to)}` }, ...created];
  }

  /** Removes `, then: Card` or `, then(Card)` from a head. */
  private withoutNext({ head }: Card): TextChange {
    const { tokens } = this.notebook;
    const target = tokens.before(head.next!.end);
    const isCall = tokens.kinds[target - 1] === '(';
    const comma = target - (isCall ? 3 : 2);
    const [from, to] = [tokens.starts[comma]!, tokens.ends[isCall ? target + 1 : target]!];
    if (tokens.comments.some((start) => from <= start && start < to))
      throw new Refused('There is a comment beside then: of this card. Delete it in the text.');
    return { from, to, insert: '' };
  }

  /** A new card below another one, if `text` is given; else it has to be there. */
  private created(after: Card, name: string, text: string | undefined, next: string | undefined): TextChange[] {
    const known = [...this.notebook.cards.keys()];
    if (text === undefined) {
      if (!this.notebook.cards.has(name)) throw new Refused(`There is no card ${name}.`);
      return [];
    }
    const similar = known.find((other) => baseOf(other) === baseOf(name));
    if (similar !== undefined) throw new Refused(`There is a card ${similar} already.`);
    if (!isPlainName(name)) throw new Refused('The name of a card is one word of letters, digits and _, such as OpeningHours.');
    const { source, tokens } = this.notebook;
    let last = after;
    for (let i = this.cards.indexOf(after) + 1; this.cards[i]?.name === after.name && this.cards[i]!.fence === after.fence; i++)
      last = this.cards[i]!;
    const margin = marginAt(source, last.start) || ' '.repeat(indentOfFence(tokens, last.start));
    const said = plainLines(text);
    const items = said === '' ? '' : `${margin}  text(${literal(said, '"', indentOfFence(tokens, last.start))})\n`;
    const card = `${margin}card ${name}${next === undefined ? '' : `, then: ${targetLike(next)}`} do\n${items}${margin}end`;
    const rest = /^[ \t]*(?:#[^\n]*)?(?=\n|$)/.exec(source.slice(last.end, last.fence.to));
    const place = last.end + (rest?.[0].length ?? 0);
    return [{ from: place, to: place, insert: `\n\n${card}${rest ? '' : '\n\n'}` }];
  }

  private deleteCard(name: string): Made {
    const definitions = this.notebook.cards.get(name);
    if (!definitions) throw new Refused(`There is no card ${name}.`);
    if (this.cards[0]!.name === name) throw new Refused('The journey begins with this card. Put another card before it in the text first.');
    for (const variable of definitions.flatMap((card) => variablesOf(this.notebook, card))) {
      const isElsewhere = this.cards.some((card) => card.name !== name && variablesOf(this.notebook, card).includes(variable));
      const use = isElsewhere ? undefined : useOf(this.notebook, variable, { outside: name });
      if (use) throw new Refused(`Line ${this.lineOf(use)} uses ${variable}, which only this card sets. Change it in the text first.`);
    }
    const ways = waysOf(this.notebook).filter((way) => way.target.name === name && way.card.name !== name);
    const also: string[] = [];
    const changes = withoutCards(this.notebook, definitions);
    const byItem = new Map<Item | Card, Way[]>();
    for (const way of ways) byItem.set(way.item ?? way.card, [...(byItem.get(way.item ?? way.card) ?? []), way]);
    for (const [item, own] of byItem) {
      const { card } = own[0]!;
      const place = `Line ${this.lineOf(own[0]!.target)}, card ${card.name}`;
      if (!('kind' in item)) {
        changes.push(this.withoutNext(card));
        also.push(`${place}: it ends there instead of continuing with ${name}.`);
      } else if (item.kind === 'then') {
        changes.push(withoutStatement(this.notebook.source, item));
        also.push(`${place}: then(${name}…) is deleted.`);
      } else {
        const written = writtenOptions((item as CallItem).choices);
        const removed = new Set(own.flatMap(({ option }) => option ?? []));
        if (written.length === 0) throw new Refused(`${place}: its buttons lead to ${name}. Change them in the text first.`);
        if (removed.size === written.length) throw new Refused(`${place}: its buttons all lead to ${name}. Let one lead elsewhere first.`);
        changes.push(...this.without({ card, call: item as CallItem }, written, removed, name));
        also.push(`${place}: ${[...removed].map((i) => `the button “${this.labelOf(written[i]!)}”`).join(' and ')} is deleted.`);
      }
    }
    return { changes, also };
  }

  private lineOf({ start }: Span): number {
    return this.notebook.lines.at(start).line;
  }
}

const plainLines = (text: string): string => text.replace(/\r\n?/g, '\n');

const isMedium = (item: Item | undefined): item is CallItem =>
  item?.kind === 'call' && item.name === undefined && ['image', 'video', 'audio', 'document'].includes(item.word.name);
