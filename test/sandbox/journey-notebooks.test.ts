import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Tap } from '#core/testing';
import { compileNotebook } from '../../plugins/journeys/engine/notebook/notebook.js';
import { adminGet } from '../../sandbox/client/admin-client.js';
import { writeRunFile } from '../../sandbox/client/run-file.js';
import { journey } from '../../sandbox/commands/journey.js';
import { startSandbox } from '../../sandbox/compose.js';
import { pngOf } from '../../sandbox/notebooks/graph-png.js';
import { containerOf } from '../plugins/journeys/engine/journey-under-test.js';
import { exitCodeOf } from './exit-code.js';

const HELLO = `# Hello

\`\`\`stack
trigger(on: "MESSAGE RECEIVED")
# who writes
card Ask,   then: Done do
  name = ask("Who? ☕ & <you>")
end

card Done when name == "", then: Ask do
end

card Done do
  text("Hello @name")
end
\`\`\`
`;
const BROKEN = HELLO.replace('then: Done', 'then: ☕Dnoe').replace('☕Dnoe', 'Dnoe');

function folderOf(t: Tap, files: Readonly<Record<string, string | Buffer>>) {
  const cwd = mkdtempSync(join(tmpdir(), 'posthorn-notebooks-'));
  t.teardown(() => rmSync(cwd, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const run = async (...argv: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line), isColoured: false, cwd };
    const code = await exitCodeOf(journey.run(argv, terminal), err);
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  return { cwd, run, read: (name: string) => readFileSync(join(cwd, name), 'utf8') };
}

t.test('lint shows the mistakes of a notebook in its lines; columns count characters, and marks are below them', async (t) => {
  const emoji = 'card A do\n  text("🌙🌙 @nope(1)", 2)\nend\n';
  const { run } = folderOf(t, { 'broken.md': BROKEN, 'crlf.md': `\ufeff${BROKEN.replaceAll('\n', '\r\n')}`, 'e.md': emoji });
  for (const file of ['broken.md', 'crlf.md']) {
    const { code, out } = await run('lint', file);
    t.equal(code, 1);
    t.match(out, `${file}:6:19 error unknown_card: there is no card Dnoe; did you mean 'Done'?`);
    t.match(out, /\n {2}6 \| card Ask, {3}then: Dnoe do\n {4}\| {19}\^\^\^\^\n {2}fix: Name a card of this notebook\.\n/);
    t.match(out, /\n1 error, 0 warnings$/);
  }
  const { findings } = JSON.parse((await run('lint', 'e.md', '--json')).out);
  t.match(findings[0], { file: 'e.md', line: 2, column: 23, severity: 'error', path: '' });
  t.match((await run('lint', 'e.md')).out, /\n {2}2 \| .*\n {4}\| {25}\^\n/);
});

t.test('fmt formats in place; with --check it only reports; a notebook with errors stays', async (t) => {
  const { run, read } = folderOf(t, { 'a.md': HELLO, 'b.md': BROKEN });
  t.match(await run('fmt', '--check', 'a.md'), { code: 1, out: 'a.md is not formatted' });
  t.equal(read('a.md'), HELLO);
  t.match(await run('fmt', 'a.md', 'b.md'), {
    code: 1,
    out: /Formatted a\.md\nb\.md:6:19 error[\s\S]*b\.md is not formatted because it has errors/,
  });
  t.match(read('a.md'), '\n# who writes\ncard Ask, then: Done do\n');
  t.equal(read('b.md'), BROKEN);
  t.match(await run('fmt', 'a.md', '--check'), { code: 0, out: '' });
});

t.test('compile prints a container from which to-text prints the notebook again', async (t) => {
  const { run, cwd } = folderOf(t, { 'a.md': HELLO, 'broken.md': BROKEN });
  const { code, out } = await run('compile', 'a.md');
  t.equal(code, 0);
  t.strictSame(JSON.parse(out), JSON.parse(JSON.stringify(compileNotebook(HELLO).container)));
  writeFileSync(join(cwd, 'a.json'), out);
  const back = await run('to-text', 'a.json');
  t.match(back, { code: 0, err: '', out: /card Done when name == "", then: Ask do/ });
  const older = JSON.parse((await run('compile', 'a.md', '--spec', 'rc3')).out);
  const { flows, ...newer } = JSON.parse(out);
  const { resources, ...flow } = flows[0];
  t.strictSame(older, { ...newer, specification_version: '1.0.0-rc3', flows: [flow], resources });
  writeFileSync(join(cwd, 'older.json'), JSON.stringify(older));
  t.strictSame(await run('to-text', 'older.json'), back);
  t.match(await run('compile', 'broken.md'), { code: 1, out: '', err: /broken\.md:6:19 error unknown_card/ });
});

t.test('to-text names what a notebook cannot express', async (t) => {
  const { run } = folderOf(t, {
    'clinic.json': readFileSync('test/plugins/journeys/engine/clinic.journey.json'),
    'empty.json': '{"flows": []}',
  });
  const { code, out, err } = await run('to-text', 'clinic.json');
  t.equal(code, 1);
  t.equal(compileNotebook(out).findings.filter(({ severity }) => severity === 'error').length, 0);
  t.match(err, /^\/flows\/1: .*'booking'/);
  t.match(err, /\(block 'visitor_name'\): .*config\/normalise/);
  t.match(await run('to-text', 'empty.json'), { code: 1, out: '', err: /empty\.json has errors: / });
});

t.test('graph writes a file in the format that its name ends in', async (t) => {
  const { run, read, cwd } = folderOf(t, { 'a.md': HELLO });
  for (const [file, beginning] of [
    ['a.svg', /^<svg xmlns=/],
    ['a.DOT', /^digraph journey/],
    ['a.mmd', /^flowchart TD/],
  ] as const) {
    t.match(await run('graph', 'a.md', '--out', file), { code: 0, out: `Wrote ${file}` });
    t.match(read(file), beginning);
  }
  await t.rejects(run('graph', 'a.md', '--out', 'a.jpg'), {
    message: "--out takes a name that ends in .svg, .png, .dot, .mmd, not 'a.jpg'",
  });
  await t.rejects(run('graph', 'a.md', '--out', 'a.svg', '--dot'), { message: '--dot contradicts --out a.svg; use one of them' });
  t.equal(existsSync(join(cwd, 'a.jpg')), false);

  const missing = async (name: string) => {
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  };
  await t.rejects(pngOf('<svg/>', missing), {
    message: /PNG needs the package @resvg\/resvg-js: npm install -D @resvg\/resvg-js\. Without it/,
  });
  await t.rejects(
    pngOf('<svg/>', async () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  );
  class Resvg {
    readonly #text: string;
    constructor(svg: string, { background, fitTo }: { background: string; fitTo: object }) {
      this.#text = JSON.stringify([svg, background, fitTo]);
    }
    render() {
      return { asPng: () => Buffer.from(this.#text) };
    }
  }
  t.equal(String(await pngOf('<svg/>', async () => ({ Resvg }))), '["<svg/>","white",{"mode":"zoom","value":2}]');
});

t.test('to-text lists each kind of loss once, with a count', async (t) => {
  const asks = (n: number) => ({ name: `age_${n}`, type: 'MobilePrimitives.NumericResponse', config: { prompt: 'q', normalise: 'x' } });
  const says = { name: 'say', type: 'MobilePrimitives.Message', config: { prompt: 'q' } };
  const flows = { main: [...[1, 2, 3].map(asks), says], second: [says], third: [says] };
  const lossy = JSON.stringify(
    containerOf({ flows, texts: { q: { eng: 'Age?', fra: 'Âge ?', deu: 'Alter?' } }, languages: ['eng', 'fra', 'deu'] }),
  );
  const { run } = folderOf(t, { 'lossy.json': lossy });
  const { code, err } = await run('to-text', 'lossy.json');
  t.equal(code, 1);
  t.strictSame(err.split('\n'), [
    "/flows/1: flow 'second' is omitted: a notebook has one flow (and 1 more like this)",
    "/flows/0/languages: texts in language 'fra' are omitted: a notebook has one language (and 1 more like this)",
    "/flows/0/blocks/0 (block 'age_1'): a notebook cannot express blocks of type MobilePrimitives.NumericResponse (and 2 more like this)",
  ]);
});

t.test('graph draws notebooks and containers as Mermaid, Graphviz and SVG', async (t) => {
  const { run } = folderOf(t, { 'a.md': HELLO, 'clinic.json': readFileSync('test/plugins/journeys/engine/clinic.journey.json') });
  t.match(await run('graph', 'a.md'), { code: 0, out: /^flowchart TD\n {2}n0\(\["Ask<br\/>“Who\? / });
  t.match(await run('graph', 'a.md', '--dot', '--blocks'), { code: 0, out: /^digraph journey \{[\s\S]*name: OpenResponse/ });
  for (const file of ['a.md', 'clinic.json']) {
    const { code, out } = await run('graph', file, '--svg');
    t.equal(code, 0);
    t.match(out, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/);
    t.match(out, /<\/svg>$/);
    t.notMatch(out, /NaN|undefined/);
    t.equal(out.match(/<g[ >]/g)!.length, out.match(/<\/g>/g)!.length);
  }
});

t.test('wrong usage is refused with the right form', async (t) => {
  const { run } = folderOf(t, { 'a.md': HELLO, 'a.json': '{}', 'latin.md': Buffer.from([0x63, 0xe9, 0x0a]) });
  const refused = (message: RegExp, ...argv: string[]) => t.rejects(run(...argv), { name: 'UsageError', message }, argv.join(' '));
  await refused(/needs a verb/);
  await refused(/journey takes lint, fmt, compile, to-text, graph, list, ls, push, publish, not 'format'/, 'format', 'a.md');
  await refused(/journey fmt needs a file/, 'fmt');
  await refused(/a\.json is JSON; journey fmt takes a notebook/, 'fmt', 'a.json');
  await refused(/a\.md is a notebook already/, 'to-text', 'a.md');
  await refused(/takes one file/, 'compile', 'a.md', 'a.md');
  await refused(/journey graph needs a file/, 'graph');
  await refused(/--dot contradicts --svg/, 'graph', 'a.md', '--svg', '--dot');
  await refused(/file gone\.md not found/, 'lint', 'gone.md');
  await refused(/latin\.md is not UTF-8/, 'lint', 'latin.md');
  await t.rejects(run('push', 'a.md'), { name: 'NoSandbox' });
});

t.test('push creates a journey in the sandbox, replaces its draft, and publishes it without errors', async (t) => {
  const { run, cwd } = folderOf(t, { 'a.md': HELLO, 'b.json': JSON.stringify(compileNotebook(HELLO, { name: 'As JSON' }).container) });
  const sandbox = await startSandbox({ seed: { numbers: [{ kind: 'network', address: '+27600000001', name: 'Library' }] } });
  const about = { pid: process.pid, startedAt: new Date().toISOString(), api: sandbox.api, admin: sandbox.admin };
  const remove = writeRunFile(cwd, about);
  t.teardown(async () => {
    remove();
    await sandbox.stop();
  });
  t.match(await run('push', 'a.md'), { code: 0, out: /Created Hello [0-9a-f-]{36}$/ });
  const pushed = JSON.parse((await run('push', 'a.md', '--publish', '--json')).out);
  t.match(pushed, { v: 1, file: 'a.md', journey: { name: 'Hello', revisions: { production: /./ } }, problems: [] });
  const stored = (await adminGet(about, `/journeys/${pushed.journey.uuid}`)) as { notebook: string; journey: { triggers: object[] } };
  t.equal(stored.notebook, HELLO);
  t.strictSame(stored.journey.triggers, [{ on: 'message' }]);
  writeFileSync(join(cwd, 'a.md'), BROKEN);
  t.match(await run('push', 'a.md', '--publish'), {
    code: 1,
    out: /a\.md:6:19 error unknown_card[\s\S]*Replaced the draft of Hello .*; it has errors and is not published/,
  });
  t.match(await run('push', 'b.json', '--publish'), { code: 0, out: /Published b / });
  t.match(await run('push', 'b.json', '--number', '+27600000001', '--name', 'Named'), { code: 0, out: /Created Named / });
  t.match(await run('graph', 'Named', '--dot'), { code: 0, out: (await run('graph', 'b.json', '--dot')).out });
  t.match(await run('graph', 'Hello'), { code: 1, err: /Hello has errors: / }, 'the draft has no blocks');
  await t.rejects(run('push', 'b.json', '--number', '+1'), { message: /number \+1 not found; numbers: \+27600000001/ });
  await t.rejects(run('graph', 'Bye'), { message: /journey 'Bye' not found; journeys: Hello, b, Named/ });
});

t.test('lint, fmt and push take the notebooks and the JSON of a folder', async (t) => {
  const { run, cwd, read } = folderOf(t, {});
  mkdirSync(join(cwd, 'journeys', 'more'), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(cwd, 'journeys', name), text);
  write('README.md', 'No journey.');
  write('a.journey.md', HELLO);
  write('more/b.journey.json', JSON.stringify(compileNotebook(HELLO).container));
  write('more/c.journey.md', BROKEN);
  const { findings } = JSON.parse((await run('lint', 'journeys', '--json')).out) as { findings: { file: string; severity: string }[] };
  t.strictSame(
    findings.filter(({ severity }) => severity === 'error').map(({ file }) => file),
    ['journeys/more/c.journey.md'],
  );
  t.match(await run('fmt', 'journeys'), {
    code: 1,
    out: /Formatted journeys\/a\.journey\.md\n[\s\S]*journeys\/more\/c\.journey\.md is not formatted because it has errors$/,
  });
  t.match(read('journeys/a.journey.md'), 'card Ask, then: Done do');
  mkdirSync(join(cwd, 'empty'));
  await t.rejects(run('fmt', 'empty'), { message: /the folder empty has no files with names like \*\.journey\.md$/ });
});
