import type { JourneyEvent, Place } from '../../../plugins/journeys/plugin.js';

/** How often tests ran each part of one journey. Plain data; keys are explained at each field. */
export interface JourneyHits {
  /** By uuid of the block. */
  readonly blocks: Record<string, number>;
  /** By uuids of block and exit, with a space between them. */
  readonly exits: Record<string, number>;
  /** By uuid of the block and position of the choice. */
  readonly options: Record<string, number>;
  /** By position. */
  readonly triggers: Record<string, number>;
  /** By uuid of the block and the text of the expression. */
  readonly expressions: Record<string, number>;
}

export const noHits = (): JourneyHits => ({ blocks: {}, exits: {}, options: {}, triggers: {}, expressions: {} });

const add = (counts: Record<string, number>, key: string, count = 1): void => {
  counts[key] = (counts[key] ?? 0) + count;
};

const keyOf = ({ journey, block }: Place): string => `${journey} ${block}`;

/** Adds up the hits of several runs. */
export function addHits(to: JourneyHits, from: JourneyHits): void {
  for (const part of ['blocks', 'exits', 'options', 'triggers', 'expressions'] as const)
    for (const [key, count] of Object.entries(from[part])) add(to[part], key, count);
}

/** Counts the parts that a test runs, of the tested journey and of those that it calls. */
export class CoverageHits {
  /** By uuid of the journey. */
  readonly byJourney = new Map<string, JourneyHits>();
  readonly observe = ({ journey, block }: Place, source: string): void => add(this.#of(journey).expressions, `${block} ${source}`);

  /** Counts the events of a turn. `trigger` is the position of the trigger that started the conversation; -1 without one. */
  count(events: readonly JourneyEvent[], trigger: number): void {
    // A turn that does not start the journey begins at the block that waited, which was counted when it was entered.
    const [first] = events;
    if (trigger >= 0 && first?.type === 'journey_entered') add(this.#of(first.at.journey).triggers, String(trigger));
    const inside = new Set(first && first.type !== 'journey_entered' && 'at' in first && first.at ? [keyOf(first.at)] : []);
    for (const event of events) {
      if (!('at' in event) || !event.at) continue;
      const { block, journey } = event.at;
      const { blocks, exits, options } = this.#of(journey);
      const key = keyOf(event.at);
      if (!inside.has(key)) add(blocks, block);
      inside.add(key);
      if (event.type === 'exit_taken') {
        inside.delete(key);
        if (event.uuid !== undefined) add(exits, `${block} ${event.uuid}`);
      }
      if (event.type !== 'variable_set') continue;
      // The value of a question with choices has the position of the chosen one; of a question with several answers, of each.
      for (const value of Array.isArray(event.value) ? event.value : [event.value]) {
        const index = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.index : undefined;
        if (typeof index === 'number') add(options, `${block} ${index}`);
      }
    }
  }

  #of(journey: string): JourneyHits {
    const hits = this.byJourney.get(journey) ?? noHits();
    this.byJourney.set(journey, hits);
    return hits;
  }
}
