import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { defaultRecordMode, recordModes } from '../journey-tests/cassettes/record-mode.js';
import { DEFAULT_BUDGET } from '../journey-tests/explore/budget.js';
import type { RunResult } from '../journey-tests/run/run-files.js';
import { withPlugins } from '../project-plugins.js';
import { writeReport } from '../reports/write-report.js';
import { isInCi } from '../terminal/ci.js';
import { CommandFailed } from '../terminal/command-failed.js';
import { numeric, oneOf, optionalText, pairs, readFlags, text, texts, toggle, UsageError } from '../terminal/flags.js';
import { expandFolders, TEST_FILES } from '../terminal/input-files.js';
import { painter } from '../terminal/painter.js';
import { exit, type Terminal } from '../terminal/terminal.js';
import type { Command } from './command.js';

const REPORTERS = ['pretty', 'json', 'junit', 'tap', 'github'] as const;
const MAX_JOBS = 64;

const flags = {
  name: {
    ...text('TEXT', 'run tests with this text in their names; in a file with a test of exactly this name, only that one'),
    short: 't',
  },
  tag: texts('TAG', 'run tests with this tag; repeatable'),
  reporter: oneOf(REPORTERS, 'the format of the report (default pretty)'),
  json: toggle('the same as --reporter json'),
  junit: text('FILE', 'also write the report as JUnit XML'),
  coverage: optionalText('MIN', 'report coverage; fail below MIN percent of all parts'),
  lcov: text('FILE', 'write the coverage in the format of LCOV'),
  update: { ...toggle('store all snapshots, and remove obsolete ones'), short: 'u' },
  watch: toggle('run again when a file changes: tests that use it first'),
  bail: toggle('stop after the first failed test'),
  write: text('FILE', 'explore: write the fewest walks that take every exit; record: write the test'),
  conversation: text('UUID', 'record: a conversation of the running sandbox; its last session becomes a test'),
  'keep-personal-data': toggle('record: keep names, numbers and files instead of made-up ones'),
  budget: numeric('N', `explore: the most turns to run (default ${DEFAULT_BUDGET})`, { from: 1, to: 1_000_000, integer: true }),
  contact: pairs('KEY=VALUE', 'explore: a contact field; repeatable'),
  mock: texts('FILE', 'explore: a JSON file with one HTTP mock or a list; repeatable'),
  called: pairs('ID=FILE', 'explore: the file of a journey that the journey calls by this uuid; repeatable'),
  plugin: texts('FILE', 'know the blocks, functions, effects and skills of the plugin in this file; repeatable'),
  channels: text('NAMES', 'play the tests on channels, such as telegram,sms, or all, and compare what arrives'),
  seed: text('TEXT', 'shuffle files and tests; the same text gives the same order'),
  jobs: { ...numeric('N', 'worker threads (default: as many as pay off)', { from: 1, to: MAX_JOBS, integer: true }), short: 'j' },
  shard: text('I/N', 'run the I-th of N equal parts of the files'),
  record: oneOf(recordModes, 'requests without a mock that a test allows: record new ones, all, or none (CI: none)'),
  ci: toggle('store no snapshots and refuse `only` (default if CI is set)'),
};

/** The flags that `explore` and `record` take. A run of tests takes the others, and `json`. */
const VERB_FLAGS: Readonly<Record<string, readonly string[]>> = {
  explore: ['write', 'budget', 'contact', 'mock', 'called', 'plugin', 'json'],
  record: ['write', 'conversation', 'keep-personal-data', 'name', 'json'],
};
const RUN_FLAGS: ReadonlySet<string> = new Set(['name', 'plugin', 'json']);
/** The flags that `--channels` takes. */
const CHANNEL_FLAGS: ReadonlySet<string> = new Set(['channels', 'name', 'tag', 'json']);

type Values = ReturnType<typeof readFlags<typeof flags>>['values'];

