import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { journey } from '../../sandbox/commands/journey.js';
import { UsageError } from '../../sandbox/terminal/flags.js';

const demo = readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8');

/** Runs the command on files with these texts. */
async function lint(t: Tap, texts: Readonly<Record<string, string>>, ...flags: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-lint-'));
  t.teardown(() => rmSync(cwd, { recursive: true }));
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(cwd, name), text);
  const out: string[] = [];
  const code = await journey.run(['lint', ...Object.keys(texts), ...flags], {
    out: (line) => out.push(line),
    err: () => {},
    isColoured: false,
    cwd,
  });
  return { code, out };
}

t.test('a journey without errors has no findings, and the command ends with 0', async (t) => {
  t.strictSame(await lint(t, { 'demo.json': demo }), { code: 0, out: ['0 errors, 0 warnings'] });
});

t.test('a finding has file, line and column, shows the line, and gives a fix', async (t) => {
  const text = demo.replace(/"destination_block": "[^"]+"/, '"destination_block": "gone"');
  const line = text.split('\n').findIndex((shown) => shown.includes('"gone"')) + 1;
  const shown = text.split('\n')[line - 1]!;
  const column = shown.indexOf('"destination_block"') + 1;
  const { code, out } = await lint(t, { 'demo.json': text });
  t.equal(code, 1);
  t.match(out[0], `demo.json:${line}:${column} error dangling_exit: this exit leads to block gone, which is not in this flow (block '`);
  const at = out.findIndex((printed) => printed.includes('"gone"'));
  t.equal(out[at], `  ${line} | ${shown}`);
  t.equal(
    out[at + 1],
    `  ${' '.repeat(String(line).length)} | ${' '.repeat(column - 1)}${'^'.repeat('"destination_block": "gone"'.length)}`,
  );
  t.match(out[at + 2], /^ {2}fix: Set destination_block to the uuid of a block in this flow/);
  t.match(out.at(-1), /^1 error, \d+ warnings?$/);
});

t.test('missing fields are named', async (t) => {
  const { code, out } = await lint(t, { 'm.json': '{"x":1}' });
  t.equal(code, 1);
  const messages = out.filter((line) => line.startsWith('m.json')).map((line) => /invalid_shape: (.*)$/.exec(line)?.[1]);
  t.strictSame(messages, ['specification_version is required', 'uuid is required', 'name is required', 'flows is required']);
});

t.test('warnings alone do not fail', async (t) => {
  const container = JSON.parse(demo);
  container.flows[0].blocks.push({ ...container.flows[0].blocks[0], uuid: 'lonely', name: 'lonely' });
  const { code, out } = await lint(t, { 'demo.json': JSON.stringify(container, null, 2) });
  t.equal(code, 0);
  t.match(out[0], /warning unreachable_block: no exit leads to 'lonely'/);
});

t.test('the JSON output has the findings of all files in one line', async (t) => {
  const broken = demo.replace(/"destination_block": "[^"]+"/, '"destination_block": "gone"');
  const { code, out } = await lint(t, { 'good.json': demo, 'broken.json': broken }, '--json');
  t.equal(code, 1);
  t.equal(out.length, 1);
  const { errors, findings } = JSON.parse(out[0]!);
  t.equal(errors, 1);
  t.match(findings[0], {
    file: 'broken.json',
    line: Number,
    column: Number,
    severity: 'error',
    code: 'dangling_exit',
    path: /^\/flows\/\d+\/blocks\/\d+\/exits\/\d+\/destination_block$/,
    message: 'this exit leads to block gone, which is not in this flow',
    fix: /./,
  });
});

t.test('invalid JSON is reported with its position, and not linted', async (t) => {
  const cases: [text: string, place: RegExp][] = [
    ['{\n  "flows": [,]\n}', /^a\.json:2:13 error invalid_json: this is not JSON: value expected/],
    ['{"a": 1,}', /^a\.json:1:\d error invalid_json/],
    ['{"a": 1 // comment\n}', /^a\.json:1:9 error invalid_json: this is not JSON: invalid comment token/],
    ['', /^a\.json:1:1 error invalid_json/],
    ['['.repeat(100_000), /^a\.json:1:501 error invalid_json: it is nested more than 500 levels deep/],
  ];
  for (const [text, place] of cases) {
    const { code, out } = await lint(t, { 'a.json': text });
    t.equal(code, 1);
    t.match(out[0], place, text.slice(0, 20));
  }
});

t.test('duplicate keys are reported; a byte order mark is not', async (t) => {
  const { out } = await lint(t, { 'a.json': `\uFEFF${demo.replace('"name":', '"name": "first",\n  "name":')}` });
  t.match(out[0], /^a\.json:\d+:\d+ warning duplicate_key: duplicate key "name"/);
  t.equal(out.at(-1), '0 errors, 1 warning');
});

t.test('wrong usage and unreadable files are errors', async (t) => {
  const terminal = { out: () => {}, err: () => {}, isColoured: false, cwd: '.' };
  await t.rejects(journey.run([], terminal), UsageError);
  await t.rejects(journey.run(['lint'], terminal), UsageError);
  await t.rejects(journey.run(['bake', 'a.json'], terminal), UsageError);
  await t.rejects(journey.run(['lint', 'nowhere.json'], terminal), new UsageError('file nowhere.json not found'));
  const empty = t.testdir();
  await t.rejects(journey.run(['lint', empty], terminal), { name: 'UsageError', message: /journey\.json/ });
});
