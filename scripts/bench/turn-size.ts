import type { Environment, Signal } from '../../plugins/journeys/engine/session.js';
import { shareDefinition } from '../../plugins/journeys/engine/shared-definition.js';
import { runStep } from '../../plugins/journeys/engine/step.task.js';
import { median } from './measuring/table.js';
import { answers, menuJourney } from './menu-journey.js';

/** Characters of the text of each block that only makes the journey larger. */
const TEXT = 600;

/** Medians of one size of journey. The session is a string, as between the turns of the platform. */
export interface TurnSizeFigures {
  readonly blocks: number;
  /** Bytes of the definition as JSON. */
  readonly bytes: number;
  readonly us: number;
  /** `us` relative to the smallest journey; the goal is at most 1.3. */
  readonly ratio: number;
}

export interface TurnSizeOptions {
  readonly blocks?: readonly number[];
  readonly rounds?: number;
  /** Milliseconds of each size in a round. */
  readonly roundMs?: number;
}

/** Measures a turn of the engine, as a worker runs it, in journeys of several sizes. The order changes from round to round. */
export function measureTurnSize({ blocks = [10, 900], rounds = 7, roundMs = 300 }: TurnSizeOptions = {}): TurnSizeFigures[] {
  const environment: Environment = { now: '2025-01-15T09:30:00.000Z', timeZone: 'UTC', seed: 'seed' };
  const start: Signal = { kind: 'start', session: 's', journey: 'j', revision: 'r', contact: { name: 'Bo' }, globals: {} };
  const sizes = blocks.map((count) => {
    const definitions = { r: shareDefinition(menuJourney(count - 4, TEXT)) };
    const { session } = runStep({ definitions, session: null, signal: start, environment });
    return { count, definitions, session, measured: [] as number[] };
  });
  for (let round = -1; round < rounds; round++) {
    for (let i = 0; i < sizes.length; i++) {
      const { definitions, session, measured } = sizes[(round + 1 + i) % sizes.length]!;
      const began = performance.now();
      let turns = 0;
      for (; performance.now() - began < roundMs; turns++) {
        const signal: Signal = { kind: 'input', input: { text: `Option ${answers[turns % answers.length]}`, type: 'text' } };
        runStep({ definitions, session, signal, environment });
      }
      // The first round warms up.
      if (round >= 0) measured.push(((performance.now() - began) * 1000) / turns);
    }
  }
  const medians = sizes.map(({ measured }) => median(measured));
  return sizes.map(({ count, definitions }, i) => ({
    blocks: count,
    bytes: definitions.r.bytes.byteLength,
    us: medians[i]!,
    ratio: medians[i]! / medians[0]!,
  }));
}
