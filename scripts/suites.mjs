// Runs suites, counts the assertions of each file, and runs files that failed once more, alone.
import { Parser } from 'tap-parser';

/** If more files fail, the cause is probably the change and not chance: none of them is run again. */
const MAX_RETRIED = 10;
/** Lines of the first failure of a flaky file that are printed again at the end. */
const FAILURE_LINES = 40;
/** Comment before the results of a file. */
const FILE = '# file: ';

/**
 * Runs suites, then each file that did not run because its process ended, and each file with a failure once more, in a process of its own
 * while nothing else runs. A file that passes then counts as passed, and is reported as flaky.
 * @param suites the files of each suite by its name; they are started in this order
 * @param start runs files in one process, whose script has the statements of `loads`, as `runSuite` does
 * @returns the numbers of assertions, the seconds of each suite, and the flaky files
 */
export async function runSuites(suites, { atOnce, start, print = (text) => process.stdout.write(`${text}\n`) }) {
  const durations = [];
  const results = new Map();
  const waiting = [...suites];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(...next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));

  const flaky = [];
  for (const [file] of [...results].filter(([, { output }]) => output === '')) {
    print(`# ${file} runs alone, because its process ended before it`);
    await run(file, [file]);
  }
  const failed = [...results].filter(([, { counts }]) => counts.failed > 0);
  for (const [file, first] of failed.length > MAX_RETRIED ? [] : failed) {
    await run(file, [file]);
    if (results.get(file).counts.failed > 0) continue;
    flaky.push(file);
    print(`# flaky: ${file} failed once and passed alone. The first failure:\n${shortened(first.output)}`);
  }
  if (failed.length > MAX_RETRIED) print(`# ${failed.length} files failed: more than ${MAX_RETRIED}, so none is run again`);
  return { counts: sum([...results.values()].map(({ counts }) => counts)), durations, flaky };

  async function run(suite, files) {
    const started = performance.now();
    const { code, signal, stdout, stderr } = await start(suite, files);
    durations.push({ suite, seconds: Math.round((performance.now() - started) / 1000) });
    const isClean = code === 0 && !signal;
    const found = resultsOf(stdout, files);
    const begun = files.filter((file) => found.get(file).output !== '');
    const died = signal || (!isClean && begun.every((file) => found.get(file).counts.failed === 0));
    for (const [file, result] of found) {
      // A process that died did not finish the last file that it began, and ran none of those after it.
      if (result.output === '' || (died && file === begun.at(-1))) result.counts.failed++;
      results.set(file, result);
    }
    if (isClean) printSkipped(stdout, print);
    else print(`# ${suite}: exit ${signal ?? code}\n${withoutPasses(stdout)}\n${stderr}`);
  }
}

/** The statements that run files one after the other, in a module where `t` is tap. `pathOf` returns what to import for a file. */
export const loads = (files, pathOf) =>
  files.map(
    (file) => `t.comment('${FILE.slice(2)}${file}');
await import('${pathOf(file)}').catch((error) => t.fail('${file} did not load', { error }));`,
  );

/** For each file, the output of its suite about it, and the numbers of assertions in it. */
function resultsOf(tap, files) {
  const outputs = new Map(files.map((file) => [file, '']));
  for (const part of tap.split(/^(?=# file: )/m)) {
    const file = part.startsWith(FILE) ? part.slice(FILE.length, part.indexOf('\n')) : undefined;
    if (outputs.has(file)) outputs.set(file, part);
  }
  return new Map([...outputs].map(([file, output]) => [file, { output, counts: count(Parser.parse(output)) }]));
}

/** Counts assertions; a test that contains assertions is not counted itself. */
function count(nodes, counts = { passed: 0, failed: 0, skipped: 0 }) {
  const all = () => counts.passed + counts.failed + counts.skipped;
  for (let i = 0; i < nodes.length; i++) {
    const [kind, value] = nodes[i];
    if (kind === 'child') {
      const before = all();
      count(value, counts);
      if (all() > before) i++;
    } else if (kind === 'assert') {
      if (value.skip || value.todo) counts.skipped++;
      else if (value.ok) counts.passed++;
      else counts.failed++;
    }
  }
  return counts;
}

const sum = (all) =>
  all.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

const withoutPasses = (tap) =>
  tap
    .split('\n')
    .filter((line) => !/^ *ok /.test(line))
    .join('\n');

/** The output of a file from its first failed assertion on, up to `FAILURE_LINES` lines. */
function shortened(output) {
  const lines = output.split('\n');
  const from = lines.findIndex((line) => /^ *not ok /.test(line));
  if (from < 0) return '(its process ended without a failed assertion)';
  const shown = lines.slice(from, from + FAILURE_LINES);
  return [...shown, ...(lines.length > from + FAILURE_LINES ? ['(shortened)'] : [])].join('\n');
}

/** Prints the reasons of skipped tests, even if the run passes. */
function printSkipped(tap, print) {
  for (const line of tap.split('\n')) if (/# SKIP/i.test(line)) print(`# skipped: ${line.trim()}`);
}
