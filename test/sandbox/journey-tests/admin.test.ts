import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { patient } from '../../../core/testing/slowness.js';
import { startSandbox } from '../../../sandbox/compose.js';
import { cafe, folderWith, runCommand } from './runs.js';

// biome-ignore lint/suspicious/noExplicitAny: bodies of several routes
type Body = any;

t.test('the admin API runs tests of the journeys of a sandbox, with coverage for its graph', async (t) => {
  const sandbox = await startSandbox({
    seed: {
      numbers: [{ kind: 'network', address: '+27600000001', name: 'Café', account: 'cafe' }],
      journeys: [{ number: '+27600000001', name: 'Menu', notebook: cafe }],
    },
    logLevel: 'error',
  });
  t.teardown(() => sandbox.stop());
  const { admin, platform } = sandbox;
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Body }> => {
    const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${admin.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
  const ended = async (id: string): Promise<Body> => {
    for (const end = Date.now() + patient(20_000); Date.now() < end; await sleep(20)) {
      const { run } = (await call('GET', `/tests/runs/${id}`)).body;
      if (run.state !== 'running') return run;
    }
    throw new Error('the run did not end');
  };
  const events: Body[] = [];
  platform.listen('tests.ended', ({ data }) => void events.push(data));
  const tests = `journey: Menu
tests:
  - { name: hours, steps: [start, { tap: Opening hours, expect: { text: We are open from 9 to 5. } }] }
  - { name: table, steps: [start, { tap: A table, expect: { text: How many? } }] }
  - { name: later, skip: not yet, steps: [start] }
  - { name: elsewhere, journey: Bar, steps: [start] }
`;

  const started = await call('POST', '/tests/runs', { tests, coverage: true });
  t.match(started, { status: 201, body: { run: { of: 4 } } });
  const run = await ended(started.body.run.id);
  t.match(run, {
    state: 'ended',
    tests: [
      { name: 'hours', status: 'passed', line: 3 },
      { name: 'table', status: 'failed', failure: { message: /^text differs/, transcript: [{}, {}, {}, {}] } },
      { status: 'skipped', reason: 'not yet' },
    ],
    problems: [{ line: 6, message: "journey 'Bar' not found" }],
  });
  t.strictSame(events, [{ run: started.body.run.id, passed: 1, failed: 1, skipped: 1 }]);
  const { journeys } = (await call('GET', `/journeys?number=${(await call('GET', '/numbers')).body.numbers[0].uuid}`)).body;
  const [journey] = journeys;
  const [coverage] = run.coverage;
  t.equal(coverage.journey, journey.uuid);
  t.match(
    coverage.parts.find(({ kind, name }: Body) => kind === 'exit' && name === 'hours'),
    { card: 'Menu', count: 1 },
  );
  t.match(
    coverage.parts.find(({ kind, name }: Body) => kind === 'exit' && name === 'weather'),
    { count: 0, reach: "select 'Weather'" },
  );

  const byUuid = await call('POST', '/tests/runs', {
    tests: tests.replace('journey: Menu\n', 'revision: production\n'),
    journey: journey.uuid,
    name: 'hours',
  });
  t.match(await ended(byUuid.body.run.id), { tests: [{ name: 'hours', status: 'passed' }], coverage: [] });

  t.match(await call('POST', '/tests/runs', { tests: 'tests:\n  - nme: x\n' }), { status: 400 });
  t.match(
    JSON.stringify((await call('POST', '/tests/runs', { tests: 'tests:\n  - nme: x\n' })).body),
    /line 2, column 5: unknown key 'nme'; did you mean 'name'\?/,
  );
  t.match(await call('POST', '/tests/runs', {}), { status: 400 });
  t.match(await call('GET', '/tests/runs/unknown'), { status: 404 });

  const url = process.env.POSTHORN_URL;
  const key = process.env.POSTHORN_ADMIN_KEY;
  t.teardown(() => {
    for (const [name, value] of [
      ['POSTHORN_URL', url],
      ['POSTHORN_ADMIN_KEY', key],
    ] as const) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  process.env.POSTHORN_URL = sandbox.api;
  process.env.POSTHORN_ADMIN_KEY = admin.key;
  const cwd = folderWith(t, {
    'a.test.yaml': tests.replace('journey: Menu', 'journey: Menu\nrevision: production'),
    'b.test.yaml': 'journey: Menu\nrevision: staging\ntests: [{ name: x, steps: [start] }]\n',
  });
  const { out } = await runCommand(cwd, '--json');
  t.match(
    JSON.parse(out).files,
    [
      {
        tests: [{ status: 'passed' }, { status: 'failed' }, {}],
        problems: [{ message: /journey 'Bar' not found in the sandbox; it has: Menu/ }],
      },
      {},
    ],
    'posthorn test runs a revision of the sandbox',
  );
});

t.test('a skill in a file is not read for the admin API', async (t) => {
  const { runTests } = await import('../../../sandbox/journey-tests/run/run-tests.js');
  const { compileJourney } = await import('../../../sandbox/journey-tests/run/journey-under-test.js');
  const { readTests } = await import('../../../sandbox/journey-tests/format/index.js');
  const block = {
    uuid: 'b',
    name: 'slots',
    type: 'Svc.Skill',
    config: { skill: 's' },
    exits: [{ uuid: 'e', name: 'next', default: true, destination_block: null }],
  };
  const about = {
    uuid: 'f',
    name: 'main',
    last_modified: '2026-01-05T08:00:00Z',
    interaction_timeout: 300,
    supported_modes: ['TEXT'],
    languages: [{ id: 'eng' }],
    first_block_id: 'b',
  };
  const journey = compileJourney(
    'a.json',
    JSON.stringify({ specification_version: '1.0.0-rc4', uuid: 'j', name: 'J', flows: [{ ...about, blocks: [block], resources: [] }] }),
  );
  const { tests } = readTests('tests:\n  - { name: x, skills: { s: { file: /etc/passwd } }, steps: [start] }\n');
  const lookup = { ofTest: () => journey, called: () => undefined };
  const openPlatform = async () => Promise.reject(new Error('not opened'));
  const results = await runTests(tests, { hasOnly: false }, { lookup, openPlatform, folder: undefined, snapshots: undefined });
  t.match(results.tests[0]!.failure!.message, /is in a file, which only posthorn test reads/);
});
