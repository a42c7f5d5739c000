// Compiles once, then runs one process per folder with tests, or per file where a folder takes too long, two at a time.
// `npm test`, `npm test -- store` (only files whose path contains the word). The last line is read by CI.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Parser } from 'tap-parser';
import { compile, filesIn, root, selfContained, writeReference } from './compile.mjs';
import { endSuitesWithUs, endsWithRunner, runSuite } from './suite.mjs';

/** The folder of the compiled copy. Two runs in one checkout need different ones. */
const out = process.env.POSTHORN_BUILD ?? '.build';
/** On an idle machine; see suite.mjs. */
const SUITE_LIMIT_MS = 240_000;
/** Files that need a process each: those that must not share one, and those that together exceed the limit. */
const PROCESS_PER_FILE = /^test\/(iso\/|browser\/console-)/;
const words = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
/** Of the suites that took longest, so that a slow new test is noticed. */
const SLOWEST_SHOWN = 12;
const durations = [];
const counts = { passed: 0, failed: 0, skipped: 0 };

await compile(['core', 'plugins', 'sandbox', 'scripts', 'test'], out);
selfContained(out);
await writeReference(out);

const suites = new Map();
for (const file of filesIn('test', '.test.ts')) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) continue;
  const suite = PROCESS_PER_FILE.test(file) ? file : dirname(file);
  suites.set(suite, [...(suites.get(suite) ?? []), file]);
}
mkdirSync(join(root, out, 'suites'), { recursive: true });
endSuitesWithUs();
const waiting = [...suites];
await Promise.all(
  Array.from({ length: 2 }, async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(...next);
  }),
);
const total = durations.reduce((sum, { seconds }) => sum + seconds, 0);
const slowest = durations.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
if (suites.size > SLOWEST_SHOWN)
  console.log(`# ${total} s; slowest: ${slowest.map(({ suite, seconds }) => `${suite} ${seconds} s`).join(', ')}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** Runs the files of one suite in one process, and prints failures. */
async function run(suite, files) {
  const entry = join(root, out, 'suites', `${suite.replaceAll('/', '-')}.mjs`);
  const loads = files.map((file) => {
    const compiled = `../${file.replace(/\.ts$/, '.js')}`;
    return `await import('${compiled}').catch((error) => t.fail('${file} did not load', { error }));`;
  });
  writeFileSync(entry, [`import t from 'tap';`, endsWithRunner, ...loads, ''].join('\n'));
  const env = { ...process.env, TAP_TIMEOUT: '0' };
  const started = performance.now();
  const { code, signal, stdout, stderr } = await runSuite(['--enable-source-maps', entry], { limitMs: SUITE_LIMIT_MS, cwd: root, env });
  durations.push({ suite, seconds: Math.round((performance.now() - started) / 1000) });
  const failedBefore = counts.failed;
  count(Parser.parse(stdout));
  const clean = code === 0 && !signal;
  if (!clean && counts.failed === failedBefore) counts.failed++;
  if (clean) printSkipped(stdout);
  else process.stdout.write(`# ${suite}: exit ${signal ?? code}\n${withoutPasses(stdout)}\n${stderr}\n`);
}

/** Counts assertions; a test that contains assertions is not counted itself. */
function count(nodes) {
  for (let i = 0; i < nodes.length; i++) {
    const [kind, value] = nodes[i];
    if (kind === 'child') {
      const before = counts.passed + counts.failed + counts.skipped;
      count(value);
      if (counts.passed + counts.failed + counts.skipped > before) i++;
    } else if (kind === 'assert') {
      if (value.skip || value.todo) counts.skipped++;
      else if (value.ok) counts.passed++;
      else counts.failed++;
    }
  }
}

function withoutPasses(tap) {
  return tap
    .split('\n')
    .filter((line) => !/^ *ok /.test(line))
    .join('\n');
}

/** Prints the reasons of skipped tests, even if the run passes. */
function printSkipped(tap) {
  for (const line of tap.split('\n')) if (/# SKIP/i.test(line)) process.stdout.write(`# skipped: ${line.trim()}\n`);
}
