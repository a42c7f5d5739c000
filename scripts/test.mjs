// `npm test` (the files that take little), `npm test -- --all` (all files, as in CI), `npm test -- store` (files whose path contains the word),
// `npm test -- --long store` (in their long form), `npm test -- --all --long store` (all files, and those in their long form),
// `npm test -- --node 24 engine` (on another release of Node). Compiles what has changed, then runs the test files in several processes at
// a time. The last line is read by CI.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compile, filesIn, root, selfContained, writeReference } from './compile.mjs';
import { nodeReleases } from './node-releases.mjs';
import { Progress } from './progress.mjs';
import { loads } from './results.mjs';
import { endSuitesWithUs, endsWithRunner, loaded, runSuite, untilLoaded, withoutHooks } from './suite.mjs';
import { runSuites, secondsOf, suitesOf } from './suites.mjs';

/** The folder of the compiled copy. Two runs at a time in one checkout need different ones if sources change between them. */
const out = process.env.POSTHORN_BUILD ?? '.build';
/** On an idle machine; see suite.mjs. */
const SUITE_LIMIT_MS = 240_000;
/** Most suites wait half of their time, so more than one per core runs. With one more they compete, and take as long. */
const AT_ONCE = availableParallelism() + 1;
/** The seconds of each file in both forms, as `--record` has measured them: for the order of the suites and the time left. */
const DURATIONS = join(root, 'test/durations.json');
/**
 * V8 optimizes functions later than usual: most code of a test runs a few thousand times, and a quarter of the CPU time would go into machine
 * code that hardly runs. Tests of code that runs much longer take as long as before. Later releases of Node have no such option.
 */
const LATE_OPTIMIZATION = ['--interrupt-budget=1000000'];

/** The files that took longest, so that a slow new test is noticed. */
const SLOWEST_SHOWN = 8;

/** Where Linux has a file system in memory: tests that write much take an eighth less CPU time there, and do not wait for a slow disk. */
const MEMORY_FOLDER = '/dev/shm';
/** The folders of all suites together take less. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/** Paths below `test/` that `npm test` leaves out, by the reason that it prints: more than half of the CPU time of all tests. */
const LEFT_OUT = {
  'in a browser': ['browser/'],
  'with PostgreSQL or a cluster': ['plugins/cluster/'],
  'with processes of their own': ['bench/', 'examples/', 'iso/', 'simulate/', 'upgrade/'],
  'with whole sandboxes, or generated requests to all routes': [
    'causes/',
    'conform/',
    'control/',
    'core/kernel/http/hostile-requests.',
    'openapi/near-misses.',
    'plugins/cloud-api/sandbox.',
    'sandbox/',
    'security/',
  ],
  'that take seconds each, such as crashes at every place': [
    ...[
      'core/adapters/store/cold/cold-check.',
      'core/adapters/store/cold/cold-merge-faults.',
      'core/adapters/store/cold/cold-moves.',
      'core/delivery/erasure-crashes.',
      'core/delivery/expiry-crashes.',
      'core/kernel/http/hosts.',
      'core/kernel/http/large-bodies.',
      'core/messaging/old-messages.',
      'core/platform/cold-collections.',
      'core/ports/outbound.',
      'core/ports/spare-threads.',
      'core/ports/workers.',
    ],
    ...['plugins/flows/sizes.', 'plugins/flows/validate/hostile-json.', 'plugins/flows/validate/validation-work.'],
    ...['pages/recipes.', 'spec/docs.', 'spec/package.', 'spec/readme.', 'spec/suites.'],
  ],
};

const { options, words } = read(process.argv.slice(2));
const isQuick = words.length === 0 && !options.all;
const formOf = (file) => (options.long?.some((word) => file.includes(word)) ? 'long' : 'short');
const isNamed = (file) => words.length === 0 || words.some((word) => file.includes(word));
const named = filesIn('test', '.test.ts').filter(isNamed).sort();
const isBelow = (paths) => (file) => paths.some((path) => file.startsWith(`test/${path}`));
const leftOut = Object.entries(isQuick ? LEFT_OUT : {}).map(([reason, paths]) => [reason, named.filter(isBelow(paths))]);
const files = named.filter((file) => !leftOut.some(([, files]) => files.includes(file)));
if (files.length === 0) refuse(`no path of a test file contains ${words.join(' or ')}`);
const node = options.node ? nodeRelease(options.node) : process.execPath;

