import { expressionsOf } from '../../../plugins/journeys/plugin.js';
import type { FilePosition } from '../format/index.js';
import type { JourneyUnderTest } from '../run/journey-under-test.js';
import { choicesOf } from './choices.js';
import { type JourneyHits, noHits } from './hits.js';
import { waysTo } from './reach.js';

/** A part of a journey that tests can run. */
export interface CoveredPart {
  readonly kind: 'block' | 'exit' | 'option' | 'trigger' | 'expression';
  readonly card: string;
  /** Uuid of its block; empty for triggers. */
  readonly block: string;
  /** Its name: the name of the block or exit, the label of the option, the text of the expression. */
  readonly name: string;
  readonly at: FilePosition;
  readonly count: number;
  /** For exits: the block that it leads to; null ends the flow. */
  readonly to?: string | null;
  /** For exits that no test took: how a test can take it. */
  readonly reach?: string;
}

/** The coverage of one journey. */
export interface JourneyCoverage {
  readonly file: string;
  readonly parts: readonly CoveredPart[];
  /** Where each card of a notebook begins. */
  readonly cards: ReadonlyMap<string, FilePosition>;
}

/** Every part of a journey, and how often tests ran it. */
export function coverageOf(journey: JourneyUnderTest, hits: JourneyHits = noHits()): JourneyCoverage {
  const { definition, container, triggers, placeOf, placeOfCard, file } = journey;
  const reach = waysTo(definition);
  const parts: CoveredPart[] = triggers.map((trigger, i) => ({
    kind: 'trigger',
    card: '',
    block: '',
    name: `${'on' in trigger ? trigger.on : ''}${trigger.when === undefined ? '' : ` when ${trigger.when}`}`,
    at: trigger.at,
    count: hits.triggers[String(i)] ?? 0,
  }));
  for (const [i, source] of container.flows.entries()) {
    const flow = definition.flows.get(source.uuid)!;
    for (const [k, { uuid }] of source.blocks.entries()) {
      const block = flow.blocks.get(uuid)!;
      const pointer = `/flows/${i}/blocks/${k}`;
      const about = { card: block.card, block: uuid };
      parts.push({ kind: 'block', ...about, name: block.name, at: placeOf(pointer), count: hits.blocks[uuid] ?? 0 });
      for (const [n, exit] of block.exits.entries()) {
        const count = hits.exits[`${uuid} ${exit.uuid}`] ?? 0;
        const way = count === 0 ? reach(flow, block, exit) : undefined;
        const at = placeOf(`${pointer}/exits/${n}`);
        parts.push({ kind: 'exit', ...about, name: exit.name, at, count, to: exit.to, ...(way !== undefined && { reach: way }) });
      }
      for (const [n, { label }] of choicesOf(block, flow).entries())
        parts.push({
          kind: 'option',
          ...about,
          name: label,
          at: placeOf(`${pointer}/config/choices/${n}`),
          count: hits.options[`${uuid} ${n}`] ?? 0,
        });
    }
  }
  const cardOf = new Map(parts.flatMap(({ kind, block, card }) => (kind === 'block' ? [[block, card] as const] : [])));
  for (const { block, source, pointer } of expressionsOf(container as Parameters<typeof expressionsOf>[0]))
    parts.push({
      kind: 'expression',
      card: cardOf.get(block) ?? '',
      block,
      name: source,
      at: placeOf(pointer),
      // A template with secrets is evaluated in the parts between them, whenever its block runs.
      count: hits.expressions[`${block} ${source}`] ?? (source.includes('@secrets.') ? (hits.blocks[block] ?? 0) : 0),
    });
  const cards = [...new Set(cardOf.values())].flatMap((card) => {
    const at = placeOfCard(card);
    return at ? [[card, at] as const] : [];
  });
  return { file, parts, cards: new Map(cards) };
}
