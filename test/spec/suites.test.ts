import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import type { Tap } from '#core/testing';
import { onlyLong } from '../forms.js';

// Plain JavaScript, as it runs before compilation; tests run in the root of the project.
const { runSuite, withoutHooks } = await import(pathToFileURL('scripts/suite.mjs').href);
const { runSuites, suitesOf } = await import(pathToFileURL('scripts/suites.mjs').href);
const { loads } = await import(pathToFileURL('scripts/results.mjs').href);
const { Progress } = await import(pathToFileURL('scripts/progress.mjs').href);

const PASSES = `t.test('passes', async (t) => { t.ok(true); t.ok(true); });`;
const FAILS = `t.test('one', async (t) => t.ok(true)); t.test('two', async (t) => t.equal(1, 2, 'the sum'));`;
/** Passes when it runs again, with three assertions. */
const FLAKY = `import { existsSync, writeFileSync } from 'node:fs';
const note = new URL(import.meta.url + '.note');
const isAgain = existsSync(note);
writeFileSync(note, '');
t.test('flaky', async (t) => { t.equal(isAgain, true, 'too early'); t.ok(1); t.ok(2); });`;
const DIES = `t.test('dies', async (t) => { t.ok(true); process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); });`;

/** Runs suites of files with these sources. @returns what `runSuites` returns, its output, and the files of each process in order */
async function run(t: Tap, suites: Record<string, Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-suites-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const tap = `import t from '${import.meta.resolve('tap')}';\n`;
  for (const [name, source] of Object.values(suites).flatMap((files) => Object.entries(files))) {
    mkdirSync(join(folder, 'files'), { recursive: true });
    writeFileSync(join(folder, 'files', name), tap + source);
  }
  const printed: string[] = [];
  const started: string[][] = [];
  const progress = { started() {}, ended() {}, counted() {}, print: (text: string) => printed.push(text) };
  const result = await runSuites(new Map(Object.entries(suites).map(([suite, files]) => [suite, Object.keys(files)])), {
    atOnce: 1,
    logs: relative(process.cwd(), folder),
    progress,
    start(_suite: string, files: string[], onOutput: (output: string) => void) {
      started.push(files);
      const entry = join(folder, `entry-${started.length}.mjs`);
      writeFileSync(entry, [withoutHooks, tap, ...loads(files, (file: string) => `./files/${file}`)].join('\n'));
      return runSuite([entry], { limitMs: 60_000, cwd: process.cwd(), onOutput });
    },
  });
  return { ...result, started, printed: printed.join('\n') };
}

t.test('a file that fails runs once more, alone, and is reported as flaky when it passes', async (t) => {
  const { counts, flaky, started, printed } = await run(t, {
    one: { 'a.mjs': PASSES, 'b.mjs': FLAKY, 'c.mjs': PASSES },
    two: { 'd.mjs': PASSES },
  });
  t.strictSame(started, [['a.mjs', 'b.mjs', 'c.mjs'], ['d.mjs'], ['b.mjs']], 'after all others');
  t.strictSame(counts, { passed: 9, failed: 0, skipped: 0 }, 'the assertions of its second run count');
  t.strictSame(flaky, ['b.mjs']);
  t.match(printed, /# flaky: b\.mjs failed once and passed alone\. The first failure:\nnot ok \S+b\.mjs:\d+ flaky > too early/);
});

t.test('a file that fails twice counts as failed', async (t) => {
  const { counts, flaky, started, printed } = await run(t, { one: { 'a.mjs': FAILS, 'b.mjs': PASSES } });
  t.strictSame(started, [['a.mjs', 'b.mjs'], ['a.mjs']]);
  t.strictSame({ counts, flaky }, { counts: { passed: 3, failed: 1, skipped: 0 }, flaky: [] });
  t.notMatch(printed, /flaky/);
  t.match(printed, /not ok \S+a\.mjs:2 two > the sum\n {4}--- expected\n(.*\n){2} {4}-2\n {4}\+1\n/);
});

t.test('when more than ten files fail, none of them runs again', async (t) => {
  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`${i}.mjs`, FLAKY]));
  const { counts, started, printed } = await run(t, { one: eleven });
  t.equal(started.length, 1);
  t.strictSame(counts, { passed: 22, failed: 11, skipped: 0 });
  t.match(printed, /11 files failed/);
});

t.test('all files that did not run, because their process died, run alone', { skip: onlyLong }, async (t) => {
  const more = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`p${i}.mjs`, PASSES]));
  const { counts, flaky, started } = await run(t, { one: { 'a.mjs': DIES, ...more } });
  t.strictSame(started.slice(1), [...Object.keys(more).map((file) => [file]), ['a.mjs']]);
  t.strictSame({ counts, flaky }, { counts: { passed: 25, failed: 1, skipped: 0 }, flaky: [] });
});

