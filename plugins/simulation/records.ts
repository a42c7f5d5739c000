import { collection } from '#core';
import type { ChunkedText } from '#core/areas';

/** A fixed answer for requests of a journey, as it is kept with its simulation. */
export interface Mock {
  /** In capitals; absent for any. */
  readonly method?: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A simulated conversation, known by (number, journey, simulation_id) so that numbers never meet each other's. */
export interface SimulationRecord {
  readonly key: string;
  readonly state: 'waiting' | 'over';
  /** What the next step needs definitions of. */
  readonly revisions: readonly string[];
  /** The session as the engine returned it; empty once it is over. */
  readonly data: ChunkedText;
  /** What that and its mocks take. */
  readonly kept_bytes?: number;
  readonly turns: number;
  readonly expires_at: string;
  /** When it took its last turn; absent once it is over. */
  readonly active_at?: string;
  /** Absent until it is over. */
  readonly over_at?: string;
  readonly fail_unmocked: boolean;
  /** Positions of the mocks that have answered. */
  readonly used: readonly number[];
}

export const simulations = collection<SimulationRecord>({
  key: 'key',
  indexes: { active: ['active_at', 'key'], over: ['over_at', 'key'] },
});

/** The mocks of a simulation. They are apart, because they can be large and seldom change. */
export interface MocksRecord {
  readonly key: string;
  readonly mocks: readonly Mock[];
}

export const simulationMocks = collection<MocksRecord>({ key: 'key' });
