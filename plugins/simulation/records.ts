import { type ChunkedText, collection } from '#core';

/** A fixed response to HTTP requests of a journey, as stored with its simulation. */
export interface Mock {
  /** In upper case; absent for any method. */
  readonly method?: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The number of a simulation with this key. */
const numberIn = ({ key }: { readonly key: string }): string => key.slice(0, key.indexOf(':'));

/** A simulated conversation. The key is (number, journey, simulation_id), so that numbers cannot reach each other's simulations. */
export interface SimulationRecord {
  readonly key: string;
  readonly state: 'waiting' | 'over';
  /** The revisions whose definitions the next step needs. */
  readonly revisions: readonly string[];
  /** The session state as the engine returned it; empty once the simulation is over. */
  readonly data: ChunkedText;
  /** The size of `data` and of the mocks. */
  readonly kept_bytes?: number;
  readonly turns: number;
  readonly expires_at: string;
  /** The time of the last turn; absent once the simulation is over. */
  readonly active_at?: string;
  /** When the simulation ended; absent before that. */
  readonly over_at?: string;
  readonly fail_unmocked: boolean;
  /** Positions of the used mocks. */
  readonly used: readonly number[];
}

export const simulations = collection<SimulationRecord>({
  key: 'key',
  tenant: { number: numberIn },
  indexes: { active: ['active_at', 'key'], over: ['over_at', 'key'] },
});

/** The mocks of a simulation, in a record of their own, because they can be large and seldom change. */
export interface MocksRecord {
  readonly key: string;
  readonly mocks: readonly Mock[];
}

export const simulationMocks = collection<MocksRecord>({ key: 'key', tenant: { number: numberIn } });
