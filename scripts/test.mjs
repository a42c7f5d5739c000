// Compiles once, then runs one process per folder with tests, or per file where a folder takes too long, several at a time.
// `npm test`, `npm test -- store` (only files whose path contains the word). The last line is read by CI.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { compile, filesIn, root, selfContained, writeReference } from './compile.mjs';
import { endSuitesWithUs, endsWithRunner, runSuite, withoutHooks } from './suite.mjs';
import { loads, runSuites } from './suites.mjs';

/** The folder of the compiled copy. Two runs in one checkout need different ones. */
const out = process.env.POSTHORN_BUILD ?? '.build';
/** On an idle machine; see suite.mjs. */
const SUITE_LIMIT_MS = 240_000;
/** Files that must not share a process. */
const PROCESS_PER_FILE = /^test\/iso\//;
/**
 * Files of a folder that share processes, so many in each: all of them together exceed the limit, and a process each would start a browser
 * and load the platform for every file, which is 3 s of CPU time.
 */
const SHARED = { pattern: /^test\/browser\/console-/, name: 'test/browser/console', size: 4 };
/** Most suites wait half of their time, so more than one per core runs. */
const AT_ONCE = availableParallelism() + 1;
/** Suites that take longest start first, so that none of them runs alone at the end. Browser tests come next, because of their names. */
const LONGEST = [
  'test/core/cluster',
  'test/core/postgres',
  'test/core/store',
  'test/sandbox',
  'test/control',
  'test/conform',
  'test/core/delivery',
  'test/core/ports',
  'test/openapi',
];
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
/** Of the suites that took longest, so that a slow new test is noticed. */
const SLOWEST_SHOWN = 12;

await compile(['core', 'plugins', 'sandbox', 'scripts', 'test'], out);
selfContained(out);
await writeReference(out);

const suites = new Map();
let shared = 0;
const suiteOf = (file) => {
  if (SHARED.pattern.test(file)) return `${SHARED.name}-${Math.floor(shared++ / SHARED.size) + 1}`;
  return PROCESS_PER_FILE.test(file) ? file : dirname(file);
};
for (const file of filesIn('test', '.test.ts').sort()) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) continue;
  const suite = suiteOf(file);
  suites.set(suite, [...(suites.get(suite) ?? []), file]);
}
mkdirSync(join(root, out, 'suites'), { recursive: true });
endSuitesWithUs();
const order = [...LONGEST.filter((suite) => suites.has(suite)), ...suites.keys()];
const ordered = new Map(order.map((suite) => [suite, suites.get(suite)]));
const { counts, durations, flaky } = await runSuites(ordered, { atOnce: AT_ONCE, start });
const total = durations.reduce((sum, { seconds }) => sum + seconds, 0);
const slowest = durations.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
if (suites.size > SLOWEST_SHOWN)
  console.log(`# ${total} s; slowest: ${slowest.map(({ suite, seconds }) => `${suite} ${seconds} s`).join(', ')}`);
console.log(`# flaky: ${flaky.length === 0 ? 'none' : `${flaky.length} (failed once and passed alone): ${flaky.join(', ')}`}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** Runs files in one process. */
function start(suite, files) {
  const entry = join(root, out, 'suites', `${suite.replaceAll('/', '-')}.mjs`);
  const lines = loads(files, (file) => `../${file.replace(/\.ts$/, '.js')}`);
  // The time limits of files count from their import: the last one would end all of them.
  writeFileSync(entry, [withoutHooks, `import t from 'tap';`, endsWithRunner, ...lines, 't.setTimeout(0);', ''].join('\n'));
  const env = { ...process.env, TAP_TIMEOUT: '0' };
  return runSuite(['--enable-source-maps', entry], { limitMs: SUITE_LIMIT_MS, cwd: root, env });
}
