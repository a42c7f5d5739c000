// Divides test files into suites, which are processes; runs them, and runs files that failed once more, alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './compile.mjs';
import { Results } from './results.mjs';

/** Each process loads the platform (2 s of CPU time), and some a browser or a database, so files share one until they take this long. */
const SUITE_SECONDS = 100;
/** Of a file that was not recorded. */
const UNKNOWN_SECONDS = 2;
/** Files that share expensive things, and files that share none of them, are in different suites. */
const KINDS = [/^test\/browser\//, /^test\/plugins\/cluster\//, /^test\/iso\//];
/** These wait for leases and fail-overs four fifths of their time: one runs beside the others, so that a core does not idle with them. */
const WAITS = /^test\/plugins\/cluster\//;
/** If more files fail, the cause is probably the change and not chance: none of them is run again. */
const MAX_RETRIED = 10;
/** Last lines of the errors of a process that died. */
const SHOWN_LINES = 40;

/** The seconds that files took together when they were recorded. */
export const secondsOf = (files, recorded) => files.reduce((sum, file) => sum + (recorded[file] ?? UNKNOWN_SECONDS), 0);

/** Divides files into suites of neighbours of one form. @returns the files by the name of their suite, the suites that take longest first */
export function suitesOf(files, recorded, formOf = () => 'short') {
  const suites = [];
  for (const file of files) {
    const kind = `${KINDS.findIndex((kind) => kind.test(file))} ${formOf(file)}`;
    const last = suites.at(-1);
    if (last?.kind === kind && secondsOf([...last.files, file], recorded) <= SUITE_SECONDS) last.files.push(file);
    else suites.push({ kind, files: [file] });
  }
  const folders = new Map();
  const named = suites.map(({ files }) => {
    const folder = dirname(files[0]);
    const number = (folders.get(folder) ?? 0) + 1;
    folders.set(folder, number);
    return [number === 1 ? folder : `${folder}-${number}`, files];
  });
  return new Map(named.sort(([, a], [, b]) => secondsOf(b, recorded) - secondsOf(a, recorded)));
}

/**
 * Runs suites, then each file that did not run because its process ended, and each file with a failure once more, in a process of its own
 * while nothing else runs. A file that passes then counts as passed, and is reported as flaky.
 * @param suites the files of each suite by its name; they are started in this order, but those that wait in a row of their own
 * @param atOnce how many run at a time, besides one that waits
 * @param start runs files in one process, whose script has the statements of `loads`, as `runSuite` does, with a function for its output
 * @param logs a folder for the whole output of each suite
 * @param progress is notified of suites and assertions, and prints lines
 * @returns the numbers of assertions, the seconds of each file, the flaky files, and the titles of skipped tests by their reasons
 */
export async function runSuites(suites, { atOnce, start, logs, progress }) {
  const results = new Map();
  const idle = [...suites].filter(([, [file]]) => WAITS.test(file));
  const busy = [...suites].filter(([, [file]]) => !WAITS.test(file));
  const worker = async (next) => {
    for (let suite = next(); suite; suite = next()) await run(...suite);
  };
  const workers = Array.from({ length: atOnce }, () => worker(() => busy.shift() ?? idle.shift()));
  await Promise.all([...workers, worker(() => idle.shift())]);

  const flaky = [];
  for (const [file] of [...results].filter(([, { begun }]) => !begun)) {
    progress.print(`# ${file} runs alone, because its process ended before it`);
    await run(file, [file]);
  }
  const failed = [...results].filter(([, { counts }]) => counts.failed > 0);
  for (const [file, first] of failed.length > MAX_RETRIED ? [] : failed) {
    progress.print(`# ${file} failed and runs again, alone`);
    await run(file, [file]);
    if (results.get(file).counts.failed > 0) continue;
    flaky.push(file);
    progress.print(`# flaky: ${file} failed once and passed alone. The first failure:\n${first.failures[0] ?? '(its process ended)'}`);
  }
  if (failed.length > MAX_RETRIED) progress.print(`# ${failed.length} files failed: more than ${MAX_RETRIED}, so none is run again`);
  const all = [...results.values()];
  return {
    counts: sum(all.map(({ counts }) => counts)),
    seconds: Object.fromEntries([...results].map(([file, { seconds }]) => [file, Math.round(seconds * 10) / 10])),
    flaky,
    skipped: byReason(all.flatMap(({ skipped }) => skipped)),
  };

  async function run(suite, files) {
    const found = new Results(files, progress);
    progress.started(suite);
    const { code, signal, stdout, stderr } = await start(suite, files, (output) => found.write(output));
    found.end();
    const log = join(logs, `${suite.replaceAll('/', '-')}.log`);
    mkdirSync(join(root, logs), { recursive: true });
    writeFileSync(join(root, log), `${stdout}\n${stderr}`);
    const isClean = code === 0 && !signal;
    const begun = [...found.files].filter(([, result]) => result.begun);
    const died = signal || (!isClean && begun.every(([, { counts }]) => counts.failed === 0));
    const [lastFile, last] = begun.at(-1) ?? [];
    for (const [file, result] of found.files) {
      // A process that died did not finish the last file that it began, and ran none of those after it.
      if (!result.begun || (died && result === last)) result.counts.failed++;
      results.set(file, result);
    }
    if (died) {
      const errors = stderr.trimEnd().split('\n').slice(-SHOWN_LINES);
      const reason = signal ?? `exit code ${code}`;
      progress.print([`# ${suite}: its process ended with ${reason} in ${lastFile ?? 'none of its files'}`, ...errors].join('\n'));
    }
    if (!isClean) progress.print(`# the whole output of ${suite}: ${log}`);
    progress.ended(suite);
  }
}

const byReason = (skipped) => {
  const titles = new Map();
  for (const { reason, title } of skipped) titles.set(reason, [...(titles.get(reason) ?? []), title]);
  return titles;
};

const sum = (all) =>
  all.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );
