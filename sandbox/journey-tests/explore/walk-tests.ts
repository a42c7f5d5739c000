import { basename, dirname, relative } from 'node:path';
import type { DocumentTest, Settings, TestDocument } from '../format/index.js';
import { writtenSteps } from '../record/written-steps.js';
import { SEED, stepsOf, type Walk } from './explorer.js';
import { labelsOf } from './findings.js';

const MAX_NAME = 120;

/** Walks as a test file, and how many of them a test cannot express. */
export interface WalkTests {
  readonly document: TestDocument;
  readonly left: number;
}

/**
 * The fewest walks that together take every exit that the search took, shortest first, as tests. Walks with a failure are left out: a test
 * would say that the failure is right.
 * @param file of the tests, to name the journey beside it
 */
export function walkTests(walks: readonly Walk[], settings: Settings, journey: string, file: string): WalkTests {
  const good = walks.filter((walk) => walk.turn.failure === undefined);
  const writable = good.filter(({ assumptions }) => !assumptions.isUnwritable);
  const parts = new Map(writable.map((walk) => [walk, partsOf(walk)]));
  const open = new Set([...parts.values()].flat());
  const chosen: Walk[] = [];
  while (open.size > 0) {
    const best = bestOf(parts, open);
    if (!best) break;
    chosen.push(best);
    for (const part of parts.get(best)!) open.delete(part);
  }
  const names = new Map<string, number>();
  const tests = chosen.map((walk): DocumentTest => {
    const path = labelsOf(walk).join(' > ') || 'the beginning';
    const name = path.length > MAX_NAME ? `${path.slice(0, MAX_NAME)}…` : path;
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    return {
      name: count === 1 ? name : `${name} (${count})`,
      ...walk.assumptions.settings,
      steps: stepsOf(walk).flatMap(({ action, turn }) => writtenSteps(action, turn)),
    };
  });
  const defaults: Settings = { seed: SEED, ...settings };
  const named = relative(dirname(file), journey) || basename(journey);
  return { document: { journey: named, defaults, tests }, left: good.length - writable.length };
}

/** The walk with the most parts that no other test has; the shortest of several. */
function bestOf(parts: ReadonlyMap<Walk, readonly string[]>, open: ReadonlySet<string>): Walk | undefined {
  let best: { readonly walk: Walk; readonly count: number } | undefined;
  for (const [walk, all] of parts) {
    const count = all.filter((part) => open.has(part)).length;
    if (count > 0 && (!best || count > best.count || (count === best.count && walk.length < best.walk.length))) best = { walk, count };
  }
  return best?.walk;
}

/** Everything that a walk takes or chooses. */
const partsOf = (walk: Walk): string[] => [
  ...new Set(
    stepsOf(walk).flatMap(({ action, turn, before }) => [
      ...turn.events.flatMap((event) => (event.type === 'exit_taken' ? `${event.at.block} ${event.uuid ?? event.exit}` : [])),
      ...(action.kind === 'tap' || action.kind === 'choose' ? [`${before?.position} ${action.label}`] : []),
    ]),
  ),
];