export const test: Command = {
  summary: 'runs tests of journeys, written in YAML',
  usage: 'test [FILE|FOLDER...] | explore JOURNEY | record [JOURNEY] [flags]',
  examples: ['test', 'test menu.test.yaml --watch', 'test menu.test.yaml --channels all', 'test explore menu.journey.md'],
  notes: [
    'Tests are files with names like *.test.yaml, beside the journey: the tests of menu.md are in',
    'menu.test.yaml. Without arguments, those of this folder and the folders below it run.',
    'explore walks every option and exit of a journey file, and reports dead ends, endless loops, texts',
    'that show an expression, and cards that no walk reaches; it exits with 1 if it finds an error.',
    'record writes a conversation that took place as a test, for a journey file or the journey of the',
    'sandbox, and says which personal data it replaced.',
    '--channels plays the conversations of the tests on channels, each against a stand-in of its service,',
    'and fails where a contact sees other words or options than on the first one. FILE is a channel, too:',
    'the stand-in of a plugin of yours, which exports a PlayedChannel.',
    'Plugins of the configuration in this folder are known, too. They are registered and not started.',
    'No sandbox is needed, except for tests with a `revision`. HTTP requests without a mock fail.',
    'Exit codes: 0 all passed, 1 a test failed or the coverage is too low, 2 wrong usage, no tests, or',
    'a file with mistakes, 7 only snapshots are missing or obsolete (with --ci).',
  ],
  flags,
  async run(argv, terminal) {
    const { values, positionals } = readFlags(argv, flags);
    const [first = '', ...named] = positionals;
    const verb = Object.hasOwn(VERB_FLAGS, first) && !existsSync(resolve(terminal.cwd, first)) ? first : '';
    checkFlags(verb, Object.keys(values));
    if (verb === 'explore') {
      const { runExplore } = await import('../journey-tests/explore/run-explore.js');
      return withPlugins(values.plugin, terminal.cwd, (additions) => runExplore(named, values, terminal, additions));
    }
    if (verb === 'record') {
      const { runRecord } = await import('../journey-tests/record/run-record.js');
      return runRecord(named, values, terminal);
    }
    const files = testFiles(positionals, values, terminal.cwd);
    if (values.channels !== undefined) {
      const other = Object.keys(values).find((flag) => !CHANNEL_FLAGS.has(flag));
      if (other !== undefined) throw new UsageError(`--channels does not take --${other}; it takes --name, --tag and --json`);
      const { runOnChannels } = await import('../journey-tests/channels/run-channels.js');
      return runOnChannels(files, values.channels, values, terminal);
    }
    const minimum = minimumOf(values.coverage);
    if (values.ci && values.update) throw new UsageError('--update stores snapshots, and --ci does not allow it; use one of them');
    if (values.watch) return watch(() => testFiles(positionals, values, terminal.cwd), values, terminal);
    return runOnce(files, values, terminal, minimum);
  },
};

/** @throws UsageError for a flag that this form of the command would ignore */
function checkFlags(verb: string, given: readonly string[]): void {
  const verbsOf = (flag: string): string[] => Object.keys(VERB_FLAGS).filter((one) => VERB_FLAGS[one]!.includes(flag));
  for (const flag of given) {
    if (verb === '' ? RUN_FLAGS.has(flag) || verbsOf(flag).length === 0 : VERB_FLAGS[verb]!.includes(flag)) continue;
    const verbs = verbsOf(flag);
    throw new UsageError(
      verbs.length > 0
        ? `--${flag} is a flag of ${verbs.map((one) => `posthorn test ${one}`).join(' and ')}`
        : `--${flag} is a flag of posthorn test with test files, not of ${verb}`,
    );
  }
}

/** @throws UsageError for a file that does not exist or is not a test, and a folder without tests */
function testFiles(named: readonly string[], { shard }: Values, cwd: string): readonly string[] {
  const files = [...new Set(expandFolders(named.length > 0 ? named : ['.'], cwd, TEST_FILES))];
  const missing = files.find((file) => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) throw new UsageError(`file ${missing} not found`);
  const other = files.find((file) => !/\.ya?ml$/i.test(file));
  if (other !== undefined) throw new UsageError(`${other} is not a test file; tests are YAML files with names like *.test.yaml`);
  if (shard === undefined) return files;
  const [, i, n] = /^(\d+)\/(\d+)$/.exec(shard) ?? [];
  if (i === undefined || Number(i) < 1 || Number(i) > Number(n)) throw new UsageError(`--shard takes I/N such as 1/4, not '${shard}'`);
  const part = files.filter((_, at) => at % Number(n) === Number(i) - 1);
  if (part.length === 0) throw new UsageError(`--shard ${shard} has no files, because there are only ${files.length}`);
  return part;
}

function minimumOf(coverage: string | undefined): number | undefined {
  if (coverage === undefined || coverage === '') return undefined;
  const minimum = Number(coverage.replace(/%$/, ''));
  if (!(minimum >= 0 && minimum <= 100)) throw new UsageError(`--coverage takes a percentage from 0 to 100, not '${coverage}'`);
  return minimum;
}

const isCi = ({ ci }: Values): boolean => ci ?? isInCi();

async function runOnce(files: readonly string[], values: Values, terminal: Terminal, minimum: number | undefined): Promise<number> {
  const result = await reportRun(files, values, terminal);
  const { countsOf } = await import('../journey-tests/coverage/summary.js');
  const { jsonReport } = await import('../journey-tests/reports/machine.js');
  const percent = countsOf((result.coverage ?? []).flatMap(({ parts }) => parts)).percent;
  const tooLow = minimum !== undefined && percent < minimum ? { percent, minimum } : undefined;
  checkRun(result, tooLow, isCi(values), jsonReport(result));
  if (isJson(values)) terminal.out(JSON.stringify(jsonReport(result)));
  return exitCode(result);
}

const isJson = ({ json, reporter }: Values): boolean => json ?? reporter === 'json';

