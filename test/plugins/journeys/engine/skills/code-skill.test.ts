import t from 'tap';
import { InlinePool } from '#core/testing';
import { PiscinaPool } from '../../../../../core/adapters/workers/piscina-pool.js';
import { codeSkill, SKILL_LIMITS, type SkillResult, type SkillRun } from '../../../../../plugins/journeys/engine/skills/code-skill.js';

const pool = new InlinePool();
t.teardown(() => pool.stop());

const runOf = (source: string, about: Partial<SkillRun> = {}): SkillRun => ({
  source,
  arguments: {},
  answered: [],
  now: Date.parse('2025-01-15T09:30:00Z'),
  seed: 'seed',
  limitMs: SKILL_LIMITS.ms,
  limitBytes: SKILL_LIMITS.bytes,
  ...about,
});
const run = (source: string, about: Partial<SkillRun> = {}): Promise<SkillResult> => pool.run(codeSkill, runOf(source, about));
const skill = (body: string): string => `export default function (given) { ${body} }`;

t.test('a skill is a function of its arguments with JSON output', async (t) => {
  t.match(await run(skill('return { total: given.sum * 2 }'), { arguments: { sum: 21 } }), { kind: 'output', output: { total: 42 } });
  t.match(await run('export default async ({ name }) => "hello " + (await name)', { arguments: { name: 'Ann' } }), {
    kind: 'output',
    output: 'hello Ann',
  });
  t.match(await run(skill('')), { kind: 'output', output: null }, 'no output is null');
  t.match(await run(skill('return { when: new Date(0), skipped() {}, n: NaN }')), {
    output: { when: '1970-01-01T00:00:00.000Z', n: null },
  });
  t.match(await run(skill('console.log("sum", given); return 1'), { arguments: { a: 1 } }), { logs: ['sum {"a":1}'] });
});

t.test('an error of a skill has its line number and affects only this skill', async (t) => {
  const cases: [source: string, code: string, reason: RegExp][] = [
    ['export default function () {\n  return nothing.here;\n}', 'skill_threw', /ReferenceError: .*nothing.*\(line 2\)/],
    ['export default function ( {', 'skill_invalid', /SyntaxError/],
    ['export const other = 1', 'skill_invalid', /default export is a function/],
    ['export default 1', 'skill_invalid', /default export is a function/],
    ['throw new Error("at once"); export default () => 1', 'skill_invalid', /at once/],
    [skill('throw { a: 1 }'), 'skill_threw', /the skill threw {"a":1}/],
    [skill('throw { message: 5 }'), 'skill_threw', /the skill threw {"message":5}/],
    [skill('throw { message: "odd", name: {}, stack: 5 }'), 'skill_threw', /^Error: odd$/],
    [skill('throw 1n'), 'skill_threw', /the skill threw 1/],
    [skill('throw { big: 1n }'), 'skill_threw', /.*/],
    [skill('throw undefined'), 'skill_threw', /the skill threw undefined/],
    [skill('throw Symbol("s")'), 'skill_threw', /the skill threw/],
    [skill('throw () => 1'), 'skill_threw', /the skill threw/],
    ['export default async () => { throw new Error("later") }', 'skill_threw', /later/],
    ['export default () => new Promise(() => {})', 'skill_threw', /never settles/],
    [skill('const round = {}; round.round = round; return round'), 'skill_threw', /circular/],
    [skill('return { toJSON() { throw new Error("in toJSON") } }'), 'skill_threw', /in toJSON/],
    [skill('return "x".repeat(300000)'), 'skill_threw', /more than/],
    [
      skill('let deep = []; for (let i = 0; i < 65; i++) deep = [deep]; return deep'),
      'skill_threw',
      /the output is JSON nested more than 64 levels deep/,
    ],
    [skill('let deep = []; for (let i = 0; i < 2000; i++) deep = [deep]; return deep'), 'skill_threw', /.*/],
    [skill('return (function down() { return down() + 1 })()'), 'skill_threw', /stack overflow/],
  ];
  for (const [source, code, reason] of cases) t.match(await run(source), { kind: 'failed', code, reason }, source);
});

t.test('a skill that replaces built-ins harms only itself', async (t) => {
  const get = "http.get('https://a.test/')";
  const toJson = (with_: string) => `Object.prototype.toJSON = () => (${with_}); ${get}; return 1`;
  for (const with_ of ['"x"', 'undefined', '{ method: 1 }', '{ url: "u", method: "GET", headers: { a: {} }, query: {}, body: null }'])
    t.match(await run(skill(toJson(with_))), { kind: 'failed', code: 'skill_threw', reason: /malformed|call stack/ }, with_);
  for (const name of ['stringify', 'parse']) {
    t.match(await run(skill(`JSON.${name} = () => '{'; return { a: given.a }`), { arguments: { a: 1 } }), {
      kind: 'output',
      output: { a: 1 },
    });
    t.match(await run(skill(`JSON.${name} = () => '{'; ${get}`)), { kind: 'call', call: { url: 'https://a.test/' } });
  }
  t.match(await run(`JSON.parse = () => 7; ${skill('return given.a')}`, { arguments: { a: 1 } }), { kind: 'output', output: 1 });
});

t.test('a body that JSON cannot represent is omitted', async (t) => {
  for (const json of ['() => 1', 'undefined', 'Symbol("s")', '{ toJSON() {} }'])
    t.match(await run(skill(`http.post('https://a.test/', { json: ${json} })`)), { kind: 'call', call: { headers: {}, body: null } }, json);
  t.match(await run(skill("http.post('https://a.test/', { json: null })")), {
    call: { headers: { 'content-type': 'application/json' }, body: 'null' },
  });
});

