import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, CheckFailed, CheckSkipped, type Level, type Outcome, RunLate, type Subject } from './check.js';
import { requireOrder } from './plugin-checks.js';

/** A check that is bound to its subject, as test runners take it. */
export interface BoundCheck {
  readonly id: string;
  readonly level: Level;
  readonly section: string;
  readonly title: string;
  readonly sends: string;
  readonly fix: string;
  /** Runs the check, after those that it needs; each runs once. */
  outcome(): Promise<Outcome>;
  /**
   * Runs the check as a test. A check that does not apply skips the test.
   * @throws CheckFailed, with what was expected and what was received
   */
  run(test?: { skip?(reason: string): unknown }): Promise<void>;
}

interface BindOptions {
  readonly withinMs: number;
  /** Ends the checks: outcomes that are still missing are rejected with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Binds checks to a subject. Checks run one after the other, also if the caller starts several at the same time. */
export function bind<S extends Subject>(checks: readonly Check<S>[], subject: S, { withinMs, signal }: BindOptions): BoundCheck[] {
  requireOrder(checks);
  const outcomes = new Map<string, Promise<Outcome>>();
  let queue: Promise<unknown> = Promise.resolve();
  let endsAt: number | undefined;

  const outcomeOf = (check: Check<S>): Promise<Outcome> => {
    const known = outcomes.get(check.id);
    if (known) return known;
    const outcome = (async () => {
      const lacks = await lacking(check);
      if (lacks !== undefined) return skipped(check, lacks);
      const mine = queue.then(() => carryOut(check));
      queue = mine;
      return mine;
    })();
    outcomes.set(check.id, outcome);
    return outcome;
  };

  /** Why a check cannot run. */
  async function lacking({ needs = [] }: Check<S>): Promise<string | undefined> {
    for (const need of needs) {
      const needed = checks.find(({ id }) => id === need);
      if (!needed) {
        const missing = subject.missing(need);
        if (missing !== undefined) return missing;
        continue;
      }
      const { result, reason } = await outcomeOf(needed);
      if (result === 'fail') return `${need} failed`;
      if (result === 'skipped') return reason;
    }
    return undefined;
  }

  async function carryOut(check: Check<S>): Promise<Outcome> {
    signal?.throwIfAborted();
    endsAt ??= performance.now() + withinMs;
    const since = performance.now();
    const left = endsAt - since;
    const late = `the run reached its limit of ${Math.round(withinMs / 1000)} s`;
    if (left <= 0) return { ...skipped(check, late), isLate: true };
    subject.log.begin();
    const stop = new AbortController();
    const limit = sleep(left, undefined, { signal: signal ? AbortSignal.any([stop.signal, signal]) : stop.signal }).then(() => {
      throw new RunLate(late);
    });
    // A check that ends in time aborts the limit.
    limit.catch(() => undefined);
    const { id, level, section, title, fix } = check;
    const result = await Promise.race([check.run(subject), limit]).then(
      () => ({ result: 'pass' as const }),
      (error: unknown) => {
        signal?.throwIfAborted();
        if (error instanceof RunLate) return { result: 'skipped' as const, reason: error.message, isLate: true as const };
        if (error instanceof CheckSkipped) return { result: 'skipped' as const, reason: error.message };
        if (!(error instanceof CheckFailed)) throw error;
        return { result: 'fail' as const, expected: error.expected, received: error.received, fix: error.fix ?? fix };
      },
    );
    stop.abort();
    const ms = Math.round(performance.now() - since);
    const calls = 'isLate' in result ? [] : ((await subject.recorded?.()) ?? []);
    signal?.throwIfAborted();
    return { id, level, section, title, ...result, exchanges: [...subject.log.taken()], ...(calls.length > 0 && { calls }), ms };
  }

  return checks.map((check) => {
    const { id, level, section, title, sends, fix } = check;
    const outcome = () => outcomeOf(check);
    return {
      id,
      level,
      section,
      title,
      sends,
      fix,
      outcome,
      async run(test) {
        const { result, reason = '', expected = '', received = '', fix: found = fix } = await outcome();
        if (result === 'skipped') test?.skip?.(reason);
        if (result === 'fail') throw new CheckFailed(expected, `${received}. ${found}`);
      },
    };
  });
}

const skipped = ({ id, level, section, title }: Check<never>, reason: string): Outcome => ({
  id,
  level,
  section,
  title,
  reason,
  result: 'skipped',
  exchanges: [],
  ms: 0,
});

export interface RunOptions {
  /** Runs and reports these checks only. The checks that they need run too. */
  readonly only?: readonly string[] | undefined;
  /** Ends after the first failed MUST. */
  readonly bail?: boolean | undefined;
  readonly onOutcome?: ((outcome: Outcome, at: { readonly number: number; readonly of: number }) => void) | undefined;
}

/** Runs checks in their order. @returns the outcome of each check that was run */
export async function runChecks(checks: readonly BoundCheck[], { only, bail = false, onOutcome }: RunOptions = {}): Promise<Outcome[]> {
  const wanted = only ? checks.filter(({ id }) => only.includes(id)) : checks;
  const outcomes: Outcome[] = [];
  for (const check of wanted) {
    const outcome = await check.outcome();
    outcomes.push(outcome);
    onOutcome?.(outcome, { number: outcomes.length, of: wanted.length });
    if (bail && isBroken(outcome)) break;
  }
  return outcomes;
}

/** Whether an outcome makes a run fail: only a MUST does. */
export const isBroken = ({ level, result }: Outcome): boolean => level === 'MUST' && result === 'fail';
