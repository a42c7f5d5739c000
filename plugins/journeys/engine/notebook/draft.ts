import type { Json, JsonObject } from '#core/basics';
import type { ContainerResource, ContainerValue } from '../floip.js';
import type { Expression } from './expression.js';
import { namedUuid, UuidRange } from './identity.js';
import { baseOf } from './names.js';
import type { Card, Span, Target } from './syntax.js';

/** A block whose exits are not linked yet. */
export interface Draft {
  readonly uuid: string;
  /** Its exits and resources take the uuids after its own number. */
  readonly uuids: UuidRange;
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly config: Record<string, Json>;
  /** Position of its item in the card. */
  readonly item: number;
  readonly span: Span;
  /** `card_item.type` of the notebook metadata; undefined for the case block of a card. */
  readonly itemType: string | undefined;
  readonly details: JsonObject;
  /** Exits with tests. The default exit follows them. */
  readonly exits: readonly DraftExit[];
  /** The expression of an assignment; it becomes the name of the exit. */
  readonly assigned: string | undefined;
  /** The card that run-time choices lead to. */
  readonly destination: Target | undefined;
  readonly presentation: 'buttons' | 'list' | undefined;
  /** Source spans by path within the block. A function, because most callers compile without asking for sources. */
  readonly marks: () => readonly Mark[];
  /** Resources created so far. */
  resourceCount: number;
}

export interface DraftExit {
  readonly name: string;
  readonly test: string;
  /** A card, or the next item of this one. */
  readonly to: Target | 'next';
  readonly span: Span;
}

export interface Mark extends Span {
  readonly path: string;
}

/** One value of a message resource. */
export interface MessageValue {
  readonly type: 'TEXT' | 'IMAGE' | 'VIDEO' | 'AUDIO';
  readonly mimeType: string;
  readonly value: Expression;
}

type Given = Pick<Draft, 'name' | 'type' | 'config'> & Partial<Draft>;

const MODES = ['RICH_MESSAGING'];
const NO_EXITS: readonly DraftExit[] = [];
const NO_DETAILS: JsonObject = {};
const noMarks = (): readonly Mark[] => [];
/** Distance between the uuid numbers of two items, and of two blocks of one item. */
const ITEMS = 2 ** 24;
const BLOCKS = 2 ** 12;
/** Numbers after a block's own: its default exit, its other exits, and from here its resources. */
const RESOURCES = 2 ** 11;
export const [DEFAULT_EXIT, OTHER_EXITS] = [1, 2];

/** Resources of the flow, in the order of their blocks. */
export class Resources {
  readonly list: ContainerResource[] = [];
  private readonly spans: (readonly Span[])[] = [];
  private readonly language: string;

  constructor(language: string) {
    this.language = language;
  }

  add(
    uuid: string,
    parts: readonly { readonly type: string; readonly mimeType: string; readonly text: string; readonly span: Span }[],
  ): void {
    const { language } = this;
    const values = parts.map(
      ({ type, mimeType, text }): ContainerValue => ({
        language_id: language,
        content_type: type,
        mime_type: mimeType,
        modes: MODES,
        value: text,
      }),
    );
    this.list.push({ uuid, values });
    this.spans.push(parts.map(({ span }) => span));
  }

  /** Source spans of their values. */
  marks(): readonly Mark[] {
    return this.spans.flatMap((spans, n) => spans.map(({ start, end }, i) => ({ path: `resources/${n}/values/${i}/value`, start, end })));
  }
}

/** One clause of a card and the blocks it compiles to. */
export class Clause {
  readonly card: Card;
  readonly index: number;
  /** Prefix of its block names. */
  readonly base: string;
  /** Used in the name of its route lists. */
  readonly title: string;
  readonly drafts: Draft[] = [];
  private readonly uuids: UuidRange;
  private readonly resources: Resources;
  private item = 0;
  private count = 0;
  private at: Span;

  constructor(card: Card, index: number, isGuarded: boolean, namespace: string, resources: Resources) {
    this.card = card;
    this.index = index;
    const base = baseOf(card.name);
    this.base = isGuarded ? `${base}_case_condition_${index}` : base;
    this.title = isGuarded ? this.base : card.name;
    this.uuids = new UuidRange(namedUuid(namespace, `${card.name}\n${index}`));
    this.resources = resources;
    this.at = card;
  }

  /** Starts an item: blocks added from here on belong to it. */
  begin(item: number, at: Span): void {
    this.item = item;
    this.at = at;
    this.count = 0;
  }

  /** Adds a block. The caller may still extend its config. */
  add(given: Given): Draft {
    const { uuids, item } = this;
    const number = item * ITEMS + this.count++ * BLOCKS;
    const draft: Draft = {
      uuid: uuids.at(number),
      uuids,
      number,
      name: given.name,
      type: given.type,
      config: given.config,
      item,
      span: given.span ?? this.at,
      itemType: given.itemType,
      details: given.details ?? NO_DETAILS,
      exits: given.exits ?? NO_EXITS,
      assigned: given.assigned,
      destination: given.destination,
      presentation: given.presentation,
      marks: given.marks ?? noMarks,
      resourceCount: 0,
    };
    this.drafts.push(draft);
    return draft;
  }

  /** Creates a resource of these parts and puts its uuid into the config. */
  say(draft: Draft, key: string, parts: readonly MessageValue[]): void {
    draft.config[key] = this.resource(
      draft,
      parts.map(({ type, mimeType, value }) => ({ type, mimeType, text: templateOf(value), span: value })),
    );
  }

  /** Creates a resource with one text and returns its uuid. */
  text(draft: Draft, text: string, span: Span): string {
    return this.resource(draft, [{ type: 'TEXT', mimeType: TEXT, text, span }]);
  }

  private resource(draft: Draft, parts: Parameters<Resources['add']>[1]): string {
    const uuid = draft.uuids.at(draft.number + RESOURCES + draft.resourceCount++);
    this.resources.add(uuid, parts);
    return uuid;
  }
}

export const TEXT = 'text/plain';

/** An expression as a template: a text literal as it is, `@path` or `@(expression)` otherwise. */
export function templateOf({ kind, text, content }: Expression): string {
  if (content !== undefined && kind === 'text') return content;
  return kind === 'path' ? `@${text}` : kind === 'number' ? text : `@(${text})`;
}
