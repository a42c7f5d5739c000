import { existsSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { JourneyAdditions } from '../../../plugins/journeys/plugin.js';
import { withPlugins } from '../../project-plugins.js';
import type { JourneyCoverage } from '../coverage/parts.js';
import type { TestCase } from '../format/index.js';
import { forgetJourneys, journeyFile, readJourney } from './journey-under-test.js';
import { type FileResult, type RunSettings, readTestFile, revisionKey, runFile } from './run-file.js';
import { coverageOfAll } from './run-tests.js';
import { revisionText } from './sandbox-revisions.js';
import { seededOrder } from './seeded-order.js';
import { TestWorkers } from './test-workers.js';

/** A run of test files. */
export interface FilesRun extends Omit<RunSettings, 'hasOnly' | 'revisions'> {
  /** Relative to `cwd`. */
  readonly files: readonly string[];
  /** Worker threads; 1: this thread. Without it, as many as pay off. */
  readonly jobs?: number | undefined;
  /** Called with each file, in the order of the files. */
  readonly onFile?: ((result: FileResult) => void) | undefined;
}

/** The results of a run. */
export interface RunResult {
  readonly files: readonly FileResult[];
  readonly ms: number;
  readonly coverage?: readonly JourneyCoverage[] | undefined;
}

/**
 * A thread that runs fewer bytes of tests than this costs more than it saves: it loads the modules and optimizes the code again. (450 KB
 * of tests on two cores: 1.9 s of CPU in one thread, 5.5 s in three.)
 */
const BYTES_PER_WORKER = 1_000_000;

/** Runs test files, in worker threads if that pays off. Never throws for mistakes in files. @throws UsageError when a plugin cannot be loaded */
export const runFiles = (run: FilesRun): Promise<RunResult> => withPlugins(run.plugins, run.cwd, (additions) => runWith(run, additions));

async function runWith({ files, jobs, onFile, ...run }: FilesRun, additions: JourneyAdditions | undefined): Promise<RunResult> {
  const since = performance.now();
  forgetJourneys();
  const settings = await settingsOf(files, run);
  const ordered = run.seed === undefined ? files : seededOrder(files, run.seed);
  const threads = jobs ?? threadsFor(ordered, run.cwd);
  const results =
    threads <= 1 ? await inThisThread(ordered, settings, onFile, additions) : await inThreads(ordered, threads, settings, onFile);
  return { files: results, ms: performance.now() - since, ...(run.coverage && { coverage: coverageIn(results) }) };
}

async function inThisThread(
  files: readonly string[],
  settings: RunSettings,
  onFile: FilesRun['onFile'],
  additions: JourneyAdditions | undefined,
): Promise<FileResult[]> {
  const results: FileResult[] = [];
  for (const file of files) {
    const result = await runFile(file, settings, additions);
    results.push(result);
    onFile?.(result);
    if (settings.bail && isFailed(result)) break;
  }
  return results;
}

/** Reports files in their order, whichever thread ends first. With `bail`, files after the first failed one are left out. */
async function inThreads(
  files: readonly string[],
  threads: number,
  settings: RunSettings,
  onFile: FilesRun['onFile'],
): Promise<FileResult[]> {
  const workers = new TestWorkers(Math.min(threads, files.length), settings);
  try {
    const results: FileResult[] = [];
    for (const pending of workers.run(files)) {
      const result = await pending;
      results.push(result);
      onFile?.(result);
      if (settings.bail && isFailed(result)) break;
    }
    return results;
  } finally {
    await workers.stop();
  }
}

export const isFailed = ({ problems, tests }: FileResult): boolean =>
  problems.length > 0 || tests.some(({ status }) => status === 'failed');

function threadsFor(files: readonly string[], cwd: string): number {
  const bytes = files.reduce((sum, file) => sum + (statSync(resolve(cwd, file), { throwIfNoEntry: false })?.size ?? 0), 0);
  return Math.min(files.length, availableParallelism(), Math.floor(bytes / BYTES_PER_WORKER));
}

/** Looks for `only` and for revisions of the sandbox. Files without these words are not parsed for it. */
async function settingsOf(files: readonly string[], run: Omit<RunSettings, 'hasOnly' | 'revisions'>): Promise<RunSettings> {
  let hasOnly = false;
  const revisions: Record<string, Awaited<ReturnType<typeof revisionText>>> = {};
  for (const file of files) {
    const path = resolve(run.cwd, file);
    if (!existsSync(path) || !MENTIONS.test(readFileSync(path, 'utf8'))) continue;
    for (const test of readTestFile(path).tests) {
      hasOnly ||= test.only;
      if (test.revision === 'working') continue;
      for (const journey of [test.journey, ...calledInSandbox(path, test)])
        revisions[revisionKey({ ...(journey !== undefined && { journey }), revision: test.revision })] ??= await revisionText(
          journey,
          test.revision,
          run.cwd,
        );
    }
  }
  return { ...run, hasOnly, revisions };
}

/** The journeys that the tested one calls, unless the test has files for them. */
const calledInSandbox = (path: string, { settings: { journeys = {} } }: TestCase): readonly string[] =>
  Object.values(journeys).filter((journey) => journeyFile(path, journey) === undefined);

const MENTIONS = /\bonly\b|\brevision\b/;

function coverageIn(results: readonly FileResult[]): JourneyCoverage[] {
  const journeys = new Map(results.flatMap(({ journeys }) => journeys.map(({ path, file }) => [path, file] as const)));
  const counted = results.flatMap(({ coverage }) => coverage);
  const used = [...journeys].filter(([, file]) => counted.some((one) => one.file === file));
  return coverageOfAll(
    used.map(([path, file]) => readJourney(path, file)),
    counted,
  );
}