const startedAt = performance.now();
const secondsSince = (time) => (performance.now() - time) / 1000;
console.log('# compiling what has changed');
await compile(['core', 'plugins', 'sandbox', 'scripts', 'test'], out);
selfContained(out);
await writeReference(out);

const recorded = JSON.parse(readFileSync(DURATIONS, 'utf8'));
const recordedSeconds = Object.fromEntries(files.map((file) => [file, recorded[formOf(file)][file]]));
const suites = suitesOf(files, recordedSeconds, formOf);
const progress = new Progress([...suites.keys()], {
  secondsOf: (suite) => secondsOf(suites.get(suite) ?? [], recordedSeconds),
  atOnce: AT_ONCE,
});
progress.print(
  `# ${options.node ? `Node ${options.node}, ` : ''}compiled in ${secondsSince(startedAt).toFixed(1)} s; ${files.length} test files in ${suites.size} suites`,
);
mkdirSync(join(root, out, 'suites'), { recursive: true });
endSuitesWithUs(() => progress.print(`# interrupted: ${progress.line()}`));
const temporary = temporaryFolder();
process.once('exit', () => temporary && rmSync(temporary, { recursive: true, force: true }));
const { counts, flaky, skipped, seconds } = await runSuites(suites, { atOnce: AT_ONCE, start, logs: join(out, 'logs'), progress });
progress.end();

for (const [reason, files] of leftOut) console.log(`# left out: ${files.length} test files ${reason}; npm test -- --all runs them`);
for (const [reason, titles] of skipped)
  console.log(`# skipped: ${reason}${titles.length > 1 ? ` (${titles.length} tests)` : `: ${titles[0]}`}`);
const slowest = Object.entries(seconds).sort(([, a], [, b]) => b - a);
if (words.length === 0) {
  const shown = slowest.slice(0, SLOWEST_SHOWN).map(([file, seconds]) => `${file} ${seconds} s`);
  console.log(`# ${Math.round(secondsSince(startedAt))} s; slowest: ${shown.join(', ')}`);
}
if (options.record) {
  for (const [file, taken] of Object.entries(seconds)) recorded[formOf(file)][file] = taken;
  writeFileSync(DURATIONS, `${JSON.stringify(recorded, null, 2)}\n`);
}
console.log(`# flaky: ${flaky.length === 0 ? 'none' : `${flaky.length} (failed once and passed alone): ${flaky.join(', ')}`}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** Runs files in one process. */
function start(suite, files, onOutput) {
  const entry = join(root, out, 'suites', `${suite.replaceAll('/', '-')}.mjs`);
  const lines = loads(files, (file) => `../${file.replace(/\.ts$/, '.js')}`);
  // The time limits of files count from their import: the last one would end all of them.
  writeFileSync(
    entry,
    [withoutHooks, `import t from 'tap';`, endsWithRunner, untilLoaded, ...lines, 't.setTimeout(0);', loaded, ''].join('\n'),
  );
  const env = { ...process.env, TAP_TIMEOUT: '0', POSTHORN_TESTS: formOf(files[0]), ...(temporary && { TMPDIR: temporary }) };
  const isNode20 = node === process.execPath && process.versions.node.startsWith('20.');
  const args = ['--enable-source-maps', '--max-semi-space-size=32', ...(isNode20 ? LATE_OPTIMIZATION : []), entry];
  return runSuite(args, { limitMs: SUITE_LIMIT_MS, cwd: root, env, node, onOutput });
}

function read(args) {
  const options = {
    all: { type: 'boolean' },
    long: { type: 'string', multiple: true },
    node: { type: 'string' },
    record: { type: 'boolean' },
  };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { options: values, words: values.all ? positionals : [...positionals, ...(values.long ?? [])] };
  } catch (error) {
    return refuse(`${error.message}\nusage: npm test -- [--all] [--long WORD] [--node RELEASE] [--record] [WORD…]`);
  }
}

/** A folder in memory for the files of tests; undefined where there is too little. */
function temporaryFolder() {
  if (process.env.TMPDIR) return undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    if (bavail * bsize < NEEDED_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY_FOLDER, 'posthorn-tests-'));
    // PostgreSQL refuses to run as root, so another user must reach the folders in it.
    chmodSync(folder, 0o711);
    return folder;
  } catch {
    // There is none on other systems.
    return undefined;
  }
}

/** The path of another release of Node. */
function nodeRelease(release) {
  try {
    return nodeReleases([release]).get(release);
  } catch (error) {
    return refuse(error.message);
  }
}

function refuse(reason) {
  console.error(reason);
  process.exit(2);
}
