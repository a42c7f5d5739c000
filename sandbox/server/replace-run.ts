import { Conflict, type PlatformState } from '#core';
import { clockAt, type SandboxClock } from './clock-file.js';
import type { NotesKeeper } from './notes-keeper.js';
import type { Run, StartRun } from './run-state.js';
import type { SandboxSetup } from './setup.js';
import type { NextState } from './start-state.js';
import type { StateReplaced } from './state-plugin.js';

/** The state or the options that replace those of a running platform. */
export interface Replacement {
  readonly by: StateReplaced['by'];
  /** Absent to keep the state, for other options. */
  readonly next?: NextState;
  /** The time at which the clock of the next platform starts. */
  readonly start: Date;
  /** Takes back what the next platform should start with, before the previous state starts again. */
  readonly undo?: () => void;
}

/** How a replacement has ended: with the next state, with the same platform, with another that has the previous state, or with none. */
export type Outcome =
  | { readonly is: 'replaced'; readonly run: Run }
  | { readonly is: 'unchanged'; readonly error: unknown }
  | { readonly is: 'restored'; readonly run: Run; readonly error: unknown }
  | { readonly is: 'lost'; readonly error: unknown };

interface ReplaceParts {
  readonly setup: SandboxSetup;
  readonly notes: NotesKeeper;
  readonly startRun: StartRun;
}

/** Stops a platform and starts another with the next state, or with the previous one if that fails. Rejects never. */
export async function replaceRun(parts: ReplaceParts, run: Run, { by, next, start, undo }: Replacement): Promise<Outcome> {
  const { front } = parts.setup;
  const { seeded, integration } = parts.notes.current;
  // Asked before the release, which pauses the clock.
  const { isPaused } = run.clock.clock;
  const resume = front.hold();
  let state: PlatformState;
  try {
    // A kept state has the counters of the faults; a store that accepts no more writes must not prevent a reset.
    if (!next) await run.faults.save();
    // For the case that the platform cannot start with the new state.
    state = await run.platform.readState();
  } catch (error) {
    resume();
    return { is: 'unchanged', error };
  }
  // A store that accepts no more writes, as after a full disk, fails the stop. The next state does not need what it would have written.
  await run.server.stop().catch((error: Error) => process.emitWarning(`before the ${by}: ${error.message}`));
  run.clock.release();
  const clockFrom = (from: Date): SandboxClock => clockAt({ start: from, isPaused, data: parts.setup.options.data });
  try {
    const same = { state, seeded: run.seeded, integration };
    return { is: 'replaced', run: await startNext(parts, run.api, { by, next: next ?? same, clock: clockFrom(start) }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    undo?.();
    try {
      const previous = { state, seeded, integration };
      const clock = clockFrom(run.clock.clock.now());
      const restored = await startNext(parts, run.api, { by: 'import', next: previous, clock });
      const refusal = `The sandbox cannot start with this state, and continues with the previous one: ${why}`;
      return { is: 'restored', run: restored, error: new Conflict('state_not_replaced', refusal) };
    } catch (again) {
      front.refuse(why);
      return { is: 'lost', error: again };
    }
  }
}

interface Next {
  readonly by: StateReplaced['by'];
  readonly next: NextState;
  readonly clock: SandboxClock;
}

async function startNext({ notes, startRun }: ReplaceParts, api: string, { by, next, clock }: Next): Promise<Run> {
  return startRun({ api, clock, by, state: notes.announce(next, by) });
}
