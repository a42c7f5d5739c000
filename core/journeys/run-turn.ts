import type { Effect, EffectResult } from '../engine/effect.js';
import { JOURNEY_LIMITS } from '../engine/limits.js';
import { isKnownSession, newSession } from '../engine/new-session.js';
import type {
  Definitions,
  Environment,
  JourneyEvent,
  Next,
  Session,
  SessionHead,
  Signal,
  StepInput,
  StepOutput,
} from '../engine/session.js';
import { messageOf } from '../errors.js';
import { TaskFailed, task, type WorkerPool } from '../ports/workers.js';

const STEP_BYTES = 512;

/** One step of a journey, on a worker. */
export const journeyStep = task<StepInput, StepOutput>('journey.step', new URL('../engine/step.task.js', import.meta.url), {
  weigh: ({ session }) => STEP_BYTES + (session?.length ?? 0),
});

/** Does what only the world outside can do. Real runs and simulations differ in nothing else. */
export type Perform = (effect: Effect) => Promise<EffectResult>;

/** One turn of a session. */
export interface RunTurn {
  readonly workers: Pick<WorkerPool, 'run'>;
  readonly perform: Perform;
  /** Of every revision the session is pinned to, and of the one it starts on. */
  readonly definitions: Definitions;
  /** As it was returned last; null with a `start` signal. */
  readonly session: string | null;
  readonly signal: Signal;
  readonly environment: Environment;
}

/** What a turn came to. Nothing of it is true until its caller keeps it. */
export interface TurnResult {
  readonly session: string;
  readonly head: SessionHead;
  readonly events: readonly JourneyEvent[];
  readonly next: Exclude<Next, { kind: 'effect' }>;
  /** Effects to perform when the turn is kept: nobody waits for what comes of them. */
  readonly deferred: readonly Effect[];
}

/** Steps, performs what the step asked for, steps again, until the journey waits or ends. */
export async function runTurn({ workers, perform, environment, ...turn }: RunTurn): Promise<TurnResult> {
  const events: JourneyEvent[] = [];
  const deferred: Effect[] = [];
  let { definitions, session, signal } = turn;
  let known: SessionHead | undefined;
  for (let effects = 0; ; effects++) {
    const output = await stepped(workers, { definitions, session, signal, environment });
    if (output instanceof TaskFailed) {
      // Written by a later release: nothing is wrong with it, and that release can take the turn.
      if (session !== null && !isKnownSession(session)) throw output;
      const failure = { code: 'step_failed', reason: output.message };
      // A result that a step breaks over is the block's to deal with like any other; it has exits for that.
      if (signal.kind === 'result' && signal.value.kind !== 'failed') {
        signal = { kind: 'result', value: { kind: 'failed', ...failure } };
        continue;
      }
      const broken = brokenSession(session, signal, known);
      return { ...broken, events: [...events, { type: 'failure', ...failure }], next: { kind: 'end', failure }, deferred };
    }
    const { next, head } = output;
    known = head;
    events.push(...output.events);
    session = output.session;
    if (next.kind !== 'effect') return { session, head, events, next, deferred };
    // The engine stops a turn that goes on asking; until it does, nothing more is done for it.
    const value = effects < JOURNEY_LIMITS.effects ? await performed(perform, next.effect) : TOO_MANY;
    if (value.kind === 'deferred') deferred.push(next.effect);
    if (value.kind === 'journey') definitions = { ...definitions, [value.revision]: value.definition };
    signal = { kind: 'result', value };
  }
}

const TOO_MANY: EffectResult = { kind: 'failed', code: 'effect_limit', reason: `a turn has at most ${JOURNEY_LIMITS.effects} effects` };

/**
 * A step, or what it broke over. It breaks over the same thing however often it is tried, and what its turn has asked of the
 * world would be asked each time; only its thread may have been unlucky once. Where the pool is to blame, the turn can be taken later.
 */
async function stepped(workers: RunTurn['workers'], input: StepInput): Promise<StepOutput | TaskFailed> {
  for (let tries = 1; ; tries++) {
    try {
      return await workers.run(journeyStep, input);
    } catch (error) {
      if (!(error instanceof TaskFailed) || error.reason === 'pool stopped' || error.reason === 'cannot be loaded') throw error;
      if (error.reason === 'threw' || tries > 1) return error;
    }
  }
}

/** A session as its last step left it, failed. */
function brokenSession(session: string | null, signal: Signal, known: SessionHead | undefined): Pick<TurnResult, 'session' | 'head'> {
  const last = signal.kind === 'start' ? JSON.stringify(newSession(signal)) : (session ?? '');
  if (known) return { session: last, head: { ...known, status: 'failed' } };
  const { stack, contact, turns } = JSON.parse(last) as Pick<Session, 'stack' | 'contact' | 'turns'>;
  const revisions = signal.kind === 'start' ? [signal.revision] : [...new Set(stack.map(({ revision }) => revision))];
  return { session: last, head: { status: 'failed', revisions, contact, card: '', block: null, turns: turns + 1 } };
}

/** What goes wrong outside is the journey's to deal with; it has exits for that. */
async function performed(perform: Perform, effect: Effect): Promise<EffectResult> {
  try {
    return await perform(effect);
  } catch (error) {
    return { kind: 'failed', code: 'effect_failed', reason: messageOf(error) };
  }
}
