import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import t from 'tap';
import { patient } from '../../../../core/testing/slowness.js';
import { compile } from '../../../../plugins/journeys/engine/compile.js';
import { type ContainerProblem, checkContainer } from '../../../../plugins/journeys/engine/container.js';
import type { Container } from '../../../../plugins/journeys/engine/floip.js';
import { runs } from '../../../forms.js';
import { containerOf, type Draft } from './journey-under-test.js';

const demo = JSON.parse(readFileSync('test/plugins/journeys/engine/clinic.journey.json', 'utf8')) as Container;
const said = (problems: readonly ContainerProblem[]) => problems.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
const found = (draft: Draft) => said(checkContainer(containerOf(draft)));
const message = { type: 'MobilePrimitives.Message', config: { prompt: 'r' } };
const texts = { r: { eng: 'Hello', fra: 'Bonjour' } };

t.test('the demo journey has no problems', async (t) => {
  t.strictSame(checkContainer(demo), []);
});

t.test('release candidates 1 to 4 are supported, other versions are rejected', async (t) => {
  for (const version of ['1.0.0-rc1', '1.0.0-rc2', '1.0.0-rc3', '1.0.0-rc4']) {
    t.strictSame(found({ version, texts, blocks: [{ name: 'hello', ...message }] }), [], version);
  }
  t.strictSame(found({ version: '2.0', texts, blocks: [{ name: 'hello', ...message }] }), [
    'error specification_version: version 2.0 is not supported; 1.0.0-rc1 to 1.0.0-rc4 are',
  ]);
});

t.test('a language can be just a code', async (t) => {
  const container = { ...demo, flows: demo.flows.map((flow) => ({ ...flow, languages: ['eng'] })) };
  t.strictSame(compile(container).entry.languages, [{ id: 'eng', codes: ['eng'] }]);
});

t.test('a compiled block keeps its source, including unknown keys', async (t) => {
  const container = containerOf({ texts, blocks: [{ name: 'hello', ...message, config: { prompt: 'r', vendor: { of: ['something'] } } }] });
  const source = { ...container.flows[0]?.blocks[0], ui_metadata: { canvas_coordinates: { x: 1, y: 2 } } };
  const flows = container.flows.map((flow) => ({ ...flow, blocks: [source] })) as unknown as Container['flows'];
  t.equal(compile({ ...container, flows }).entry.blocks.get('hello')?.source, source as unknown);
});

t.test('every problem has its path and message', async (t) => {
  const mistakes: readonly (readonly [string, Draft, readonly string[]])[] = [
    [
      'an exit to a missing block',
      { texts, blocks: [{ name: 'hello', ...message, exits: [{ to: 'gone' }] }] },
      ['error flows[0].blocks[0].exits[0].destination_block: this exit leads to block gone, which is not in this flow'],
    ],
    [
      'no default exit',
      { texts, blocks: [{ name: 'hello', ...message, exits: [{ test: 'true', to: null }] }] },
      ['error flows[0].blocks[0].exits: this block has no default exit'],
    ],
    [
      'two default exits',
      { texts, blocks: [{ name: 'hello', ...message, exits: [{ to: null }, { to: null }] }] },
      ['error flows[0].blocks[0].exits: 2 exits are marked as default; only one can be'],
    ],
    [
      'a default exit before others',
      { texts, blocks: [{ name: 'hello', ...message, exits: [{ to: null }, { test: '1 = 1', to: null }] }] },
      ['warning flows[0].blocks[0].exits: the default exit is not the last exit'],
    ],
    [
      'a case without a default exit',
      { blocks: [{ name: 'sort', type: 'Core.Case', exits: [{ test: 'a = 1', to: null }] }] },
      ['warning flows[0].blocks[0].exits: this block has no default exit; a run fails here when no test is true'],
    ],
    [
      'a case with an exit that is always taken',
      { blocks: [{ name: 'sort', type: 'Core.Case', exits: [{ test: 'true', to: null }] }] },
      [],
    ],
    [
      'a test that is not an expression',
      { texts, blocks: [{ name: 'hello', ...message, exits: [{ test: '1 +', to: null }, { to: null }] }] },
      ['error flows[0].blocks[0].exits[0].test: expected a value at the end (position 4)'],
    ],
    [
      'a function that does not exist, and one with too few arguments',
      { texts, blocks: [{ name: 'hello', ...message, exits: [{ test: 'nope(1) and left("a")', to: null }, { to: null }] }] },
      [
        "error flows[0].blocks[0].exits[0].test: the function 'nope' does not exist",
        'error flows[0].blocks[0].exits[0].test: left(text, count) is called with 1 arguments',
      ],
    ],
    [
      'a missing resource',
      { blocks: [{ name: 'hello', ...message }] },
      ['error flows[0].blocks[0].config.prompt: resource r does not exist'],
    ],
    [
      'a missing translation',
      { texts: { r: 'Hello' }, blocks: [{ name: 'hello', ...message }] },
      ['warning flows[0].blocks[0].config.prompt: resource r has no value in language fra'],
    ],
    [
      'a template with a mistake in it',
      { texts: { r: { eng: 'Hello @(1 + )', fra: '@nope()' } }, blocks: [{ name: 'hello', ...message }] },
      [
        "warning flows[0].resources[0].values[0].value: this @ does not begin an expression and is printed as it is: expected a value before ')' (position 13)",
        "error flows[0].resources[0].values[1].value: the function 'nope' does not exist",
      ],
    ],
    [
      'a block of an unknown type',
      { blocks: [{ name: 'odd', type: 'Vendor.Odd' }] },
      ['warning flows[0].blocks[0].type: unknown block type Vendor.Odd; a run that reaches this block fails'],
    ],
    [
      'names that cannot be variables',
      {
        texts,
        blocks: [
          { name: 'contact', ...message },
          { name: 'over age', ...message },
        ],
      },
      [
        "error flows[0].blocks[0].name: 'contact' is reserved for the context; a variable cannot have this name",
        "warning flows[0].blocks[1].name: expressions cannot refer to this block: 'over age' is not a valid variable name",
      ],
    ],
    [
      'a time-out without an exit for it',
      { texts, blocks: [{ name: 'hello', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'r', timeout: { seconds: 5 } } }] },
      [
        'warning flows[0].blocks[0].config.timeout: only one half of the time-out is set: it needs config.timeout.seconds and an exit with semantic_label "timeout"',
      ],
    ],
    [
      'an exit that is never taken',
      { blocks: [{ name: 'sort', type: 'Core.Case', exits: [{ test: '', to: null }, { to: null }] }] },
      ['warning flows[0].blocks[0].exits[0]: this exit has no test, so it is never taken'],
    ],
    [
      'two blocks with the same uuid',
      {
        texts,
        blocks: [
          { name: 'hello', ...message },
          { name: 'hello', ...message, exits: [{ to: null }] },
        ],
      },
      ['error flows[0].blocks[1].uuid: the uuid hello is used twice'],
    ],
  ];
  for (const [name, draft, expected] of mistakes) t.strictSame(found(draft), expected, name);
});

