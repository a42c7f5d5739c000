import { readFileSync } from 'node:fs';
import type { Figure, GoalName } from './goals.js';

export const FILE = 'scripts/bench/goals/history.json';

/** The figures of one release. */
export interface Release {
  readonly release: string;
  /** The machine of the run, and its load; null when nothing is recorded yet. */
  readonly about: string | null;
  readonly figures: Readonly<Partial<Record<GoalName, Pick<Figure, 'value' | 'min' | 'max'>>>>;
}

/** The recorded figures, newest release first. Figures since the last release are those of `Unreleased`. */
export const history = (): Release[] => JSON.parse(readFileSync(FILE, 'utf8')) as Release[];
