import { diffLines } from 'diff';
import type { Graph } from '../../components/journey-graph/graph-data.js';

/** The text and the graph of a revision. */
export interface RevisionText {
  readonly text: string;
  readonly graph: Graph | null;
}

export interface CardChange {
  readonly card: string;
  readonly change: 'added' | 'changed' | 'removed';
  /** Empty for a card that has only one side. */
  readonly lines: readonly { readonly sign: '+' | '−'; readonly text: string }[];
}

/** A comparison stops after this time, in which the page does not respond. */
const LIMIT_MS = 200;
const FENCE = /^\s*(```|~~~)/;

/** The difference of two revisions, card by card in the order of the newer text. Text between cards is not compared. */
export function cardChanges(before: RevisionText, after: RevisionText): readonly CardChange[] {
  const [old, now] = [cardsOf(before), cardsOf(after)];
  const kept = [...now].flatMap(([card, text]): CardChange[] => {
    const previous = old.get(card);
    if (previous === undefined) return [{ card, change: 'added', lines: [] }];
    return previous === text ? [] : [{ card, change: 'changed', lines: linesOf(previous, text) }];
  });
  const removed = [...old.keys()].filter((card) => !now.has(card));
  return [...kept, ...removed.map((card): CardChange => ({ card, change: 'removed', lines: [] }))];
}

function cardsOf({ text, graph }: RevisionText): ReadonlyMap<string, string> {
  const lines = text.split(/\r?\n/);
  const cards = new Map<string, string>();
  for (const { label, places } of graph?.nodes ?? []) {
    const parts = places.map(({ line, end }) => {
      const own = lines.slice(line - 1, Math.max(line, end.line));
      // The text after the end of a block of code belongs to no card.
      const fence = own.findIndex((one) => FENCE.test(one));
      return own.slice(0, fence < 0 ? undefined : fence).join('\n');
    });
    cards.set(label, `${cards.get(label) ?? ''}${parts.join('\n').trimEnd()}\n`);
  }
  return cards;
}

function linesOf(before: string, after: string): CardChange['lines'] {
  const parts = diffLines(before, after, { timeout: LIMIT_MS });
  if (!parts) return [];
  return parts
    .filter(({ added, removed }) => added || removed)
    .flatMap(({ added, value }) =>
      value
        .trimEnd()
        .split('\n')
        .map((text) => ({ sign: added ? ('+' as const) : ('−' as const), text })),
    );
}
