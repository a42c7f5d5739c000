import type { JsonObject } from '#core/basics';
import { type Block, type Exit, type Flow, isObject, listAt, objectAt, textAt } from '../../compile.js';
import { reservedWords } from '../tokens.js';
import { words } from '../words.js';

/** Blocks linked by default exits: one clause of a card. */
export interface Chain {
  readonly blocks: readonly Block[];
  /** Test of the clause. */
  readonly when: string | undefined;
  /** Target of `then:`. */
  readonly next: string | undefined;
}

/** A card with its clauses, in the order of their numbers. */
export interface TextCard {
  readonly name: string;
  /** The case block in front of guarded clauses. */
  readonly choice: Block | undefined;
  readonly chains: readonly Chain[];
}

interface Row {
  readonly blocks: Block[];
  readonly card: string;
}

const CONDITION = /_condition_(\d{1,6})$/;
const JUMP = /^Default exit to "(.*)"$/s;
const ROUTE = /^Exit for (.*)$/s;

/** The default exit of a block. */
export const usualExit = ({ exits }: Block): Exit | undefined => exits.find(({ isDefault }) => isDefault);

/** The card in the notebook metadata of a block. */
const cardIn = ({ hints }: Block): JsonObject => objectAt(hints.notebook, 'card');

/** Groups the blocks of a flow into cards: by their notebook metadata, otherwise by the structure of their exits. */
export class Cards {
  readonly list: TextCard[] = [];
  private readonly flow: Flow;
  private readonly taken = new Set<string>();
  /** Card name by entry block, and entry block by card name. */
  private readonly entries = new Map<string, string>();
  private readonly starts = new Map<string, string>();
  /** Empty cards that exits name, and the blocks they lead to. */
  private readonly empty = new Map<string, string | null>();
  private readonly targets = new Map<Exit, string>();

  constructor(flow: Flow) {
    this.flow = flow;
    for (const block of flow.blocks.values()) this.noteTargets(block);
    const rows = this.rows();
    const groups = this.groups(rows);
    for (const { choice, rows: clauses, name } of groups) {
      const { uuid } = choice ?? clauses[0]!.blocks[0]!;
      this.entries.set(uuid, name);
      this.starts.set(name, uuid);
    }
    for (const { name, choice, rows: clauses } of groups) this.list.push(this.cardOf(name, choice, clauses));
    this.leadToFirst();
  }

  /** Whether a block is the case of a card with guarded clauses. */
  static isChoice(block: Block): boolean {
    const isCard = textAt(cardIn(block), 'name') !== '' && !isObject(block.hints.notebook.card_item);
    return isCard && block.type === 'Core.Case' && block.exits.some(({ test }) => test !== undefined);
  }

  /** Empty cards and the blocks they lead to. Writing the other cards can add some. */
  get emptyCards(): ReadonlyMap<string, string | null> {
    return this.empty;
  }

  /** The card that an exit leads to: the one its metadata names if that is still true, else the one that starts there. */
  targetOf(exit: Exit): string | undefined {
    const named = this.targets.get(exit);
    if (named === undefined) return exit.to === null ? undefined : this.entries.get(exit.to);
    return this.leadTo(named, exit.to) ? named : exit.to === null ? undefined : this.entries.get(exit.to);
  }

  /** As `targetOf`, for the destination of run-time choices. */
  targetAt(uuid: string, named: string): string | undefined {
    return named !== '' && this.leadTo(named, uuid === '' ? null : uuid) ? named : this.entries.get(uuid);
  }

  /** Whether a card name leads to a block. Creates an empty card that does when the name is free. */
  leadTo(name: string, to: string | null): boolean {
    const start = this.starts.get(name);
    if (start !== undefined) return start === to;
    const known = this.empty.get(name);
    if (known !== undefined) return known === to;
    if (this.taken.has(name) || name === '') return false;
    this.empty.set(name, to);
    this.taken.add(name);
    return true;
  }

  /** An empty card that ends the journey. */
  end(): string {
    for (let n = 1; ; n++) {
      const name = n === 1 ? 'End' : `End${n}`;
      if (this.leadTo(name, null)) return name;
    }
  }

  /** The card that starts at a block. */
  cardAt(uuid: string): string | undefined {
    return this.entries.get(uuid);
  }

  private noteTargets(block: Block): void {
    const written = listAt(block.source, 'exits').filter(isObject);
    const own = block.hints.notebook.card !== undefined;
    for (const exit of block.exits) {
      const source = written.find(({ uuid }) => uuid === exit.uuid);
      const named = textAt(objectAt(source?.vendor_metadata, 'svc'), 'to');
      const meant = own ? (JUMP.exec(exit.name)?.[1] ?? (Cards.isChoice(block) ? undefined : ROUTE.exec(exit.name)?.[1])) : undefined;
      if (named !== '' || meant !== undefined) this.targets.set(exit, named || meant!);
    }
  }

