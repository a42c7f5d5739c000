import type { Definition } from './compile.js';
import { withoutNames } from './context.js';
import { IGNORED_NAMES } from './limits.js';
import { newFrame, Progress } from './progress.js';
import type { Environment, Session, Signal } from './session.js';
import { type Stepped, Stepping } from './stepping.js';
import { unbegun } from './unbegun.js';

/** What the engine is given. `definitions` knows every revision that the session is pinned to, or that an effect has named. */
export interface Step {
  readonly definitions: (revision: string) => Definition;
  /** Null with a `start` signal. */
  readonly session: Session | null;
  readonly signal: Signal;
  readonly environment: Environment;
}

/** Runs blocks until the journey waits, ends or asks for an effect. The same arguments always give the same result. */
export function step({ definitions, session, signal, environment }: Step): Stepped {
  const before = signal.kind === 'start' ? begun(signal, definitions(signal.revision)) : session;
  if (!before) throw new Error(`a signal of kind '${signal.kind}' needs a session`);
  const stepping = new Stepping(new Progress(before, definitions, environment), before.status);
  switch (signal.kind) {
    case 'start':
      return stepping.start(signal.input);
    case 'input':
      return stepping.answer(signal.input, signal.contact);
    case 'timeout':
      return stepping.elapse();
    case 'result':
      return stepping.perform(signal.value);
  }
}

/** A session at the first block of a journey, before anything has happened. */
function begun(signal: Extract<Signal, { kind: 'start' }>, { entry }: Definition): Session {
  const parent = withoutNames(signal.parent, IGNORED_NAMES);
  const child = withoutNames(signal.child, IGNORED_NAMES);
  const frame = {
    ...newFrame(signal.journey, signal.revision, entry),
    ...(parent && { parent }),
    ...(child && { child }),
  };
  return { ...unbegun(signal), stack: [frame] };
}
