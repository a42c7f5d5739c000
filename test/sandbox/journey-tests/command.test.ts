import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Parser } from 'tap-parser';
import { patient } from '../../../core/testing/slowness.js';
import { test } from '../../../sandbox/commands/test.js';
import { UsageError } from '../../../sandbox/terminal/flags.js';
import { onlyLong } from '../../forms.js';
import { cafe, folderWith, runCommand } from './runs.js';

// Tests that need it pass --ci.
t.beforeEach(() => delete process.env.CI);

const passing = `tests:
  - name: hours
    tags: [smoke]
    steps:
      - say: hello
      - tap: Opening hours
        expect: { text: We are open from 9 to 5., state: end }
`;
const failing = `journey: cafe.md
tests:
  - name: it's "late"
    contact: { name: Ann }
    steps:
      - start
      - tap: Opening hours
        expect: { text: "We are open\\nfrom 8 to 5." }
  - name: later
    skip: the kitchen is closed
    steps: [start]
`;

t.test('the tests of a folder run with the journey of the same name, and the command ends with 0', async (t) => {
  const cwd = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': passing, 'deep/cafe.md': cafe, 'deep/cafe.test.yaml': passing });
  const { code, out } = await runCommand(cwd);
  t.equal(code, 0);
  t.match(out, /✓ cafe\.test\.yaml {2}1 passed/);
  t.match(out, /✓ deep\/cafe\.test\.yaml {2}1 passed/);
  t.match(out.split('\n').at(-1), /^2 passed, 0 failed {2}\d+ ms$/);
  t.match((await runCommand(cwd, 'deep', '--tag', 'smoke')).out, /1 passed/);
});

t.test('a failure shows the conversation, the line, the difference, the place in the journey and how to repeat it', async (t) => {
  const flag = '  - { name: --flag, steps: [start, { expect: { card: Hours } }] }\n';
  const { code, out } = await runCommand(folderWith(t, { 'cafe.md': cafe, 'a.test.yaml': `${failing}${flag}` }));
  t.equal(code, 1);
  for (const line of [
    /✗ it's "late" {2}a\.test\.yaml:8:19/,
    /◀ Hello Ann! What do you need\?\n {6}\[Opening hours\] \[A table\] \[Weather\]\n {4}▶ \[Opening hours\]\n {4}◀ We are open from 9 to 5\.\n {4}· the journey ends/,
    /8 \| {9}expect: \{ text: "We are open\\nfrom 8 to 5\." \}\n {6}\| +\^+/,
    /text\n {6}- We are open\n {6}- from 8 to 5\.\n {6}\+ We are open from 9 to 5\./,
    /journey {3}cafe\.md:\d+:\d+ {2}Hours/,
    /repeat {4}npx posthorn test a\.test\.yaml -t 'it'\\''s "late"'/,
    /repeat {4}npx posthorn test a\.test\.yaml --name=--flag\n/,
    /- later {2}skipped: the kitchen is closed/,
    /0 passed, 2 failed, 1 skipped/,
  ])
    t.match(out, line);
});

