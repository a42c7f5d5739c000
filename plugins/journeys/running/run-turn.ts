import { type JsonObject, task } from '#core';
import { messageOf } from '#core/basics';
import { TaskFailed, type WorkerPool } from '#core/ports';
import type { Effect, EffectResult } from '../engine/effect.js';
import { JOURNEY_LIMITS } from '../engine/limits.js';
import { isKnownSession, newSession } from '../engine/new-session.js';
import { readReport } from '../engine/report-text.js';
import type {
  Definitions,
  Environment,
  JourneyEvent,
  Next,
  ReportOptions,
  Session,
  SessionHead,
  Signal,
  StepInput,
  StepOutput,
  StepText,
} from '../engine/session.js';
import { shortStep } from '../engine/step.task.js';

const STEP_BYTES = 512;

export const journeyStep = task<StepInput, StepOutput | StepText>('journey.step', new URL('../engine/step.task.js', import.meta.url), {
  weigh: ({ session }) => STEP_BYTES + (session?.length ?? 0),
  gatherMs: 1,
});

/** Performs an effect. Real runs and simulations differ only in this function. */
export type Perform = (effect: Effect) => Promise<EffectResult>;

/** One turn of a session. */
export interface RunTurn {
  readonly workers: Pick<WorkerPool, 'run'>;
  readonly perform: Perform;
  /** The definitions of every revision that the session is pinned to or starts on. */
  readonly definitions: Definitions;
  /** The session that the previous turn returned; null with a `start` signal. */
  readonly session: string | null;
  readonly signal: Signal;
  readonly environment: Environment;
  readonly report?: ReportOptions;
  /** May run short steps on this thread instead of a worker (`shortStep`). */
  readonly here?: boolean;
}

/** The result of a turn. It takes effect only when the caller stores it. */
export interface TurnResult {
  readonly session: string;
  readonly head: SessionHead;
  /** The context as clients see it, if requested; absent after a failed step. */
  readonly context?: JsonObject;
  readonly events: readonly JourneyEvent[];
  readonly next: Exclude<Next, { kind: 'effect' }>;
  /** Effects to perform after the turn is stored; their results are not used. */
  readonly deferred: readonly Effect[];
}

/**
 * Runs a turn: steps and their effects in turn, until the journey waits or ends. A step that throws ends the run as `step_failed`.
 * @throws TaskFailed when the pool cannot run the step or a later release wrote the session; the turn can be retried then
 */
export async function runTurn(turn: RunTurn): Promise<TurnResult> {
  const { workers, perform, environment, report, here = false } = turn;
  const events: JourneyEvent[] = [];
  const deferred: Effect[] = [];
  let { definitions, session, signal } = turn;
  let lastHead: SessionHead | undefined;
  for (let effects = 0; ; effects++) {
    const input: StepInput = { definitions, session, signal, environment, ...(report && { report }) };
    const output = (here ? stepHere(input) : undefined) ?? (await runStep(workers, input));
    if (output instanceof TaskFailed) {
      // The session was written by a later release. It is intact, and that release can run the turn.
      if (session !== null && !isKnownSession(session)) throw output;
      const failure = { code: 'step_failed', reason: output.message };
      // If a step fails on an effect's result, pass a failed result instead, because the block may have an exit for failures.
      if (signal.kind === 'result' && signal.value.kind !== 'failed') {
        signal = { kind: 'result', value: { kind: 'failed', ...failure } };
        continue;
      }
      const broken = failedSession(session, signal, lastHead);
      return { ...broken, events: [...events, { type: 'failure', ...failure }], next: { kind: 'end', failure }, deferred };
    }
    const { next, head, context } = output;
    lastHead = head;
    events.push(...output.events);
    session = output.session;
    if (next.kind !== 'effect') return { session, head, ...(context && { context }), events, next, deferred };
    // Beyond the limit, effects fail without being performed, until the engine stops the turn.
    const value = effects < JOURNEY_LIMITS.effects ? await performSafely(perform, next.effect) : TOO_MANY;
    if (value.kind === 'deferred') deferred.push(next.effect);
    if (value.kind === 'journey') definitions = { ...definitions, [value.revision]: value.definition };
    signal = { kind: 'result', value };
  }
}

const TOO_MANY: EffectResult = {
  kind: 'failed',
  code: 'effect_limit',
  reason: `the turn has more than ${JOURNEY_LIMITS.effects} effects; split the work over several turns`,
};

/** Whether a step has run on this thread since the event loop last served other work. */
let hasSteppedHere = false;

/**
 * Runs a short step on this thread, which takes less than a hop to a worker. One in each turn of the event loop, so that other requests are
 * served between two; the steps of several requests are cheaper as a batch of a worker.
 */
function stepHere(input: StepInput): StepOutput | undefined {
  if (hasSteppedHere) return undefined;
  hasSteppedHere = true;
  setImmediate(() => {
    hasSteppedHere = false;
  });
  return shortStep(input);
}

/**
 * Runs a step, or returns its failure. A step that throws is not retried: it is deterministic, and a retry of the turn would repeat
 * its effects. A time-out or a crashed thread is retried once.
 * @throws TaskFailed when the pool is stopped or cannot load the task; the turn can be retried later
 */
async function runStep(workers: RunTurn['workers'], input: StepInput): Promise<StepOutput | TaskFailed> {
  for (let attempts = 1; ; attempts++) {
    try {
      return outputOf(await workers.run(journeyStep, input));
    } catch (error) {
      if (!(error instanceof TaskFailed) || error.reason === 'pool stopped' || error.reason === 'cannot be loaded') throw error;
      if (error.reason === 'threw' || attempts > 1) return error;
    }
  }
}

const outputOf = (output: StepOutput | StepText): StepOutput =>
  'report' in output ? { session: output.session, ...readReport(output.report) } : output;

function failedSession(session: string | null, signal: Signal, lastHead: SessionHead | undefined): Pick<TurnResult, 'session' | 'head'> {
  const last = signal.kind === 'start' ? JSON.stringify(newSession(signal)) : (session ?? '');
  if (lastHead) return { session: last, head: { ...lastHead, status: 'failed' } };
  const { stack, contact, turns } = JSON.parse(last) as Pick<Session, 'stack' | 'contact' | 'turns'>;
  const revisions = signal.kind === 'start' ? [signal.revision] : [...new Set(stack.map(({ revision }) => revision))];
  return { session: last, head: { status: 'failed', revisions, contact, card: '', block: null, turns: turns + 1 } };
}

/** Performs an effect. An exception becomes a failed result, which journeys can handle with an exit. */
async function performSafely(perform: Perform, effect: Effect): Promise<EffectResult> {
  try {
    return await perform(effect);
  } catch (error) {
    return { kind: 'failed', code: 'effect_failed', reason: messageOf(error) };
  }
}
