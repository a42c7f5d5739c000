import type { Mark } from './draft.js';
import type { Lines, SourcePosition } from './lines.js';
import type { Span } from './syntax.js';

/** A source range: offsets, start position, and the position after its end. */
export interface Source extends Span, SourcePosition {
  readonly until: SourcePosition;
}

/** Source of a block, in container order. Mark paths are relative to the block. */
export interface BlockSource {
  readonly uuid: string;
  readonly card: string;
  /** The name of the card, where the card begins. */
  readonly cardAt: Span;
  readonly span: Span;
  readonly marks: () => readonly Mark[];
}

/** Source map from the container to the notebook. */
export class Sources {
  private readonly lines: Lines;
  private readonly blocks: readonly BlockSource[];
  private readonly resources: () => readonly Mark[];
  private byPointer: ReadonlyMap<string, Span> | undefined;
  private byUuid: ReadonlyMap<string, Span> | undefined;

  constructor(lines: Lines, blocks: readonly BlockSource[], resources: () => readonly Mark[]) {
    this.lines = lines;
    this.blocks = blocks;
    this.resources = resources;
  }

  /** Source of a JSON pointer into the container, or of its nearest ancestor that has one. */
  at(pointer: string): Source | undefined {
    this.byPointer ??= this.pointers();
    for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
      const span = this.byPointer.get(path);
      if (span) return this.source(span);
    }
    return undefined;
  }

  /**
   * Source of a name in the expression or template at a pointer; undefined where the name is not written. In a template, the same
   * word before the first `@` is plain text.
   */
  ofName(pointer: string, name: string): Source | undefined {
    const around = this.at(pointer);
    if (!around) return undefined;
    const text = this.lines.between(around.start, around.end);
    const word = name.replace(/[^\w]/g, '\\$&');
    const inside = new RegExp(`(?<![\\w.@])${word}(?!\\w)`, 'gi');
    inside.lastIndex = /^["']/.test(text) ? Math.max(0, text.search(/(?<!@)@[A-Za-z_(]/)) : 0;
    const found = new RegExp(`(?<!@)@${word}(?!\\w)`, 'i').exec(text) ?? inside.exec(text);
    if (!found) return undefined;
    const end = around.start + found.index + found[0].length;
    return this.source({ start: end - name.length, end });
  }

  /** Source of a block by uuid, as run-time events name it. */
  ofBlock(uuid: string): Source | undefined {
    this.byUuid ??= new Map(this.blocks.map(({ uuid, span }) => [uuid, span]));
    const span = this.byUuid.get(uuid);
    return span && this.source(span);
  }

  /** Source of the name of a card, in its first definition that has blocks. */
  ofCard(name: string): Source | undefined {
    const block = this.blocks.find(({ card }) => card === name);
    return block && this.source(block.cardAt);
  }

  /** The card of the block that a JSON pointer leads to or into. */
  cardAt(pointer: string): string | undefined {
    const [, i] = /^\/flows\/0\/blocks\/(\d+)(?:\/|$)/.exec(pointer) ?? [];
    return i === undefined ? undefined : this.blocks[Number(i)]?.card;
  }

  /** Uuids of the blocks at an offset, innermost first. */
  blocksAt(offset: number): readonly string[] {
    return this.blocks
      .filter(({ span }) => span.start <= offset && offset <= span.end)
      .sort(({ span: a }, { span: b }) => a.end - a.start - (b.end - b.start))
      .map(({ uuid }) => uuid);
  }

  /** Every pointer with a source of its own. */
  entries(): (readonly [pointer: string, source: Source])[] {
    this.byPointer ??= this.pointers();
    return [...this.byPointer].map(([pointer, span]) => [pointer, this.source(span)] as const);
  }

  private pointers(): ReadonlyMap<string, Span> {
    const pointers = new Map<string, Span>();
    for (const [i, block] of this.blocks.entries()) {
      pointers.set(`/flows/0/blocks/${i}`, block.span);
      for (const mark of block.marks()) pointers.set(`/flows/0/blocks/${i}/${mark.path}`, mark);
    }
    for (const mark of this.resources()) pointers.set(`/flows/0/${mark.path}`, mark);
    return pointers;
  }

  private source({ start, end }: Span): Source {
    return { start, end, ...this.lines.at(start), until: this.lines.at(end) };
  }
}