t.test('the reporters have the results in JSON, JUnit, TAP and annotations of GitHub', async (t) => {
  const cwd = folderWith(t, { 'cafe.md': cafe, 'a.test.yaml': failing, 'b.test.yaml': 'tests: 5\n', 'cafe.test.yaml': passing });
  const json = await runCommand(cwd, '--json');
  t.equal(json.code, 2, 'a file with mistakes did not run');
  t.match(JSON.parse(json.out), {
    v: 1,
    ok: false,
    summary: { passed: 1, failed: 1, skipped: 1, files: 3, files_with_mistakes: 1 },
    files: [
      {
        file: 'a.test.yaml',
        tests: [
          {
            status: 'failed',
            failure: {
              line: 8,
              column: 19,
              journey: { file: 'cafe.md', card: 'Hours' },
              repeat: /^npx posthorn test/,
              differences: [{ key: 'text' }],
            },
          },
          { status: 'skipped', reason: 'the kitchen is closed' },
        ],
      },
      { file: 'b.test.yaml', problems: [{ line: 1, column: 1, message: "'tests' must be a list (lines that begin with -)" }] },
      { file: 'cafe.test.yaml', tests: [{ name: 'hours', status: 'passed' }] },
    ],
  });
  const { text } = await runCommand(cwd, '--junit', 'report.xml', '--lcov', 'reports/deep/lcov.info');
  t.match(text('reports/deep/lcov.info'), /^SF:cafe\.md$/m, 'the folder of a report is created');
  t.match(text('report.xml'), /<testsuite name="a\.test\.yaml" tests="2" failures="1" skipped="1"/);
  t.match(
    text('report.xml'),
    /<testcase classname="a\.test\.yaml" name="it's &quot;late&quot;" file="a\.test\.yaml" line="3" time="[\d.]+">\n {6}<failure message="text differs/,
  );
  t.match(text('report.xml'), /<system-out># the journey starts&#10;&lt; Hello Ann!/);
  t.equal((await runCommand(cwd, '--reporter', 'junit')).out.split('\n')[0], '<?xml version="1.0" encoding="UTF-8"?>');
  const tap = Parser.parse((await runCommand(cwd, '--reporter', 'tap')).out);
  t.match(
    tap.filter(([kind]) => kind === 'assert').map(([, about]) => (about as { ok: boolean }).ok),
    [false, false, true],
  );
  const { out } = await runCommand(cwd, '--reporter', 'github');
  t.match(out, /^::error file=a\.test\.yaml,line=8,col=19,title=it's "late"::text differs.*%0A/m);
  t.match(out, /^::error file=b\.test\.yaml,line=1,col=1,/m);
  t.match(out, /^::notice file=a\.test\.yaml,line=9,title=skipped%3A later::the kitchen is closed$/m);
  t.match(out, /%0Anpx posthorn test b\.test\.yaml$/m, 'no name selects the tests of a file that cannot be read');
  t.match(out, /^1 passed, 1 failed, 1 skipped, 1 file with mistakes {2}\d+ ms$/m);
  const covered = await runCommand(cwd, '--reporter', 'github', '--coverage=99');
  t.match(covered.out, /exits of cafe\.md that no test takes/, 'the log of a job says what is missing');
  t.match((await runCommand(cwd, '--reporter', 'tap', '--coverage')).out, /^1\.\.3\n#\n# {2}coverage {2}cards/m);
});

t.test('--name, --tag, only and --shard select tests; --bail stops after the first failure', async (t) => {
  const one = (name: string, more = '') => `  - { name: ${name}, ${more}steps: [start, { expect: { card: ${name} } }] }\n`;
  const cwd = folderWith(t, {
    'cafe.md': cafe,
    'a.test.yaml': `journey: cafe.md\ntests:\n${one('x')}${one('y')}`,
    'b.test.yaml': `journey: cafe.md\ntests:\n${one('Menu', 'tags: [quick], ')}${one('z')}`,
  });
  t.match((await runCommand(cwd, '-t', 'Menu')).out, /1 passed, 0 failed, 3 not selected/);
  t.match((await runCommand(cwd, 'a.test.yaml', '-t', 'x')).out, /0 passed, 1 failed, 1 not selected/);
  writeFileSync(join(cwd, 'd.test.yaml'), `journey: cafe.md\ntests:\n${one('Menu', 'tags: [quick], ')}${one('Menu twice')}`);
  t.match(
    (await runCommand(cwd, 'd.test.yaml', '-t', 'Menu')).out,
    /1 passed, 0 failed, 1 not selected/,
    'the name of one test is not a part',
  );
  t.match((await runCommand(cwd, 'd.test.yaml', '-t', 'Men')).out, /1 passed, 1 failed {2}/);
  rmSync(join(cwd, 'd.test.yaml'));
  t.match((await runCommand(cwd, '--tag', 'quick', '--tag', 'other')).out, /1 passed, 0 failed, 3 not selected/);
  t.match((await runCommand(cwd, '--bail')).out, /0 passed, 1 failed {2}/);
  t.match((await runCommand(cwd, '--bail', '-j', '2')).out, /0 passed, 1 failed {2}/);
  t.match((await runCommand(cwd, '--shard', '2/2')).out, /1 passed, 1 failed/);
  t.match(await runCommand(cwd, '-t', 'nothing'), { code: 2, err: 'posthorn: no test is selected\nCode: usage' });
  const orders = await Promise.all(
    ['s', 's', 'a', 'b', 'c', 'd'].map(async (seed) =>
      (await runCommand(cwd, '--json', '--seed', seed)).out.match(/"name":"\w+"/g)!.join(),
    ),
  );
  t.equal(orders[0], orders[1], 'the same seed, the same order');
  t.ok(new Set(orders).size > 1, 'another seed, another order');
  writeFileSync(join(cwd, 'c.test.yaml'), `journey: cafe.md\ntests:\n${one('Menu', 'only: true, ')}${one('w')}`);
  t.match((await runCommand(cwd)).out, /1 passed, 0 failed, 5 not selected/);
  t.match(await runCommand(cwd, '--ci'), { code: 2, out: /'only' is refused in CI/ });
});

t.test('worker threads give the same results as one thread', { skip: onlyLong }, async (t) => {
  const files = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`${i}.test.yaml`, failing.replace('8 to 5', `${i} to 5`)]));
  const cwd = folderWith(t, { 'cafe.md': cafe, ...files });
  const plain = (out: string) => out.replace(/"ms":\d+/g, '');
  const [one, two] = await Promise.all([
    runCommand(cwd, '--json', '-j', '1', '--coverage'),
    runCommand(cwd, '--json', '-j', '2', '--coverage'),
  ]);
  t.equal(plain(two.out), plain(one.out));
});

