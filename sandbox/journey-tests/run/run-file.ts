import { readdirSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { nearest } from '#core/basics';
import type { JourneyAdditions } from '../../../plugins/journeys/plugin.js';
import { textOfFile } from '../../notebooks/journey-file.js';
import { FileCassette, type Recorded } from '../cassettes/file-cassette.js';
import type { RecordMode } from '../cassettes/record-mode.js';
import { type Problem, readTests, type TestCase } from '../format/index.js';
import type { EffectsPlatform } from './effects-platform.js';
import { compileJourney, type JourneyUnderTest, JourneyUnusable, journeyFile, readJourney } from './journey-under-test.js';
import type { OpenPlatform } from './performers.js';
import { type JourneyLookup, runTests, type Selection, type TestResults } from './run-tests.js';
import { type SnapshotMode, TestSnapshots } from './snapshots.js';

/** How the files of a run are run. Plain data, so that it can be passed to a worker. */
export interface RunSettings extends Selection {
  readonly cwd: string;
  readonly snapshots: SnapshotMode;
  /** Journeys of the running sandbox, by `revisionKey`. */
  readonly revisions?: Readonly<Record<string, RevisionText>> | undefined;
  /** Files of plugins, besides those of the configuration in `cwd`. */
  readonly plugins?: readonly string[] | undefined;
  /** Whether requests that tests allow are sent and recorded; `none` if not given. */
  readonly record?: RecordMode | undefined;
}

/** A revision of a journey of the sandbox, as a file would have it; or why it is not available. */
export type RevisionText = { readonly file: string; readonly text: string } | { readonly problem: string };

export const revisionKey = ({ journey = '', revision }: Pick<TestCase, 'journey' | 'revision'>): string => `${revision} ${journey}`;

/** The results of a test file. Plain data. */
export interface FileResult extends TestResults {
  readonly file: string;
  readonly ms: number;
  /** Undefined if nothing was recorded. */
  readonly recorded?: Recorded | undefined;
  readonly snapshots: { readonly added: number; readonly changed: number; readonly removed: number; readonly obsolete: readonly string[] };
  /** The paths of the journeys that the tests use, and how they are shown. */
  readonly journeys: readonly { readonly path: string; readonly file: string }[];
}

const NOTHING = { tests: [], left: 0, coverage: [], snapshots: { added: 0, changed: 0, removed: 0, obsolete: [] }, journeys: [] };

/** A committed `only` would keep the other tests from ever running. */
const ONLY = "'only' is refused in CI, because the other tests would not run; remove it";

/**
 * Runs the tests of a file. Never throws: mistakes of the file and failures are in the result.
 * @param additions what plugins add to journeys; this thread knows their language already
 */
export async function runFile(file: string, settings: RunSettings, additions?: JourneyAdditions): Promise<FileResult> {
  const since = performance.now();
  const { plugins } = settings;
  const path = resolve(settings.cwd, file);
  const read = readTestFile(path);
  const only = settings.snapshots === 'ci' ? read.tests.find((test) => test.only) : undefined;
  if (only) return { file, ...NOTHING, problems: [{ message: ONLY, at: only.at }], ms: performance.now() - since };
  if (read.problems.length > 0) return { file, ...NOTHING, problems: read.problems, ms: performance.now() - since };
  const lookup = new FileLookup(path, settings);
  const snapshots = new TestSnapshots(path, settings.snapshots);
  const cassette = new FileCassette(path, { cwd: settings.cwd, mode: settings.record ?? 'none', openPlatform: openEffects });
  const seed = settings.seed === undefined ? undefined : `${settings.seed} ${file}`;
  const surroundings = { lookup, openPlatform, cassette, folder: dirname(path), snapshots, additions };
  const results = await runTests(read.tests, { ...settings, seed }, surroundings);
  const isComplete = results.tests.length === read.tests.length && results.tests.every(({ status }) => status === 'passed');
  const saved = snapshots.save(isComplete);
  return {
    file,
    ...results,
    tests: plugins ? results.tests.map((test) => ({ ...test, plugins })) : results.tests,
    ms: performance.now() - since,
    recorded: cassette.save(),
    snapshots: { ...saved, obsolete: isComplete ? snapshots.obsolete() : [] },
    journeys: lookup.used,
  };
}

/** Reads a test file. Never throws: a file that cannot be read is a mistake too. */
export function readTestFile(path: string): { readonly tests: readonly TestCase[]; readonly problems: readonly Problem[] } {
  try {
    return readTests(textOfFile(path));
  } catch (error) {
    return { tests: [], problems: [{ message: error instanceof Error ? error.message : String(error), at: { line: 1, column: 1 } }] };
  }
}

/** Finds journeys in files beside the test file, and revisions among those of the sandbox. */
export class FileLookup implements JourneyLookup {
  readonly #path: string;
  readonly #settings: Pick<RunSettings, 'cwd' | 'revisions'>;
  /** By the name that tests give them. */
  readonly #found = new Map<string, JourneyUnderTest | JourneyUnusable>();
  readonly #used = new Map<string, string>();

  constructor(path: string, settings: Pick<RunSettings, 'cwd' | 'revisions'>) {
    this.#path = path;
    this.#settings = settings;
  }

  get used(): FileResult['journeys'] {
    return [...this.#used].map(([path, file]) => ({ path, file }));
  }

  ofTest(test: TestCase): JourneyUnderTest {
    return test.revision === 'working' ? this.#fromFile(test.journey) : this.#fromSandbox(test);
  }

  called({ settings: { journeys = {} }, revision }: TestCase, id: string): JourneyUnderTest | undefined {
    if (!Object.hasOwn(journeys, id)) return undefined;
    const journey = journeys[id]!;
    const isInSandbox = this.#settings.revisions?.[revisionKey({ journey, revision })] !== undefined;
    return isInSandbox ? this.#fromSandbox({ journey, revision }) : this.#fromFile(journey);
  }

  #fromSandbox(wanted: Pick<TestCase, 'journey' | 'revision'>): JourneyUnderTest {
    const key = revisionKey(wanted);
    return this.#once(key, () => {
      const revision = this.#settings.revisions?.[key];
      if (!revision || 'problem' in revision) throw new JourneyUnusable(revision?.problem ?? `revision '${wanted.revision}' was not read`);
      return compileJourney(revision.file, revision.text);
    });
  }

  #fromFile(named: string | undefined): JourneyUnderTest {
    return this.#once(`file ${named ?? ''}`, () => {
      const path = journeyFile(this.#path, named);
      if (path === undefined) throw new JourneyUnusable(notFound(named, dirname(this.#path)));
      const shown = relative(this.#settings.cwd, path) || path;
      this.#used.set(path, shown);
      return readJourney(path, shown);
    });
  }

  #once(key: string, find: () => JourneyUnderTest): JourneyUnderTest {
    let found = this.#found.get(key);
    if (!found) {
      try {
        found = find();
      } catch (error) {
        found = error instanceof JourneyUnusable ? error : new JourneyUnusable(error instanceof Error ? error.message : String(error));
      }
      this.#found.set(key, found);
    }
    if (found instanceof JourneyUnusable) throw found;
    return found;
  }
}

function notFound(named: string | undefined, folder: string): string {
  if (named === undefined)
    return "the test names no journey, and there is no journey file with the name of the test file; add 'journey: FILE'";
  const files = readdirSync(folder).filter((file) => /\.(json|md|markdown)$/i.test(file));
  const meant = nearest(named, files);
  return `journey file '${named}' not found; ${meant === undefined ? 'its path is relative to the folder of the test file' : `did you mean '${meant}'?`}`;
}

let opened: Promise<EffectsPlatform> | undefined;

/** Opens one platform in memory for all tests of this process. */
async function openEffects(): Promise<EffectsPlatform> {
  opened ??= import('./effects-platform.js').then(({ openEffectsPlatform }) => openEffectsPlatform());
  return opened;
}

const openPlatform: OpenPlatform = async () => (await openEffects()).context;

/** Closes the platform of this process, if a test opened one. */
export async function closePlatform(): Promise<void> {
  const platform = opened;
  opened = undefined;
  await (await platform)?.close();
}