t.test('a skill has no access to Node or the host application', async (t) => {
  const probe = `
    const found = {};
    for (const name of ['process', 'require', 'module', 'Buffer', 'fetch', 'WebAssembly', 'setTimeout', '__host', 'Worker', 'Deno', 'std', 'os'])
      found[name] = typeof globalThis[name];
    try { found.constructed = typeof Function('return this')().process; } catch (error) { found.constructed = error.name; }
    try { found.reached = typeof http.get.constructor.constructor('return process')(); } catch (error) { found.reached = error.name; }
    return found;`;
  const { kind, ...end } = await run(skill(probe));
  t.equal(kind, 'output');
  const found = (end as unknown as { output: Record<string, string> }).output;
  for (const [name, type] of Object.entries(found)) {
    t.equal(type, name === 'reached' ? 'ReferenceError' : 'undefined', name);
  }
  for (const specifier of ['fs', 'node:fs', './isolate.js', 'std', 'os', 'https://example.test/x.js']) {
    t.match(await run(`import '${specifier}'; export default () => 1`), { kind: 'failed', code: 'skill_invalid' }, specifier);
    t.match(await run(`export default () => import('${specifier}')`), { kind: 'failed', code: 'skill_threw' }, `import('${specifier}')`);
  }
});

t.test('every call starts without state of earlier calls', async (t) => {
  const counts =
    'globalThis.count = (globalThis.count ?? 0) + 1; Object.prototype.left = "behind"; let own = 0; export default () => [count, ++own]';
  t.match(await run(counts), { output: [1, 1] });
  t.match(await run(counts), { output: [1, 1] });
  t.match(await run(skill('return typeof ({}).left')), { output: 'undefined' });
});

t.test('a skill that does not end is stopped, even if it catches errors', async (t) => {
  const endless = [
    'for (;;) {}',
    'for (;;) try { for (;;) {} } catch {}',
    'return /(a+)+$/.test("a".repeat(60) + "b")',
    'throw { get message() { for (;;) {} } }',
    'throw { toJSON() { for (;;) {} } }',
  ];
  for (const body of endless) {
    t.match(await run(skill(body), { limitMs: 50 }), { kind: 'failed', code: 'skill_timeout' }, body);
  }
  t.match(await run('for (;;) {} export default () => 1', { limitMs: 50 }), { code: 'skill_timeout' }, 'while it loads');
  t.match(
    await run('export default async () => { for (;;) await 1 }', { limitMs: 50 }),
    { code: 'skill_timeout' },
    'in endless small jobs',
  );
  t.equal(SKILL_LIMITS.ms, 10_000, 'the limit is ten seconds');
});

t.test('a skill has at most 50 MB of memory, however it allocates', async (t) => {
  const bombs = [
    'const all = []; for (;;) all.push(new Array(1000).fill(7))',
    'const all = []; for (;;) all.push("x".repeat(100000) + all.length)',
    'return new Uint8Array(60_000_000).length',
    'const all = {}; for (let i = 0; ; i++) all["key " + i] = { i }',
  ];
  const before = process.memoryUsage().rss;
  for (const body of bombs) t.match(await run(skill(body)), { kind: 'failed', code: 'skill_out_of_memory' }, body);
  t.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024, 'their memory is released');
  t.match(await run(skill('return new Uint8Array(20_000_000).length')), { output: 20_000_000 }, 'less memory is allowed');
  t.equal(SKILL_LIMITS.bytes, 50 * 1024 * 1024);
});

t.test('an HTTP call ends the run; with its answer the skill runs again and continues', async (t) => {
  const source = skill(`
    const order = http.get('https://api.test/orders/' + given.id, { headers: { 'x-key': secret('crm') }, query: { full: true } });
    const made = http.post('https://api.test/notes', { json: { total: order.json.total } });
    return { status: made.status, at: Date.now(), chance: Math.random() };`);
  const first = {
    method: 'GET',
    url: 'https://api.test/orders/7',
    headers: { 'x-key': '{{secret:seed:crm}}' },
    query: { full: 'true' },
    body: null,
  };
  const second = {
    method: 'POST',
    url: 'https://api.test/notes',
    headers: { 'content-type': 'application/json' },
    query: {},
    body: '{"total":12}',
  };
  const about = { arguments: { id: '7' } };
  t.match(await run(source, about), { kind: 'call', call: first });
  const answered = [{ call: first, answer: { status: 200, json: { total: 12 } } }];
  t.match(await run(source, { ...about, answered }), { kind: 'call', call: second });
  const all = [...answered, { call: second, answer: { status: 201 } }];
  const end = await run(source, { ...about, answered: all });
  t.match(end, { kind: 'output', output: { status: 201, at: Date.parse('2025-01-15T09:30:00Z') } });
  const again = await run(source, { ...about, answered: all });
  t.strictSame({ ...again, elapsedMs: 0 }, { ...end, elapsedMs: 0 }, 'random numbers repeat in every repetition');
  t.match(await run(source, { arguments: { id: '8' }, answered: all }), { kind: 'failed', reason: /a different HTTP call/ });
  t.match(
    await run(skill('try { http.get("https://api.test/a") } catch {} return "went on"')),
    { kind: 'call' },
    'a skill cannot catch the end of a run at a call',
  );
});

t.test('a hanging skill delays no other task, and its worker thread survives', async (t) => {
  const threads = new PiscinaPool({ maxThreads: 2 });
  t.teardown(() => threads.stop());
  const hanging = threads.run(codeSkill, runOf(skill('for (;;) {}'), { limitMs: 1500 }));
  const quick = await threads.run(codeSkill, runOf(skill('return 1')));
  t.match(quick, { output: 1 });
  t.match(await hanging, { kind: 'failed', code: 'skill_timeout' });
  t.match(await threads.run(codeSkill, runOf(skill('return 2'))), { output: 2 });
});