/** Runs the tests, and prints the report unless it is JSON. */
async function reportRun(files: readonly string[], values: Values, terminal: Terminal): Promise<RunResult> {
  const [{ runFiles }, { closePlatform }, { fileLines, endLines }] = await Promise.all([
    import('../journey-tests/run/run-files.js'),
    import('../journey-tests/run/run-file.js'),
    import('../journey-tests/reports/pretty.js'),
  ]);
  const reporter = isJson(values) ? 'json' : (values.reporter ?? 'pretty');
  const paint = painter(terminal.isColoured);
  const { cwd } = terminal;
  try {
    const result = await runFiles({
      files,
      cwd,
      plugins: values.plugin,
      name: values.name,
      tags: values.tag,
      bail: values.bail,
      seed: values.seed,
      jobs: values.jobs,
      coverage: values.coverage !== undefined || values.lcov !== undefined,
      record: values.record ?? (isCi(values) ? 'none' : defaultRecordMode()),
      snapshots: values.update ? 'update' : isCi(values) ? 'ci' : 'keep',
      onFile(file) {
        if (reporter === 'pretty') for (const line of fileLines(file, cwd, paint)) terminal.out(line);
      },
    });
    if (reporter === 'pretty') for (const line of ['', ...endLines(result, terminal)]) terminal.out(line);
    else if (reporter !== 'json') await machineReport(reporter, result, terminal);
    if (values.junit !== undefined)
      writeReport(resolve(cwd, values.junit), (await import('../journey-tests/reports/machine.js')).junitReport(result));
    if (values.lcov !== undefined)
      writeReport(resolve(cwd, values.lcov), (await import('../journey-tests/coverage/lcov.js')).lcovOf(result.coverage ?? []));
    return result;
  } finally {
    await closePlatform();
  }
}

async function machineReport(
  reporter: Exclude<(typeof REPORTERS)[number], 'pretty' | 'json'>,
  result: RunResult,
  terminal: Terminal,
): Promise<void> {
  const { junitReport, tapReport, githubReport } = await import('../journey-tests/reports/machine.js');
  const report = { junit: junitReport, tap: tapReport, github: githubReport }[reporter](result);
  terminal.out(report.trimEnd());
}

const failedTests = ({ files }: RunResult) => files.flatMap(({ tests }) => tests).filter(({ status }) => status === 'failed');
const hasProblems = ({ files }: RunResult): boolean => files.some(({ problems }) => problems.length > 0);

function exitCode(result: RunResult): number {
  if (hasProblems(result)) return exit.usage;
  const failed = failedTests(result);
  if (failed.some(({ failure }) => !failure?.isMissingSnapshot)) return exit.failed;
  return failed.length > 0 ? exit.snapshots : exit.ok;
}

/** @throws CommandFailed for a run that fails although no test does */
function checkRun(
  run: RunResult,
  tooLow: { readonly percent: number; readonly minimum: number } | undefined,
  isCi: boolean,
  result: object,
): void {
  if (hasProblems(run)) return;
  if (run.files.every(({ tests }) => tests.length === 0))
    throw new CommandFailed('no test is selected', { code: 'usage', exit: exit.usage, result });
  if (tooLow) {
    const percent = (Math.floor(tooLow.percent * 10) / 10).toFixed(1);
    const message = `the coverage is ${percent} %, less than ${tooLow.minimum} %`;
    throw new CommandFailed(message, { code: 'coverage', next: 'npx posthorn test explore JOURNEY', result });
  }
  const isObsolete = isCi && run.files.some(({ snapshots }) => snapshots.obsolete.length > 0);
  if (!isObsolete || exitCode(run) === exit.failed) return;
  const next = 'npx posthorn test --update';
  throw new CommandFailed('a snapshot file has obsolete snapshots; remove them', { code: 'snapshots', next, exit: exit.snapshots, result });
}

/** Runs all tests, then again after each change: the tests that use a changed file first, and the others if those pass. */
async function watch(find: () => readonly string[], values: Values, terminal: Terminal): Promise<number> {
  const { watchUntilStopped } = await import('../terminal/watch-files.js');
  const { isFailed } = await import('../journey-tests/run/run-files.js');
  const { cwd } = terminal;
  let files = find();
  const journeysOf = new Map<string, readonly string[]>();
  const run = async (some: readonly string[]): Promise<boolean> => {
    const result = await reportRun(some, values, terminal);
    if (isJson(values)) terminal.out(JSON.stringify((await import('../journey-tests/reports/machine.js')).jsonReport(result)));
    // A file with mistakes does not say what it uses.
    for (const { file, journeys } of result.files)
      if (journeys.length > 0)
        journeysOf.set(
          file,
          journeys.map(({ path }) => relative(cwd, path)),
        );
    return !result.files.some(isFailed);
  };
  const watched = (): readonly string[] => [...new Set([...files, ...[...journeysOf.values()].flat()])];
  await run(files);
  await watchUntilStopped(
    watched(),
    async (changed) => {
      const before = new Set(files);
      files = find();
      const affected = files.filter(
        (file) => changed.includes(file) || !before.has(file) || journeysOf.get(file)?.some((journey) => changed.includes(journey)),
      );
      terminal.err(`Changed: ${changed.join(', ')}`);
      if (affected.length > 0 && !(await run(affected))) return;
      const others = files.filter((file) => !affected.includes(file));
      if (others.length > 0) await run(others);
    },
    '',
    terminal,
    { isWatched: (path) => TEST_FILES.test(path), files: watched },
  );
  return exit.ok;
}