t.test('an error that no test awaits fails its file, and is printed with its stack', { skip: onlyLong }, async (t) => {
  const LOSES = `t.test('late', async (t) => { t.ok(1); lose(); await new Promise((done) => setTimeout(done, 5_000)); t.ok(2); });`;
  for (const lose of [
    `async function lose() { await null; throw new Error('a lost error'); }`,
    `function lose() { setTimeout(() => { throw new Error('a lost error'); }, 1); }`,
  ]) {
    const { counts, flaky, started, printed } = await run(t, { one: { 'a.mjs': PASSES, 'b.mjs': `${LOSES}\n${lose}`, 'c.mjs': PASSES } });
    t.strictSame(started, [['a.mjs', 'b.mjs', 'c.mjs'], ['c.mjs'], ['b.mjs']]);
    t.equal(counts.failed, 1);
    t.strictSame(flaky, []);
    t.match(printed, /Error: a lost error\n +at /);
  }
});

t.test('the file in which a process dies failed, and so did those after it', async (t) => {
  const files = { 'a.mjs': PASSES, 'b.mjs': DIES, 'c.mjs': PASSES };
  const { counts, flaky, started, printed } = await run(t, { one: files });
  t.strictSame(started, [['a.mjs', 'b.mjs', 'c.mjs'], ['c.mjs'], ['b.mjs']]);
  t.strictSame(flaky, [], 'it passed the only time that it ran');
  t.match(printed, /c\.mjs runs alone/);
  t.strictSame({ ...counts, passed: 0 }, { passed: 0, failed: 1, skipped: 0 });
  t.match(printed, /its process ended with SIGKILL in b\.mjs/);
});

t.test('a file that does not load failed', async (t) => {
  const { counts } = await run(t, { one: { 'a.mjs': `import './missing.mjs';`, 'b.mjs': PASSES } });
  t.strictSame(counts, { passed: 2, failed: 1, skipped: 0 });
});

t.test('a file that makes those after it run their tests at the same time failed', async (t) => {
  const { counts, printed } = await run(t, { one: { 'a.mjs': `t.jobs = 2; ${PASSES}` } });
  t.strictSame(counts, { passed: 2, failed: 1, skipped: 0 });
  t.match(printed, /a\.mjs sets the jobs of all files that follow/);
});

t.test(
  'files share a process with neighbours of their kind until they take 100 s together, and the longest suite comes first',
  async (t) => {
    const seconds = {
      'test/a/1.test.ts': 90,
      'test/a/2.test.ts': 5,
      'test/b/1.test.ts': 5,
      'test/browser/1.test.ts': 120,
      'test/c/1.test.ts': 99,
    };
    t.strictSame(
      [...suitesOf([...Object.keys(seconds), 'test/c/new.test.ts'], seconds)],
      [
        ['test/browser', ['test/browser/1.test.ts']],
        ['test/a', ['test/a/1.test.ts', 'test/a/2.test.ts', 'test/b/1.test.ts']],
        ['test/c', ['test/c/1.test.ts']],
        ['test/c-2', ['test/c/new.test.ts']],
      ],
    );
  },
);

t.test('one suite that waits for most of its time runs beside as many others as there may be', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-suites-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const running = new Set<string>();
  const seen: string[] = [];
  const files = ['test/a/1', 'test/plugins/cluster/1', 'test/plugins/cluster/2', 'test/b/1', 'test/c/1'];
  const { counts } = await runSuites(new Map(files.map((file) => [file, [file]])), {
    atOnce: 2,
    logs: relative(process.cwd(), folder),
    progress: { started() {}, ended() {}, counted() {}, print() {} },
    async start(suite: string, _files: string[], onOutput: (output: string) => void) {
      running.add(suite);
      seen.push([...running].join(' '));
      await setImmediate();
      onOutput(`TAP version 14\n# file: ${suite}\nok 1 - passes\n1..1\n`);
      running.delete(suite);
      return { code: 0, stdout: '', stderr: '' };
    },
  });
  t.strictSame(counts, { passed: 5, failed: 0, skipped: 0 });
  t.equal(seen[2], 'test/a/1 test/b/1 test/plugins/cluster/1');
  t.ok(Math.max(...seen.map((suites) => suites.split(' ').length)) <= 3);
});

t.test('the progress tells suites, results and the time left, by the recorded durations and the speed of this run', async (t) => {
  const written: string[] = [];
  let seconds = 0;
  const progress = new Progress(['a', 'b', 'c', 'd'], {
    secondsOf: (suite: string) => ({ a: 10, b: 20, c: 30, d: 100 })[suite],
    atOnce: 2,
    stream: { isTTY: false, write: (text: string) => written.push(text) },
    now: () => seconds * 1_000,
  });
  t.teardown(() => progress.end());
  progress.started('d');
  progress.started('a');
  t.equal(progress.line(), '0 of 4 suites, 0 checks passed, 0 failed, about 1:40 left', 'at least what the longest suite takes');
  seconds = 20;
  t.match(progress.line(), /about 3:00 left$/, 'the suite that runs is twice as slow, so the others will be');
  for (let i = 0; i < 1_234; i++) progress.counted('passed');
  progress.counted('failed');
  progress.ended('a');
  progress.started('b');
  t.equal(progress.line(), '1 of 4 suites, 1,234 checks passed, 1 failed, about 3:00 left', 'this run is twice as slow');
  seconds = 190;
  progress.ended('b');
  progress.ended('d');
  progress.started('c');
  t.match(progress.line(), /^3 of 4 suites, .* about 1:/);
  seconds = 300;
  t.match(progress.line(), /, longer than recorded$/);
  progress.print('not ok');
  t.strictSame(written, ['not ok\n'], 'no control characters elsewhere than in a terminal');
});
