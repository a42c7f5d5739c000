import type { Server } from '@hapi/hapi';
import type { Platform } from '#core';
import type { Seeded } from '../demo/apply-seed.js';
import type { FaultRules } from '../faults/fault-rules.js';
import type { SandboxClock } from './clock-file.js';
import type { Start } from './start-state.js';

/** A platform of the sandbox, and what it knows of its state. */
export interface Run {
  /** The base URL of the sandbox. */
  readonly api: string;
  readonly platform: Platform;
  readonly server: Server;
  readonly clock: SandboxClock;
  readonly faults: FaultRules;
  /** Another object after a changed seed was applied. */
  seeded: Seeded;
  readonly phone: string | undefined;
  readonly isResumed: boolean;
  readonly withoutToken: readonly string[];
}

/** Starts a platform behind the listener of the sandbox. */
export type StartRun = (start: Start) => Promise<Run>;

/**
 * The states of a sandbox, with the platform that it has in each:
 * opened → starting → running ⇄ replacing (a reset, an import, other options), and stopping → stopped from each of them.
 * After a replacement that failed together with the way back there is no platform: `lost`.
 */
export type RunState =
  | { readonly name: 'opened' }
  | { readonly name: 'starting'; readonly started: Promise<Run> }
  | { readonly name: 'running'; readonly run: Run }
  | { readonly name: 'replacing'; readonly run: Run; readonly ended: Promise<unknown> }
  | { readonly name: 'lost'; readonly run: Run }
  /** Without a run if the first start has failed. */
  | { readonly name: 'stopping' | 'stopped'; readonly run: Run | undefined };

/** The newest platform of a sandbox, which may have been stopped. @throws Error before the first one runs */
export function runOf(state: RunState): Run {
  const run = 'run' in state ? state.run : undefined;
  if (!run) throw new Error(`the sandbox has no platform: it is ${state.name}`);
  return run;
}
