import { setImmediate } from 'node:timers/promises';
import type { JourneyAdditions } from '../../../plugins/journeys/plugin.js';
import type { FileCassette } from '../cassettes/file-cassette.js';
import { addHits, CoverageHits, type JourneyHits, noHits } from '../coverage/hits.js';
import { coverageOf, type JourneyCoverage } from '../coverage/parts.js';
import type { Problem, TestCase } from '../format/index.js';
import { type JourneyUnderTest, JourneyUnusable } from './journey-under-test.js';
import type { OpenPlatform } from './performers.js';
import { runTest, type TestResult } from './run-test.js';
import { seededOrder } from './seeded-order.js';
import type { TestSnapshots } from './snapshots.js';

/** Which tests run, and how. Plain data, so that it can be passed to a worker. */
export interface Selection {
  /** Runs tests whose name contains this text. */
  readonly name?: string | undefined;
  /** Runs tests with one of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Whether a test of the run has `only`. */
  readonly hasOnly: boolean;
  /** Stops after the first failed test. */
  readonly bail?: boolean | undefined;
  /** Shuffles the tests. */
  readonly seed?: string | undefined;
  readonly coverage?: boolean | undefined;
}

/** Finds the journeys of tests. */
export interface JourneyLookup {
  /** The journey of a test. @throws JourneyUnusable */
  ofTest(test: TestCase): JourneyUnderTest;
  /** Finds a journey by the id with which the tested one calls it. @throws JourneyUnusable */
  called(test: TestCase, id: string): JourneyUnderTest | undefined;
}

export interface TestSurroundings {
  readonly lookup: JourneyLookup;
  readonly openPlatform: OpenPlatform;
  /** Undefined if nothing is recorded or replayed. */
  readonly cassette?: FileCassette | undefined;
  /** The folder of the test file; undefined if tests may not read files. */
  readonly folder: string | undefined;
  /** Undefined if snapshots are not compared. */
  readonly snapshots: TestSnapshots | undefined;
  /** The additions of plugins to journeys; undefined for none. */
  readonly additions?: JourneyAdditions | undefined;
}

/** The results of the tests of one file. Plain data. */
export interface TestResults {
  readonly tests: readonly TestResult[];
  /** Journeys that cannot be run, each at the first test that needs it. */
  readonly problems: readonly Problem[];
  /** The number of tests that the selection left out. */
  readonly left: number;
  readonly coverage: readonly JourneyHitsOf[];
}

/** The hits of a journey. They are added up over files before they are assigned to its parts. */
export interface JourneyHitsOf {
  readonly file: string;
  readonly hits: JourneyHits;
}

/** The event loop runs after this time, so that a server that runs tests still responds. */
const BLOCKS_MS = 20;

/** Runs tests one after the other. Never throws: failures are in the results. */
export async function runTests(all: readonly TestCase[], selection: Selection, surroundings: TestSurroundings): Promise<TestResults> {
  const { seed, bail, coverage } = selection;
  const { lookup, ...deps } = surroundings;
  const isExact = all.some(({ name }) => name === selection.name);
  const selected = all.filter((test) => isSelected(test, selection, isExact));
  const tests: TestResult[] = [];
  const problems = new Map<string, Problem>();
  const hits = new Map<string, JourneyHits>();
  let since = performance.now();
  for (const test of seed === undefined ? selected : seededOrder(selected, seed)) {
    const journey = attempt(() => lookup.ofTest(test));
    if (journey instanceof JourneyUnusable) {
      if (!problems.has(journey.message)) problems.set(journey.message, { message: journey.message, at: test.at });
      continue;
    }
    const counted = coverage ? new CoverageHits() : undefined;
    const used = new Map([[journey.uuid, journey]]);
    const journeyNamed = (id: string): JourneyUnderTest | undefined => {
      const found = attempt(() => lookup.called(test, id));
      if (!found || found instanceof JourneyUnusable) return undefined;
      used.set(found.uuid, found);
      return found;
    };
    const journeyOf = (uuid: string): JourneyUnderTest | undefined => used.get(uuid);
    const result = await runTest(test, { journey, journeyNamed, journeyOf, ...deps, hits: counted });
    tests.push(result);
    for (const [uuid, counts] of counted?.byJourney ?? []) {
      const { file } = used.get(uuid) ?? journey;
      const sum = hits.get(file) ?? noHits();
      addHits(sum, counts);
      hits.set(file, sum);
    }
    if (bail && result.status === 'failed') break;
    if (performance.now() - since < BLOCKS_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return {
    tests,
    problems: [...problems.values()],
    left: all.length - selected.length,
    coverage: [...hits].map(([file, hits]) => ({ file, hits })),
  };
}

/** @param isExact whether the file has a test with exactly the wanted name: the command that repeats a test runs no other */
export function isSelected(
  { name, only, settings: { tags = [] } }: TestCase,
  { hasOnly, name: wanted, tags: wantedTags }: Selection,
  isExact: boolean,
): boolean {
  if (hasOnly && !only) return false;
  if (wanted !== undefined && (isExact ? name !== wanted : !name.includes(wanted))) return false;
  return wantedTags === undefined || wantedTags.some((tag) => tags.includes(tag));
}

/** Returns the result of `find`, or the error that says why the journey cannot be run. */
export function attempt<T>(find: () => T): T | JourneyUnusable {
  try {
    return find();
  } catch (error) {
    return error instanceof JourneyUnusable ? error : new JourneyUnusable(error instanceof Error ? error.message : String(error));
  }
}

/** The coverage of the journeys that tests ran, after their hits are added up. */
export const coverageOfAll = (journeys: readonly JourneyUnderTest[], counted: readonly JourneyHitsOf[]): JourneyCoverage[] =>
  journeys.flatMap((journey) => {
    const own = counted.filter(({ file }) => file === journey.file);
    const sum = noHits();
    for (const { hits } of own) addHits(sum, hits);
    return own.length === 0 ? [] : coverageOf(journey, sum);
  });