t.test('wrong arguments, folders without tests and unreadable files end with 2 or a usage error', async (t) => {
  const cwd = folderWith(t, {
    'cafe.md': cafe,
    'empty/readme.txt': '',
    'bad.test.yaml': Buffer.from([0xff, 0xfe, 0x41]).toString('latin1'),
  });
  writeFileSync(join(cwd, 'bad.test.yaml'), Buffer.from([0xff, 0xfe, 0x41]));
  await t.rejects(runCommand(cwd, 'empty'), { message: 'the folder empty has no files with names like *.test.yaml' });
  await t.rejects(runCommand(cwd, 'cafe.md'), UsageError);
  await t.rejects(runCommand(cwd, '--coverage=200'), UsageError);
  await t.rejects(runCommand(cwd, '--shard', '5/2'), UsageError);
  await t.rejects(runCommand(cwd, '--shard', '2/2'), { name: 'UsageError', message: '--shard 2/2 has no files, because there are only 1' });
  await t.rejects(runCommand(cwd, '--reporter', 'xml'), UsageError);
  const ignored: readonly (readonly [string[], string])[] = [
    [['--budget', '9'], '--budget is a flag of posthorn test explore'],
    [['--write', 'a.test.yaml'], '--write is a flag of posthorn test explore and posthorn test record'],
    [['--keep-personal-data'], '--keep-personal-data is a flag of posthorn test record'],
    [['explore', 'cafe.md', '--conversation', 'x'], '--conversation is a flag of posthorn test record'],
    [['explore', 'cafe.md', '--coverage'], '--coverage is a flag of posthorn test with test files, not of explore'],
    [['record', '--watch'], '--watch is a flag of posthorn test with test files, not of record'],
    [['--ci', '--update'], '--update stores snapshots, and --ci does not allow it; use one of them'],
  ];
  for (const [argv, message] of ignored) await t.rejects(runCommand(cwd, ...argv), { name: 'UsageError', message });
  t.match(await runCommand(cwd, 'bad.test.yaml'), { code: 2, out: /bad\.test\.yaml is not UTF-8/ });
  await t.rejects(runCommand(cwd, 'missing.test.yaml'), { message: 'file missing.test.yaml not found' });
});

t.test('a journey that is missing or has errors is a mistake with its place', async (t) => {
  const cwd = folderWith(t, {
    'a.test.yaml': passing,
    'b.test.yaml': `journey: nowhere.md\n${passing}`,
    'b2.test.yaml': `journey: cd.md\n${passing}`,
    'c.md': cafe.replace('text("We are', 'txt("We are'),
    'c.test.yaml': passing,
    'd.json': '{ "flows": }',
    'd.test.yaml': passing,
    'e.test.yaml': `journey: Menu\nrevision: staging\n${passing}`,
  });
  const { code, out } = await runCommand(cwd);
  t.equal(code, 2);
  t.match(
    out,
    /a\.test\.yaml:2:5 {2}the test names no journey, and there is no journey file with the name of the test file; add 'journey: FILE'/,
  );
  t.match(out, /b\.test\.yaml:3:5 {2}journey file 'nowhere\.md' not found/);
  t.match(out, /b2\.test\.yaml:3:5 {2}journey file 'cd\.md' not found; did you mean 'c\.md'\?/);
  t.match(out, /c\.test\.yaml:2:5 {2}c\.md:1\d:3: .*txt/);
  t.match(out, /d\.test\.yaml:2:5 {2}d\.json:1:1\d: this is not JSON/);
  t.match(out, /e\.test\.yaml:4:5 {2}revision 'staging' of 'Menu' is in a sandbox, and none runs/);
});

