import type { Scenario } from './scenario.js';

/** The text of a violation without ids and times, so that the same fault of the product is recognized in another run. */
export const kindOf = (violation: string): string =>
  violation
    .replace(/^[\d.]+ s: /, '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*')
    .replace(/\+?\d[\d.:]*/g, '#')
    .slice(0, 80);

/** Milliseconds of a run that are kept after the last fault. */
const AFTER_FAULTS_MS = 120_000;
const HOUR_MS = 3_600_000;

/**
 * Looks for the shortest scenario that still fails in the same way: leaves out features, then faults, half of them first and then ever fewer, then the
 * time after the last fault.
 * @param fails runs a scenario, and tells whether it fails as the first one did
 */
export async function shrink(scenario: Scenario, fails: (scenario: Scenario) => Promise<boolean>): Promise<Scenario> {
  let smallest = scenario;
  const tried = new Set<string>();
  const attempt = async (changed: Partial<Scenario>): Promise<boolean> => {
    const candidate = { ...smallest, ...changed };
    const key = JSON.stringify(candidate);
    if (tried.has(key)) return false;
    tried.add(key);
    if (!(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (const feature of scenario.features)
    if (smallest.features.length > 1) await attempt({ features: smallest.features.filter((name) => name !== feature) });
  for (let size = Math.ceil(smallest.faults.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < smallest.faults.length; ) {
      const rest = smallest.faults.filter((_, i) => i < from || i >= from + size);
      if (!(await attempt({ faults: rest }))) from += size;
    }
  const lastEnds = Math.max(0, ...smallest.faults.map(({ at, ms }) => at + ms));
  await attempt({ hours: Math.min(smallest.hours, (lastEnds + AFTER_FAULTS_MS) / HOUR_MS) });
  return smallest;
}