  /** Chains blocks by default exits. A block starts a new row when anything else leads to it or its card differs. */
  private rows(): Row[] {
    const all = [...this.flow.blocks.values()];
    const jumps = new Set<string>([this.flow.first]);
    const steps = new Map<string, number>();
    for (const block of all) {
      for (const to of this.jumpsOf(block)) jumps.add(to);
      const next = this.nextOf(block);
      if (next) steps.set(next.uuid, (steps.get(next.uuid) ?? 0) + 1);
    }
    const isStart = ({ uuid }: Block): boolean => jumps.has(uuid) || steps.get(uuid) !== 1;
    const placed = new Set<string>();
    const rowFrom = (first: Block): Row => {
      const blocks = [first];
      placed.add(first.uuid);
      for (let next = this.nextOf(first); next && !isStart(next) && !placed.has(next.uuid); next = this.nextOf(next)) {
        blocks.push(next);
        placed.add(next.uuid);
      }
      return { blocks, card: textAt(cardIn(first), 'name') };
    };
    const plain = all.filter((block) => !Cards.isChoice(block));
    const rows = plain.filter(isStart).map(rowFrom);
    // The rest are cycles without an entry.
    for (const block of plain) if (!placed.has(block.uuid)) rows.push(rowFrom(block));
    return rows;
  }

  private jumpsOf(block: Block): string[] {
    const usual = usualExit(block);
    const exits = block.exits.filter((exit) =>
      exit === usual ? Cards.isChoice(block) || this.targets.has(exit) : !this.isLeadingOn(block, exit),
    );
    return [...exits.map(({ to }) => to), textAt(block.config, 'destination_block')].filter((to): to is string => to !== null && to !== '');
  }

  /** Whether an exit of a choice leads to the next item, as all exits of `buttons(["label"])` do. */
  isLeadingOn(block: Block, exit: Exit): boolean {
    return !this.targets.has(exit) && block.type === 'MobilePrimitives.SelectOneResponse' && exit.to === (usualExit(block)?.to ?? null);
  }

  private nextOf(block: Block): Block | undefined {
    const usual = usualExit(block);
    if (!usual || usual.to === null || this.targets.has(usual) || Cards.isChoice(block)) return undefined;
    const next = this.flow.blocks.get(usual.to);
    return next && !Cards.isChoice(next) && keyOf(next) === keyOf(block) ? next : undefined;
  }

  private groups(rows: readonly Row[]): { name: string; choice: Block | undefined; rows: Row[] }[] {
    const order = new Map([...this.flow.blocks.keys()].map((uuid, i) => [uuid, i]));
    const groups = new Map<string, { name: string; choice: Block | undefined; rows: Row[] }>();
    for (const block of this.flow.blocks.values()) {
      if (!Cards.isChoice(block)) continue;
      const name = this.free(textAt(cardIn(block), 'name'));
      groups.set(name, { name, choice: block, rows: [] });
    }
    for (const row of rows) {
      const guarded = row.card === '' ? undefined : groups.get(row.card);
      const isClause = guarded?.choice?.exits.some(({ to }) => to === row.blocks[0]!.uuid);
      if (isClause) guarded!.rows.push(row);
      else {
        const [first] = row.blocks as [Block];
        const name = this.free(row.card === '' ? nameFor(first) : row.card);
        groups.set(name, { name, choice: undefined, rows: [row] });
      }
    }
    const placeOf = ({ choice, rows: [row] }: { choice: Block | undefined; rows: Row[] }): number =>
      order.get((choice ?? row!.blocks[0]!).uuid)!;
    return [...groups.values()].sort((a, b) => placeOf(a) - placeOf(b));
  }

  private free(name: string): string {
    let free = name;
    for (let n = 2; this.taken.has(free); n++) free = `${name}_${n}`;
    this.taken.add(free);
    return free;
  }

  private cardOf(name: string, choice: Block | undefined, rows: readonly Row[]): TextCard {
    if (!choice) return { name, choice, chains: [this.chainOf(rows[0]!.blocks, undefined)] };
    const exits = choice.exits.map((exit, i) => ({ exit, index: Number(CONDITION.exec(exit.name)?.[1] ?? i) }));
    const chains = exits
      .sort((a, b) => a.index - b.index)
      .map(({ exit }) => {
        const when = exit.isDefault ? undefined : (exit.test ?? 'true');
        const row = rows.find(({ blocks: [first] }) => first!.uuid === exit.to);
        return row ? this.chainOf(row.blocks, when) : { blocks: [], when, next: exit.to === null ? undefined : this.entries.get(exit.to) };
      });
    return { name, choice, chains };
  }

  private chainOf(blocks: readonly Block[], when: string | undefined): Chain {
    const usual = usualExit(blocks.at(-1)!);
    return { blocks, when, next: usual && this.targetOf(usual) };
  }

  /** The first card of the text is the entry. Adds an empty card in front when the first block belongs to a later card. */
  private leadToFirst(): void {
    const first = this.entries.get(this.flow.first);
    if (first === undefined || this.list[0]?.name === first) return;
    const name = this.free('Start');
    this.list.unshift({ name, choice: undefined, chains: [{ blocks: [], when: undefined, next: first }] });
  }
}

/** Equal for blocks of the same clause. */
function keyOf(block: Block): string {
  const card = cardIn(block);
  const name = textAt(card, 'name');
  return name === '' ? textAt(block.hints.own, 'card') : `${name}\n${textAt(card, 'condition')}`;
}

const LETTERS = /[A-Za-z0-9]+/g;

/** A card name made of the label of the block. */
function nameFor(block: Block): string {
  const parts = [...block.card.matchAll(LETTERS)].map(([part]) => part[0]!.toUpperCase() + part.slice(1));
  const name = parts.join('');
  return /^[A-Za-z]/.test(name) && !reservedWords.has(name) && !words.has(name) ? name : `Card${name}`;
}