t.test('snapshots are stored, compared, updated, and only read in CI', async (t) => {
  const tests = (...names: string[]) =>
    `journey: cafe.md\ntests:\n${names.map((name) => `  - { name: ${name}, steps: [start, { expect: { snapshot: true } }, { tap: Opening hours, expect: { snapshot: true } }] }\n`).join('')}`;
  const cwd = folderWith(t, { 'cafe.md': cafe, 'a.test.yaml': tests('one', 'two') });
  const file = '__snapshots__/a.test.yaml.md';
  t.match(await runCommand(cwd, '--ci'), { code: 7, out: /the snapshot is not stored; store it with: npx posthorn test --update/ });
  t.notOk(existsSync(join(cwd, file)), 'CI stores nothing');
  const { text, out } = await runCommand(cwd);
  t.match(out, /4 snapshots stored/);
  t.match(text(file), /## one\n\n```text\n# the journey starts\n< Hello ! What do you need\?\n {2}\[Opening hours\]/);
  t.match(text(file), /## one \(2\)\n\n```text\n[\s\S]+> \[Opening hours\]\n< We are open from 9 to 5\.\n# the journey ends\n```/);
  t.equal((await runCommand(cwd, '--ci')).code, 0);
  writeFileSync(join(cwd, file), text(file).replaceAll('\n', '\r\n'));
  t.equal((await runCommand(cwd, '--ci')).code, 0, 'also with line ends of Windows');
  writeFileSync(join(cwd, 'cafe.md'), cafe.replace('9 to 5', '9 to 6'));
  t.match(await runCommand(cwd), { code: 1, out: /- < We are open from 9 to 5\.\n {6}\+ < We are open from 9 to 6\./ });
  writeFileSync(join(cwd, 'a.test.yaml'), tests('one'));
  t.match(await runCommand(cwd, '--update'), { code: 0, out: /1 snapshots? updated[\s\S]+2 obsolete snapshots removed/ });
  t.notMatch(text(file), 'two');
  writeFileSync(join(cwd, 'a.test.yaml'), tests('one').replace(', { tap: Opening hours, expect: { snapshot: true } }', ''));
  t.match(await runCommand(cwd, '--ci'), { code: 7, err: /obsolete snapshots/ });
});

t.test('--watch runs the tests of a changed journey again', async (t) => {
  const cwd = folderWith(t, { 'cafe.md': cafe, 'cafe.test.yaml': passing, 'other.md': cafe, 'other.test.yaml': passing });
  const out: string[] = [];
  const err: string[] = [];
  const until = async (holds: () => boolean): Promise<void> => {
    for (const end = Date.now() + patient(20_000); !holds(); await sleep(20))
      if (Date.now() > end) throw new Error(`nothing happened: ${[...out, ...err].join('\n')}`);
  };
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), isColoured: false, cwd };
  const ended = test.run(['--watch', '-j', '1'], terminal);
  await until(() => err.some((line) => line.startsWith('Watching')));
  t.match(out.join('\n'), /2 passed, 0 failed/);
  out.length = 0;
  writeFileSync(join(cwd, 'cafe.md'), cafe.replace('9 to 5', '9 to 6'));
  await until(() => out.some((line) => /0 passed, 1 failed/.test(line)));
  t.match(err.join('\n'), /Changed: .*cafe\.md$/m);
  t.notMatch(out.join('\n'), 'other.test.yaml', 'after a failure, only the affected tests run');
  out.length = 0;
  writeFileSync(join(cwd, 'cafe.md'), cafe);
  await until(() => out.filter((line) => /1 passed, 0 failed/.test(line)).length === 2);
  t.match(out.filter((line) => line.startsWith('✓')).join('\n'), /^✓ cafe\.test\.yaml[^\n]*\n✓ other/, 'the affected tests run first');
  out.length = 0;
  writeFileSync(join(cwd, 'third.md'), cafe);
  writeFileSync(join(cwd, 'third.test.yaml'), passing.replace('hours', 'new file'));
  await until(() => out.some((line) => line.startsWith('✓ third.test.yaml')));
  await until(() => out.some((line) => /2 passed, 0 failed/.test(line)));
  out.length = 0;
  let written = 0;
  await until(() => {
    // The journey is watched shortly after the tests have run.
    if (Date.now() - written > 1_000) writeFileSync(join(cwd, 'third.md'), cafe.replace('9 to 5', '9 to 6'));
    written = Date.now() - written > 1_000 ? Date.now() : written;
    return out.some((line) => line.startsWith('✗ third.test.yaml'));
  });
  t.match(err.at(-1), 'Changed: third.md', 'the journeys of a new file are watched too');
  process.emit('SIGINT');
  t.equal(await ended, 0);
});
