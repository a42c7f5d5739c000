import type { Tap } from '#core/testing';
import type { Check, Outcome } from '../../sandbox/conform/check.js';
import { sampled } from '../forms.js';

/** No pace. */
export const UNPACED = { requestsPerSecond: 10_000 };

/**
 * Tests each check with a subject that breaks its rule: the check fails with evidence, and no other fails, except those that it implies.
 * The short form tests some of the checks.
 * @param run runs the checks against a subject with the flaw; never twice at the same time with the same lane, from 0 to `lanes - 1`
 * @param lanes number of concurrent runs; most of their time they wait
 */
export async function failsOnly<F, C extends Check<never>>(
  t: Tap,
  checks: readonly C[],
  flaws: Readonly<Record<string, F>>,
  run: (t: Tap, flaw: F, check: C, lane: number) => Promise<readonly Outcome[]>,
  lanes = 1,
): Promise<void> {
  t.strictSame(Object.keys(flaws).sort(), checks.map(({ id }) => id).sort(), 'each check has a subject that breaks its rule');
  const busy: Promise<unknown>[] = Array.from({ length: lanes }, () => Promise.resolve());
  const runs = sampled(checks, 15).map((check, i) => {
    const lane = i % lanes;
    const outcomes = busy[lane]!.then(() => run(t, flaws[check.id]!, check, lane));
    // The test of the check awaits it, and fails.
    busy[lane] = outcomes.catch(() => undefined);
    return { check, outcomes };
  });
  for (const { check, outcomes: pending } of runs) {
    const { id, title, implies = [] } = check;
    await t.test(`${id} fails, and only that: ${title}`, async (t) => {
      const outcomes = await pending;
      const failed = outcomes.filter(({ result }) => result === 'fail');
      const others = failed.filter((one) => one.id !== id && !implies.includes(one.id));
      t.strictSame(
        others.map(({ id, expected, received }) => `${id}: ${expected}; ${received}`),
        [],
      );
      const outcome = outcomes.find((one) => one.id === id)!;
      t.match(outcome, { result: 'fail', expected: /\S/, received: /\S/, fix: /\S/ }, outcome.reason ?? '');
      t.ok(
        implies.every((implied) => outcomes.find((one) => one.id === implied)!.result !== 'pass'),
        'the checks that it implies do not pass',
      );
    });
  }
}
