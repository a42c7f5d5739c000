// Reads the output of a suite (TAP) while it runs: the assertions of each of its files, and its failures with their places.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Parser } from 'tap-parser';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Comment before the results of a file. */
const FILE = '# file: ';
/** Lines of a failure that are printed; the log of the suite has all. */
const SHOWN_LINES = 40;

/** The statements that run files one after the other, in a module where `t` is tap. `pathOf` returns what to import for a file. */
export const loads = (files, pathOf) =>
  files.map(
    (file) => `t.comment('${FILE.slice(2)}${file}');
await import('${pathOf(file)}').catch((error) => t.fail('${file} did not load', { error }));
if (t.jobs > 1) t.fail('${file} sets the jobs of all files that follow');`,
  );

/** `begun` is false if the process ended before the file. */
const noResults = () => ({ begun: false, seconds: 0, counts: { passed: 0, failed: 0, skipped: 0 }, failures: [], skipped: [] });

/** The results of each file of one process. */
export class Results {
  files;
  #current = noResults();
  #begunAt = 0;
  #progress;
  #parser = new Parser();

  /** @param progress its `counted` is called with each result (`passed`, `failed` or `skipped`), and its `print` with failures */
  constructor(files, progress) {
    this.files = new Map(files.map((file) => [file, noResults()]));
    this.#progress = progress;
    this.#parser.on('comment', (comment) => {
      const next = comment.startsWith(FILE) && this.files.get(comment.slice(FILE.length).trim());
      if (next) this.#begin(next);
    });
    this.#read(this.#parser);
  }

  write(output) {
    this.#parser.write(output);
  }

  end() {
    this.#parser.end();
    this.#begin(noResults());
  }

  #begin(next) {
    const now = performance.now();
    this.#current.seconds = (now - this.#begunAt) / 1000;
    this.#begunAt = now;
    next.begun = true;
    this.#current = next;
  }

  /** Counts the assertions of a test and its subtests. A test that contains assertions is not one itself. */
  #read(parser) {
    const own = { all: 0, failed: 0 };
    let child;
    parser.on('child', (parser) => {
      child = this.#read(parser);
    });
    parser.on('assert', (result) => {
      const { all, failed } = child ?? { all: 0, failed: 0 };
      child = undefined;
      own.all += all;
      own.failed += failed;
      // A test can fail although its assertions pass, such as one that takes too long.
      if (all > 0 && (result.ok || failed > 0)) return;
      own.all++;
      if (this.#add(result) === 'failed') own.failed++;
    });
    return own;
  }

  #add(result) {
    const { counts, failures, skipped } = this.#current;
    const kind = result.skip || result.todo ? 'skipped' : result.ok ? 'passed' : 'failed';
    counts[kind]++;
    this.#progress.counted(kind);
    if (kind === 'skipped') skipped.push({ title: result.fullname, reason: String(result.skip || result.todo) });
    if (kind === 'failed') {
      failures.push(failureOf(result));
      this.#progress.print(failures.at(-1));
    }
    return kind;
  }
}

/** A failed assertion as text: its place, the titles of its tests, and the difference between what it found and wanted. */
function failureOf({ fullname, diag }) {
  const { at, source: _source, compare: _compare, diff, stack, ...others } = diag ?? {};
  // The line of the test, if an error was thrown elsewhere.
  const [, inTest] = /\b(test\/[^\s:]+\.test\.ts:\d+)/.exec(stack ?? '') ?? [];
  const place = inTest ?? (at?.fileName && `${relative(root, at.fileName)}:${at.lineNumber}`);
  const rest = Object.keys(others).length > 0 ? JSON.stringify(others, null, 2) : '';
  const details = [diff, rest, stack]
    .filter(Boolean)
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => `    ${line}`);
  const shown = details.slice(0, SHOWN_LINES);
  return [`not ok ${place ? `${place} ` : ''}${fullname}`, ...shown, ...(details.length > shown.length ? ['    (shortened)'] : [])].join(
    '\n',
  );
}