t.test('missing first and exit blocks are errors', async (t) => {
  const container = containerOf({ texts, blocks: [{ name: 'hello', ...message }] });
  const changed = { ...container, flows: container.flows.map((flow) => ({ ...flow, first_block_id: 'none', exit_block_id: 'nor this' })) };
  t.strictSame(said(checkContainer(changed)), [
    'error flows[0].first_block_id: the first block is none, which is not in this flow',
    'error flows[0].exit_block_id: the exit block is nor this, which is not in this flow',
  ]);
});

t.test('a problem has the name of its block', async (t) => {
  const [problem] = checkContainer(containerOf({ blocks: [{ name: 'hello', ...message }] }));
  t.equal(problem?.block, 'hello');
});

t.test('violations of the schema are reported before other problems', async (t) => {
  t.strictSame(said(checkContainer(undefined)), ['error : the container is required']);
  t.strictSame(said(checkContainer('text')), ['error : the container must be of type object']);
  t.strictSame(said(checkContainer({ specification_version: '1.0.0-rc4', uuid: 'c', name: '', flows: [{ uuid: 5, blocks: {} }] })), [
    'error flows[0].uuid: flows[0].uuid must be a string',
    'error flows[0].first_block_id: flows[0].first_block_id is required',
    'error flows[0].languages: flows[0].languages is required',
    'error flows[0].blocks: flows[0].blocks must be an array',
  ]);
  t.strictSame(said(checkContainer({ specification_version: '1.0.0-rc4', uuid: 'c', name: '', flows: [] })), [
    'error flows: the container has no flow',
  ]);
});

t.test('a hostile container costs no more to check than a large one', async (t) => {
  const many = (count: number, thing: unknown) => Array.from({ length: count }, () => thing);
  let deep: unknown = {};
  for (let i = 0; i < 50_000; i++) deep = { config: deep };
  const flow = { uuid: 'f', first_block_id: 'b', languages: ['eng'] };
  const hostile: readonly (readonly [string, unknown])[] = [
    ['nested 50,000 deep', { ...demo, vendor_metadata: deep }],
    ['a million values', { ...demo, vendor_metadata: { list: many(1_000_000, 1) } }],
    ['ten thousand blocks', { ...demo, flows: [{ ...flow, blocks: many(10_000, { uuid: 'b' }) }] }],
    ['two thousand blocks, all wrong', { ...demo, flows: [{ ...flow, blocks: many(2000, { exits: many(50, {}) }) }] }],
    [
      'an endless expression',
      {
        ...demo,
        flows: [{ ...flow, blocks: [{ uuid: 'b', name: 'b', type: 'Core.Case', exits: [{ uuid: 'e', test: '('.repeat(400_000) }] }] }],
      },
    ],
  ];
  for (const [name, container] of hostile) {
    const started = performance.now();
    const problems = checkContainer(container);
    t.ok(problems.length > 0 && problems.length <= 200, `${name}: ${problems.length} problems`);
    t.ok(performance.now() - started < patient(2000), `${name}: ${Math.round(performance.now() - started)} ms`);
  }
});

t.test('the check never throws', async (t) => {
  const damaged = fc.tuple(fc.jsonValue(), fc.nat(), fc.nat()).map(([value, which, where]) => {
    const container = structuredClone(demo) as unknown as { flows: { blocks: Record<string, unknown>[] }[] };
    const blocks = container.flows[0]?.blocks ?? [];
    const block = blocks[which % blocks.length] ?? {};
    block[Object.keys(block)[where % Object.keys(block).length] ?? 'uuid'] = value;
    return container as unknown;
  });
  fc.assert(
    fc.property(fc.oneof(damaged, fc.jsonValue()), (container) => checkContainer(container).length >= 0),
    { numRuns: runs(300) },
  );
  t.pass('300 damaged containers');
});
