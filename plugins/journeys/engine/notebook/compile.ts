import type { JsonObject } from '#core/basics';
import type { Container, ContainerBlock, ContainerExit, ContainerLanguage } from '../floip.js';
import { type Cards, isClause, isGuarded } from './check.js';
import { Clause, DEFAULT_EXIT, type Draft, type DraftExit, type Mark, OTHER_EXITS, Resources } from './draft.js';
import type { Findings } from './findings.js';
import { journeyUuid, namedUuid, namespaceOf } from './identity.js';
import { NOTEBOOK_LIMITS } from './limits.js';
import type { Lines } from './lines.js';
import type { Fence } from './markdown.js';
import { Metadata } from './metadata.js';
import { baseOf } from './names.js';
import { type BlockSource, Sources } from './sources.js';
import type { Card, Program } from './syntax.js';
import { type Labels, writeItems } from './write-items.js';

/** Properties of the journey that its notebook does not contain. */
export interface JourneyOptions {
  /** Default: derived from the name. Block uuids are derived from it. */
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  /** The language of its texts. Default: English. */
  readonly language?: Exclude<ContainerLanguage, string> | undefined;
  /** ISO 8601. The container format requires it and the engine has no clock. Default: 1970. */
  readonly lastModified?: string | undefined;
}

export interface Compiled {
  readonly container: Container;
  readonly sources: Sources;
}

/** Parts of the notebook other than its cards. */
export interface Around {
  readonly config: JsonObject;
  readonly title: string | undefined;
  readonly fences: readonly Fence[];
  readonly lines: Lines;
}

const UNNAMED = 'Journey';
const ENGLISH = { id: 'eng', label: 'English', iso_639_3: 'eng' } as const;
const NEVER = '1970-01-01T00:00:00Z';
const SILENCE_SECONDS = 300;

/** Compiles the cards of a program without errors. Undefined, with a finding, when the result is over a limit or empty. */
export function compileProgram(
  program: Program,
  cards: Cards,
  { config, title, fences, lines }: Around,
  findings: Findings,
  options: JourneyOptions,
): Compiled | undefined {
  const name = options.name ?? title ?? program.name ?? UNNAMED;
  const uuid = options.uuid ?? journeyUuid(name);
  const language = options.language ?? ENGLISH;
  const namespace = namespaceOf(uuid);
  const flow = new FlowWriter(cards, namespace, language.id, lines, fences);
  const { blocks, sources } = flow.blocks();
  const first = flow.entry(program.cards[0]!.name);
  if (first === null) {
    const { start, end } = program.cards[0]!.nameAt;
    findings.error('empty_start', start, end, 'the first card does nothing and leads nowhere');
    return undefined;
  }
  if (blocks.length > NOTEBOOK_LIMITS.blocks) {
    findings.error('too_large', 0, 0, `a notebook has at most ${NOTEBOOK_LIMITS.blocks} blocks, this has ${blocks.length}`);
    return undefined;
  }
  const hasConfig = Object.keys(config).length > 0;
  const container: Container = {
    specification_version: '1.0.0-rc4',
    uuid,
    name,
    vendor_metadata: hasConfig ? { svc: { config } } : {},
    flows: [
      {
        uuid: namedUuid(namespace, 'flow'),
        name: 'stack',
        last_modified: options.lastModified ?? NEVER,
        interaction_timeout: program.timeout ?? SILENCE_SECONDS,
        vendor_metadata: { svc: { version: 1 } },
        supported_modes: ['RICH_MESSAGING'],
        languages: [language],
        first_block_id: first,
        exit_block_id: null,
        blocks,
        resources: flow.resources.list,
      },
    ],
  };
  return { container, sources: new Sources(lines, sources, () => flow.resources.marks()) };
}

type Exit = ContainerExit & { readonly vendor_metadata?: JsonObject };

interface Group {
  readonly name: string;
  readonly definitions: readonly Card[];
  readonly clauses: readonly Clause[];
  /** The `Core.Case` in front of guarded clauses. */
  readonly choice: Draft | undefined;
}

const uuidOf = ({ uuids, number }: Draft, n: number): string => uuids.at(number + n);

class FlowWriter {
  readonly resources: Resources;
  private readonly groups = new Map<string, Group>();
  private readonly entries = new Map<string, string | null>();
  private readonly metadata: Metadata;

  constructor(cards: Cards, uuid: string, language: string, lines: Lines, fences: readonly Fence[]) {
    this.resources = new Resources(language);
    this.metadata = new Metadata(lines, fences);
    const labels: Labels = new Map(
      [...cards].flatMap(([name, definitions]) => {
        const label = definitions.find(({ head }) => head.label)?.head.label;
        return label ? [[name, label] as const] : [];
      }),
    );
    for (const [name, definitions] of cards) this.groups.set(name, this.groupOf(name, definitions, uuid, labels));
  }

  private groupOf(name: string, definitions: readonly Card[], uuid: string, labels: Labels): Group {
    const guarded = isGuarded(definitions);
    const kept = definitions.filter((card) => isClause(definitions, card));
    const clauses = kept.map((card, i) => {
      const clause = new Clause(card, i, guarded, uuid, this.resources);
      writeItems(clause, labels);
      return clause;
    });
    if (guarded && kept.every(({ head }) => head.when)) clauses.push(this.fallback(kept, uuid));
    const choice = guarded ? this.choiceOf(clauses, uuid) : undefined;
    return { name, definitions, clauses, choice };
  }

