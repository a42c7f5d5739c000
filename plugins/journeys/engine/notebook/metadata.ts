import type { Json, JsonObject } from '#core/basics';
import type { Clause, Draft } from './draft.js';
import type { Lines } from './lines.js';
import type { Fence } from './markdown.js';
import type { Card, Target } from './syntax.js';

const NOWHERE = { x: 0, y: 0 };

/** Builds the vendor metadata that links blocks and exits to the notebook. */
export class Metadata {
  private readonly lines: Lines;
  /** Notebook line minus code line, per fence. `meta` of the notebook metadata counts the lines of all fences joined. */
  private readonly shifts = new Map<Fence, number>();
  private readonly cards = new Map<Clause, JsonObject>();

  constructor(lines: Lines, fences: readonly Fence[]) {
    this.lines = lines;
    let count = 0;
    for (const fence of fences) {
      const first = lines.lineOf(fence.from);
      this.shifts.set(fence, first - count);
      count += Math.max(1, lines.lineOf(fence.to) - first);
    }
  }

  /** Canvas position, the notebook metadata other players read, and our own. Case blocks have no item. */
  ofBlock(draft: Draft, clause: Clause, isFirst: boolean): { ui_metadata: JsonObject; vendor_metadata: JsonObject } {
    const { itemType, span } = draft;
    const { card, index } = clause;
    const { x, y } = card.fence.canvas ?? NOWHERE;
    const { line, column } = this.lines.at(span.start);
    const dsl: Record<string, Json> = { card: this.ofCard(clause) };
    if (itemType !== undefined)
      dsl.card_item = { type: itemType, meta: { line: this.codeLine(card, line), column }, [itemType]: draft.details };
    dsl.index = isFirst && itemType !== undefined ? index : 0;
    return {
      ui_metadata: { canvas_coordinates: { x, y } },
      vendor_metadata: { io: { turn: { stacks_dsl: { '0.1.0': dsl } } }, svc: this.ownOf(draft, clause, { line, column }) },
    };
  }

  private ownOf({ itemType, item, presentation, destination }: Draft, { card, index }: Clause, source: JsonObject): JsonObject {
    const own: Record<string, Json> = { card: card.name };
    if (itemType !== undefined) {
      own.clause = index;
      own.item = item;
    }
    const { label } = card.head;
    if (label) own.label = label.content ?? label.text;
    if (presentation) own.presentation = presentation;
    if (destination) own.to = destination.name;
    own.source = source;
    return own;
  }

  /** Source of an exit, and the card it names; an empty card has no block to name it. */
  ofExit(start: number, to?: Target): JsonObject {
    const { line, column } = this.lines.at(start);
    const source = { line, column };
    return { svc: to ? { to: to.name, source } : { source } };
  }

  private ofCard(clause: Clause): JsonObject {
    const known = this.cards.get(clause);
    if (known) return known;
    const { name, head, start } = clause.card;
    const { line, column } = this.lines.at(start);
    const option = (key: string): Json => head.options.get(key) ?? null;
    const metadata: JsonObject = {
      name,
      uuid: option('uuid'),
      condition: head.when?.text ?? null,
      meta: { line: this.codeLine(clause.card, line), column },
      code_generator: option('code_generator'),
      version: option('version'),
    };
    this.cards.set(clause, metadata);
    return metadata;
  }

  private codeLine({ fence }: Card, line: number): number {
    return line - (this.shifts.get(fence) ?? 0);
  }
}
