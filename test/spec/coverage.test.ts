import t from 'tap';
import { subscriptionKinds } from '../../core/dialect.js';
import { type Facts, faults } from './coverage/check.js';
import { rows, sections } from './coverage/index.js';
import { everything } from './coverage/mounted.js';
import { ownEvents } from './coverage/own-events.js';
import type { Row, Status } from './coverage/row.js';
import { testFiles, testsIn } from './coverage/tests-in.js';

t.test('the matrix names tests, routes, events and subscriptions that exist, and leaves none out', async (t) => {
  const facts: Facts = { ...(await everything(t)), tests: testsIn(testFiles('test')), ownEvents, subscriptions: subscriptionKinds };
  t.strictSame(faults(rows, facts), []);
  t.ok(facts.routes.includes('POST /v1/numbers'), 'routes were found');
  t.ok(facts.tests.size > 200, 'tests were found');

  const count = (some: readonly Row[], status: Status) => `${status} ${some.filter((row) => row.status === status).length}`;
  const summary = (some: readonly Row[]) => (['done', 'partial', 'absent'] as const).map((status) => count(some, status)).join(', ');
  for (const [name, some] of Object.entries(sections)) t.comment(`${name}: ${summary(some)}`);
  t.comment(`all ${rows.length} rows: ${summary(rows)}`);
});

const fitting: Row = {
  id: 'area.fitting',
  rule: 'It fits.',
  status: 'done',
  tests: ['test/a.test.ts > it fits'],
  route: 'POST /v1/things/:thing_id',
  event: 'thing.made',
  subscription: 'network',
};
const facts: Facts = {
  tests: new Set(['test/a.test.ts > it fits', 'test/a.test.ts > it fits too']),
  routes: ['POST /v1/things/{uuid}'],
  events: ['thing.made', 'thing.lost'],
  ownEvents: ['thing.lost'],
  subscriptions: ['network'],
};

t.test('rows that fit have no faults', async (t) => {
  const absent: Row = { id: 'area.absent', rule: 'Later.', status: 'absent', route: 'GET /v1/things' };
  t.strictSame(faults([fitting, absent], facts), []);
});

t.test('a wrong row is found and named', async (t) => {
  const { route: _route, event: _event, subscription: _subscription, ...other } = { ...fitting, id: 'area.other' };
  const plants: [what: string, row: Row, fault: string][] = [
    ['an id twice', { ...other, id: 'area.fitting' }, 'area.fitting appears twice'],
    ['an id without an area', { ...other, id: 'Other' }, 'Other does not have the form area.thing.detail'],
    ['an empty rule', { ...other, rule: ' ' }, 'area.other has no rule'],
    [
      'a test that is not there',
      { ...other, tests: ['test/a.test.ts > it fit'] },
      'area.other names a test that does not exist: test/a.test.ts > it fit',
    ],
    [
      'a file that is not there',
      { ...other, tests: ['test/b.test.ts > it fits'] },
      'area.other names a test that does not exist: test/b.test.ts > it fits',
    ],
    [
      'a test twice',
      { ...other, tests: ['test/a.test.ts > it fits', 'test/a.test.ts > it fits'] },
      'area.other names a test twice: test/a.test.ts > it fits',
    ],
    ['done without a test', { ...other, tests: [] }, 'area.other is done, but names no test'],
    ['partial without a test', { ...other, status: 'partial', tests: [], note: 'Half.' }, 'area.other is partial, but names no test'],
    ['partial without a note', { ...other, status: 'partial' }, 'area.other is partial, but does not say what is missing'],
    ['absent with a test', { ...other, status: 'absent' }, 'area.other is absent, but names a test'],
    [
      'a choice without a note',
      { ...other, id: 'area.not-shown.thing' },
      'area.not-shown.thing is not shown in the interface, but has no note about our choice',
    ],
    ['a route that is not there', { ...other, route: 'GET /v1/other' }, 'area.other is done, but GET /v1/other is not mounted'],
    ['a route twice', { ...other, route: 'POST /v1/things/:id' }, 'two rows cover POST /v1/things/{}'],
    ['an event that is not declared', { ...other, event: 'thing.found' }, 'the event thing.found is not declared in the code'],
    ['an event that is our own', { ...other, event: 'thing.lost' }, 'the event thing.lost is both in a row and in ownEvents'],
    ['a subscription that is not there', { ...other, subscription: 'all' }, 'there is no subscription of kind all'],
  ];
  for (const [what, row, fault] of plants) t.strictSame(faults([fitting, row], facts), [fault], what);
});

t.test('what is there and has no row is found and named', async (t) => {
  t.strictSame(faults([fitting], { ...facts, routes: [...facts.routes, 'GET /v1/others'] }), [
    'GET /v1/others is mounted, but no row that is done or partial covers it',
  ]);
  const { tests: _, ...unproven } = fitting;
  t.strictSame(faults([{ ...unproven, status: 'absent' }], facts), [
    'area.fitting is absent, but POST /v1/things/{} is mounted',
    'POST /v1/things/{} is mounted, but no row that is done or partial covers it',
  ]);
  t.strictSame(faults([fitting], { ...facts, events: [...facts.events, 'thing.found'] }), [
    'the event thing.found is neither in a row nor in ownEvents',
  ]);
  t.strictSame(faults([fitting], { ...facts, ownEvents: ['thing.lost', 'thing.found'] }), [
    'the event thing.found is not declared in the code',
  ]);
  t.strictSame(faults([fitting], { ...facts, subscriptions: ['network', 'service'] }), ['the subscription of kind service has no row']);
});

t.test('tests are found by their sentences, however they are written', async (t) => {
  const filledIn = `for \${name}`;
  const text = [
    "t.test('plain', async (t) => {",
    '  await t.test("with \\"marks\\"", async () => {});',
    `  t.test(\`${filledIn}\`, async () => {});`,
    '});',
    't.test(',
    "  'over two lines, it isn\\'t short',",
    '  async () => {});',
    "// t.test('commented out', async () => {});",
    "t.test('skipped', { skip: true }, async () => {});",
    "t.test('skipped at times', { skip: !chromium }, async () => {});",
    "const other = 't.test(';",
  ].join('\n');
  t.strictSame(
    [...testsIn([{ path: 'test/x.test.ts', text }])],
    ['plain', 'with "marks"', filledIn, "over two lines, it isn't short", 'skipped at times'].map(
      (sentence) => `test/x.test.ts > ${sentence}`,
    ),
  );
});
