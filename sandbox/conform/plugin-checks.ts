import type { Plugin } from '#core';
import { type ConformanceKind, cycleOf, faultOfConformanceCheck } from '../../core/contract/conformance-check.js';
import { type Check, CheckFailed, CheckSkipped, RunLate, type Subject } from './check.js';

/** A plugin whose checks a run includes. */
export type PluginWithChecks = Pick<Plugin, 'manifest'>;

/** The checks that plugins add for a kind of subject, after our own. @throws Error when one is invalid */
export function withPluginChecks<S extends Subject>(
  own: readonly Check<S>[],
  kind: ConformanceKind,
  plugins: readonly PluginWithChecks[] = [],
): readonly Check<S>[] {
  const added = plugins.flatMap(({ manifest: { name, checks = [] } }) =>
    checks.map((check, i) => {
      const fault = faultOfConformanceCheck(check, name);
      if (fault) throw new Error(`plugin '${name}': checks[${i}] ${fault}`);
      return check;
    }),
  );
  const all = [...own];
  for (const check of added) {
    if (check.kind !== kind) continue;
    if (all.some(({ id }) => id === check.id)) throw new Error(`there are two checks ${check.id}`);
    all.push({ ...check, run: (subject) => named(check.id, () => check.run(subject as never)) });
  }
  return all;
}

/** @throws TypeError for checks of one id, or that need each other in a cycle */
export function requireOrder(checks: readonly Pick<Check<never>, 'id' | 'needs'>[]): void {
  const cycle = cycleOf(checks);
  if (cycle !== undefined) throw new TypeError(`the checks need each other in a cycle: ${cycle}`);
  const twice = checks.find(({ id }, i) => checks.findIndex((other) => other.id === id) < i);
  if (twice) throw new TypeError(`two checks have the id ${twice.id}; rename one`);
}

/** Says which check failed with an error that is not a result. */
async function named(id: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if ([CheckFailed, CheckSkipped, RunLate].some((result) => error instanceof result)) throw error;
    throw new Error(`the check ${id} ended with an error: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
