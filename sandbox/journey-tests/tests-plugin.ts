import {
  anyString,
  anyValue,
  array,
  boolean,
  Conflict,
  definePlugin,
  event,
  InvalidRequest,
  integer,
  NotFound,
  nullable,
  object,
  oneOf,
  permit,
  route,
  string,
  stringUpTo,
  type TypeOf,
} from '#core';
import { journeys, withJourneys } from '../../plugins/journeys/plugin.js';
import { sandboxCauses } from '../causes.js';
import type { TestCase } from './format/index.js';
import { recordRoutes } from './record/record-routes.js';

/** Runs in memory; the oldest are deleted. */
const MAX_RUNS = 20;
const MAX_BYTES = 2 * 1024 * 1024;

export interface TestsEnded {
  readonly run: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const testsEnded = event<TestsEnded>('tests.ended', 'A run of tests of journeys has ended.');

const newRun = object(
  {
    /** A test file: YAML. */
    tests: stringUpTo(MAX_BYTES),
  },
  {
    /** The journey of the tests, by uuid. Without it, each test names its journey by uuid or name. */
    journey: string().guid(),
    /** The number whose journeys are named; without it, those of all numbers. */
    number: string().guid(),
    /** Runs tests whose name contains this text. */
    name: string(),
    coverage: boolean(),
  },
);

const place = { line: integer(), column: integer() };
const problemSchema = object({ ...place, message: string() });
const testSchema = object(
  { name: string(), status: oneOf('passed', 'failed', 'skipped'), ms: integer(), ...place },
  { reason: anyString(), failure: anyValue() },
);
const partSchema = object(
  {
    kind: oneOf('block', 'exit', 'option', 'trigger', 'expression'),
    card: anyString(),
    block: anyString(),
    name: anyString(),
    count: integer(),
    ...place,
  },
  { to: nullable(anyString()), reach: anyString() },
);
/** The number of tests with each result. */
const counts = { passed: integer(), failed: integer(), skipped: integer() };
const coverageOf = { journey: string(), percent: integer() };
const listedSchema = object({
  id: string(),
  started_at: string(),
  state: oneOf('running', 'ended', 'failed'),
  of: integer(),
  ...counts,
  coverage: array(object(coverageOf)),
});
const startedSchema = object({ run: object({ id: string(), of: integer() }) });
const runSchema = object({
  run: object({
    id: string(),
    started_at: string(),
    state: oneOf('running', 'ended', 'failed'),
    /** Why a run has failed. */
    error: nullable(string()),
    /** The number of tests of the run. */
    of: integer(),
    tests: array(testSchema),
    /** Journeys that cannot be run. */
    problems: array(problemSchema),
    /** By journey, once the run has ended, if it was requested. */
    coverage: array(object({ ...coverageOf, parts: array(partSchema) })),
    /** The test file of the run. */
    source: anyString(),
  }),
});
/** A test of more steps would keep a server busy for too long. */
const MAX_STEPS = 100;
const playedSchema = object({
  /** The tests of the file that can be played. */
  names: array(string()),
  /** The name of the test that was played. */
  name: string(),
  channels: array(
    object({
      channel: string(),
      title: string(),
      by: oneOf('buttons', 'numbers'),
      steps: array(
        object({
          did: oneOf('write', 'choose', 'wait'),
          said: anyString(),
          seen: array(object({ text: anyString(), options: array(anyString()) }, { file: string() })),
        }),
      ),
      problems: array(object({ step: integer(), what: anyString() })),
      notes: array(anyString()),
    }),
  ),
});
type Played = TypeOf<typeof playedSchema>;
type Run = { -readonly [K in keyof TypeOf<typeof runSchema>['run']]: TypeOf<typeof runSchema>['run'][K] };

/** Runs tests of the journeys of the platform from the admin API. */
export const testsPlugin = definePlugin({
  name: 'tests',
  needs: [journeys],
  version: '0.1.0',
  permissions: {
    'tests.read': permit.everyone('See runs of tests.'),
    'tests.run': permit.authors('Run and record tests of journeys.'),
  },
  causes: sandboxCauses.tests,
  emits: [testsEnded],
  register(platform) {
    const context = withJourneys(platform);
    const { ids, clock, announce, log } = context;
    const runs = new Map<string, Run>();

    async function carryOut(
      run: Run,
      tests: readonly TestCase[],
      { journey, number, name, coverage = false }: TypeOf<typeof newRun>,
    ): Promise<void> {
      const [{ runTests, coverageOfAll }, { PlatformJourneys }, { countsOf }] = await Promise.all([
        import('./run/run-tests.js'),
        import('./run/platform-journeys.js'),
        import('./coverage/summary.js'),
      ]);
      const lookup = await PlatformJourneys.read(context, tests, { journey, number });
      const hasOnly = tests.some(({ only }) => only);
      const surroundings = { lookup, openPlatform: async () => context, folder: undefined, snapshots: undefined };
      const results = await runTests(tests, { name, hasOnly, coverage }, surroundings);
      run.tests = results.tests.map(({ at: { line, column }, ms, failure, ...test }) => ({
        ...test,
        line,
        column,
        ms: Math.round(ms),
        ...(failure && { failure }),
      }));
      run.problems = results.problems.map(({ message, at }) => ({ ...at, message }));
      run.coverage = coverageOfAll(lookup.used, results.coverage).map(({ file, parts }) => ({
        journey: lookup.uuidOf(file),
        percent: Math.floor(countsOf(parts).percent),
        parts: parts.map(({ at: { line, column }, ...part }) => ({ ...part, line, column })),
      }));
      run.state = 'ended';
      announce(testsEnded, { run: run.id, ...resultsOf(run) });
    }

    let isPlaying = false;
    /** Plays one test on all channels. @throws InvalidRequest when none can be played */
    async function play({ tests: text, journey, number, name }: TypeOf<typeof newRun>): Promise<Played> {
      const [{ playTests }, { unplayable }, { playedChannels }, { PlatformJourneys }, { JourneyUnusable }] = await Promise.all([
        import('./channels/play-tests.js'),
        import('./channels/talk.js'),
        import('./channels/channels.js'),
        import('./run/platform-journeys.js'),
        import('./run/journey-under-test.js'),
      ]);
      const playable = (await testsIn(text)).filter((test) => unplayable(test) === undefined && test.steps.length <= MAX_STEPS);
      const test = playable.find((one) => name === undefined || one.name === name);
      if (!test) {
        const message =
          name === undefined ? 'No test of the file can be played on channels' : `No test '${name}' can be played on channels`;
        throw new InvalidRequest([{ path: ['tests'], rule: 'test_file', message }], message);
      }
      const lookup = await PlatformJourneys.read(context, [test], { journey, number });
      const [played] = await playTests([test], playedChannels, lookup).catch((error: unknown) => {
        if (!(error instanceof JourneyUnusable)) throw error;
        throw new InvalidRequest([{ path: ['journey'], rule: 'journey', message: error.message }], error.message);
      });
      return { names: playable.map((one) => one.name), name: test.name, channels: played!.channels as unknown as Played['channels'] };
    }

    return {
      admin: [
        ...recordRoutes(context),
        route({
          method: 'POST',
          path: '/tests/channels',
          permission: 'tests.run',
          summary:
            'Plays the conversation of one test on all channels, each against a stand-in of its service on a platform in memory, and compares what the contact sees with the first channel. `name` is the whole name of the test; without it the first one that can be played.',
          maxBytes: 2 * MAX_BYTES,
          request: { payload: newRun },
          responses: { 200: playedSchema },
          errors: [409],
          async handler({ payload }) {
            if (isPlaying) throw new Conflict('run_in_progress', 'A test is being played on channels; try again when it has ended');
            isPlaying = true;
            return play(payload).finally(() => {
              isPlaying = false;
            });
          },
        }),
        route({
          method: 'POST',
          path: '/tests/runs',
          permission: 'tests.run',
          summary:
            'Runs the tests of a test file with journeys of the platform, and responds immediately. Revision `working` is the draft. The event `tests.ended` reports the end. Nothing is sent to contacts, and snapshots are not compared.',
          maxBytes: 2 * MAX_BYTES,
          request: { payload: newRun },
          responses: { 201: startedSchema },
          errors: [409],
          async handler({ payload }, h) {
            if ([...runs.values()].some(({ state }) => state === 'running'))
              throw new Conflict('run_in_progress', 'A run of tests is in progress; try again when it has ended');
            const tests = await testsIn(payload.tests);
            const run: Run = {
              id: ids.uuid(),
              started_at: clock.now().toISOString(),
              state: 'running',
              error: null,
              of: tests.length,
              tests: [],
              problems: [],
              coverage: [],
              source: payload.tests,
            };
            runs.set(run.id, run);
            if (runs.size > MAX_RUNS) runs.delete(runs.keys().next().value!);
            carryOut(run, tests, payload).catch((error: Error) => {
              log.warn('a run of tests has failed', { run: run.id, error });
              run.state = 'failed';
              run.error = error.message;
            });
            return h.response({ run: { id: run.id, of: run.of } }).code(201);
          },
        }),
        route({
          method: 'GET',
          path: '/tests/runs',
          permission: 'tests.read',
          summary: 'Lists the runs of tests in memory, newest first; with `journey`, those that have coverage of this journey.',
          request: { query: object({}, { journey: string().guid() }) },
          responses: { 200: object({ runs: array(listedSchema) }) },
          handler({ query: { journey } }) {
            const all = [...runs.values()].reverse();
            const wanted = journey === undefined ? all : all.filter(({ coverage }) => coverage.some((one) => one.journey === journey));
            return { runs: wanted.map(listed) };
          },
        }),
        route({
          method: 'GET',
          path: '/tests/runs/{id}',
          permission: 'tests.read',
          summary: 'Shows a run of tests, with its results and its coverage when it has ended. The newest runs are kept in memory.',
          request: { params: object({ id: string() }) },
          responses: { 200: runSchema },
          handler({ params: { id } }) {
            const run = runs.get(id);
            if (!run) throw new NotFound('run of tests', id, 'test_run_not_found');
            return { run };
          },
        }),
      ],
    };
  },
});

function resultsOf({ tests }: Run): Omit<TestsEnded, 'run'> {
  const count = (wanted: string): number => tests.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

const listed = (run: Run): TypeOf<typeof listedSchema> => ({
  id: run.id,
  started_at: run.started_at,
  state: run.state,
  of: run.of,
  ...resultsOf(run),
  coverage: run.coverage.map(({ journey, percent }) => ({ journey, percent })),
});

/** @throws InvalidRequest with the place of each mistake */
async function testsIn(text: string): Promise<readonly TestCase[]> {
  const { readTests } = await import('./format/index.js');
  const { tests, problems } = readTests(text);
  if (problems.length === 0) return tests;
  const listed = problems.map(({ message, at }) => ({
    path: ['tests'],
    rule: 'test_file',
    message: `line ${at.line}, column ${at.column}: ${message}`,
  }));
  throw new InvalidRequest(listed, listed[0]!.message);
}