  /** The `Core.Case` in front of guarded clauses. Clause number -1 keeps its uuid apart from theirs. */
  private choiceOf(clauses: readonly Clause[], uuid: string): Draft {
    const { card } = clauses[0]!;
    const marks = (): Mark[] => inOrder(clauses).flatMap((clause, i) => markOfClause(clause, i));
    const given = { name: `${baseOf(card.name)}_case`, type: 'Core.Case', config: {}, span: card.nameAt, marks };
    return new Clause(card, -1, false, uuid, this.resources).add(given);
  }

  /** The default clause of a card whose clauses all have conditions: logs, then follows the first clause's `then:`. */
  private fallback(guarded: readonly Card[], uuid: string): Clause {
    const [{ name, nameAt, fence, head }] = guarded as [Card];
    const { start, end } = nameAt;
    const card: Card = { name, nameAt, fence, items: [], head: { next: head.next, options: new Map() }, start, end };
    const clause = new Clause(card, guarded.length, true, uuid, this.resources);
    const log = clause.add({ name: `${clause.base}_log`, type: 'Core.Log', config: {}, itemType: 'log' });
    log.config.message = clause.text(log, `no condition of card ${name} is true, and it has no clause without one`, nameAt);
    return clause;
  }

  blocks(): { blocks: ContainerBlock[]; sources: BlockSource[] } {
    const blocks: ContainerBlock[] = [];
    const sources: BlockSource[] = [];
    const place = (draft: Draft, clause: Clause, exits: Exit[], isFirst: boolean): void => {
      const { uuid, name, type, config, destination, span } = draft;
      if (destination) config.destination_block = this.entry(destination.name);
      const { ui_metadata, vendor_metadata } = this.metadata.ofBlock(draft, clause, isFirst);
      blocks.push({ uuid, name, type, config, exits, ui_metadata, vendor_metadata } as ContainerBlock);
      const { name: card, nameAt: cardAt } = clause.card;
      sources.push({ uuid, card, cardAt, span, marks: () => [...draft.marks(), ...exitMarks(draft)] });
    };
    for (const group of this.groups.values()) {
      if (group.choice) place(group.choice, group.clauses[0]!, this.choiceExits(group, group.choice), true);
      for (const clause of group.clauses)
        for (const [i, draft] of clause.drafts.entries()) place(draft, clause, this.exitsOf(clause, i), i === 0);
    }
    return { blocks, sources };
  }

  /** The block that a jump to a card enters: its case, its first block, or for an empty card the entry of its `then:`. */
  entry(name: string): string | null {
    const known = this.entries.get(name);
    if (known !== undefined) return known;
    // Set first, so that empty cards that lead to one another end here instead of recursing.
    this.entries.set(name, null);
    const group = this.groups.get(name);
    const entry = group?.choice?.uuid ?? (group?.clauses[0] ? this.startOf(group.clauses[0]) : null);
    this.entries.set(name, entry);
    return entry;
  }

  private startOf({ drafts: [first], card }: Clause): string | null {
    return first?.uuid ?? (card.head.next ? this.entry(card.head.next.name) : null);
  }

  /** One exit per clause. */
  private choiceExits({ clauses }: Group, choice: Draft): Exit[] {
    return inOrder(clauses).map((clause) => {
      const { nameAt, head } = clause.card;
      const { when } = head;
      return {
        uuid: uuidOf(choice, OTHER_EXITS + clause.index),
        name: `Exit for ${clause.base}`,
        ...(when ? { test: when.text } : { default: true }),
        destination_block: this.startOf(clause),
        vendor_metadata: this.metadata.ofExit((when ?? nameAt).start),
      };
    });
  }

  private exitsOf(clause: Clause, i: number): Exit[] {
    const draft = clause.drafts[i]!;
    const next = clause.drafts[i + 1]?.uuid;
    const follower = next === undefined ? clause.card.head.next : undefined;
    const to = next ?? (follower ? this.entry(follower.name) : null);
    const usual: Exit = {
      uuid: uuidOf(draft, DEFAULT_EXIT),
      name: draft.assigned ?? (follower ? `Default exit to "${follower.name}"` : draft.name),
      default: true,
      destination_block: to,
      ...(follower && { vendor_metadata: this.metadata.ofExit(follower.start, follower) }),
    };
    return [...draft.exits.map((exit, n) => this.exitOf(draft, exit, n, to)), usual];
  }

  private exitOf(draft: Draft, { name, test, to, span }: DraftExit, n: number, next: string | null): Exit {
    return {
      uuid: uuidOf(draft, OTHER_EXITS + n),
      name,
      test,
      destination_block: to === 'next' ? next : this.entry(to.name),
      vendor_metadata: this.metadata.ofExit(span.start, to === 'next' ? undefined : to),
    };
  }
}

/** Clauses in the order of their exits: the unguarded one is the default exit, and exports write it last. */
const inOrder = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.toSorted((a, b) => Number(!a.card.head.when) - Number(!b.card.head.when));

function markOfClause({ card: { nameAt, head } }: Clause, i: number): Mark[] {
  const exit = { path: `exits/${i}`, start: nameAt.start, end: nameAt.end };
  return head.when ? [exit, { path: `exits/${i}/test`, start: head.when.start, end: head.when.end }] : [exit];
}

const exitMarks = ({ exits }: Draft): Mark[] => exits.map(({ span: { start, end } }, i) => ({ path: `exits/${i}`, start, end }));
