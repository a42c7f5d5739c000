import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import t from 'tap';
import { parse } from 'yaml';
import { compiledCheck } from '#core';
import {
  durationOf,
  durationText,
  readTests,
  type TestDocument,
  testJsonSchema,
  writeTests,
} from '../../../../sandbox/journey-tests/format/index.js';
import { testSchema } from '../../../../sandbox/journey-tests/format/schema.js';
import { schemaFiles } from '../../../../scripts/docs/test-schema.js';
import { type Json, mutated, mutations } from '../../../../scripts/fuzz/mutations.js';

const file = `journey: triage
defaults:
  contact: { name: Thandi, language: eng }
  fail_unmocked_http_calls: true
  clock: 2026-01-05T08:00:00Z
tests:
  - name: books a slot
    http_mocks:
      - { method: GET, url: "https://clinic.test/slots/:day", response: { body: { slots: ["09:00", "10:00"] } } }
    steps:
      - start
      - expect: { text: { contains: Welcome }, options: [Book, Results] }
      - tap: Book
      - say: 007
      - expect:
          card: Agent
          skill_calls: [{ name: find_slots, arguments: { day: "2026-01-06" } }]
      - advance: 6m
      - send: { text: "09:00", context: last }
      - expect: { state: end, contact: { slot: "09:00" }, snapshot: true }
  - name: clinic API down
    each: [{ status: 500 }, { status: 404 }]
    http_mocks: [{ url: "https://clinic.test/*", response: { status: "{{status}}" } }]
    steps: [start, { tap: Book, expect: { text: { matches: try later } } }]
`;
const problemsOf = (text: string) => readTests(text).problems.map(({ message, at }) => `${at.line}:${at.column} ${message}`);
const withSteps = (steps: string) => `tests:\n  - name: a\n    steps:\n${steps}`;

t.test('a file is read to tests with merged settings, filled rows, and the place of each step', async (t) => {
  const { tests, problems } = readTests(file);
  t.strictSame(problems, []);
  t.strictSame(
    tests.map(({ name, at }) => [name, at.line]),
    [
      ['books a slot', 7],
      ['clinic API down (status: 500)', 21],
      ['clinic API down (status: 404)', 21],
    ],
  );
  t.match(tests[0], { journey: 'triage', revision: 'working', settings: { contact: { name: 'Thandi' }, clock: '2026-01-05T08:00:00Z' } });
  t.strictSame(
    tests[0]!.steps.map((step) => step.kind),
    ['start', 'expect', 'tap', 'say', 'expect', 'wait', 'send', 'expect'],
  );
  t.match(tests[0]!.steps[3], { text: '007', at: { line: 14, column: 9 } }, 'a text is as it is written');
  t.match(tests[0]!.steps[5], { ms: 360_000 });
  t.match(tests[0]!.steps[4], { places: { skill_calls: { line: 17, column: 11 } } });
  t.match(tests[2]!.settings.http_mocks, [{ response: { status: 404 } }], 'a column keeps the type of its value');
});

t.test('a mistake has a line and a column, and names the nearest known word', async (t) => {
  const cases: readonly (readonly [string, string | RegExp])[] = [
    ['', "1:1 the file is empty; it needs the key 'tests'"],
    ['tests: []\n', "1:1 'tests' must not be empty"],
    ['test: []\n', "1:1 unknown key 'test'; did you mean 'tests'?"],
    [withSteps('      - start\n      - expct: {}\n'), "5:9 unknown key 'expct'; did you mean 'expect'?"],
    [withSteps('      - start\n      - expect: { txt: hi }\n'), "5:19 unknown key 'txt'; did you mean 'text'?"],
    [withSteps('      - start\n      - expect: { text: { contain: hi } }\n'), "5:27 unknown key 'contain'; did you mean 'contains'?"],
    [withSteps('      - strat\n'), `4:9 step 1 must be 'start' or an action such as 'say: hello', not "strat"; did you mean 'start'?`],
    [withSteps('      - start\n      - say:hi\n'), /^5:9 step 2 must be .*, not "say:hi"; did you mean 'say: hi'\?$/],
    [withSteps('      - start\n      - tap\n'), /^5:9 step 2 must be .*, not "tap"; did you mean 'tap: …'\?$/],
    [withSteps('      - start\n      - 5\n'), /^5:9 step 2 must be 'start' or an action such as 'say: hello', not 5$/],
    [withSteps('      - start\n      - send: { message: { type: __proto__ } }\n'), /'message' needs the key '__proto__' with its content/],
    [withSteps('      - say: hi\n        tap: Yes\n'), '4:9 step 1 has several of say, tap; write a step or an entry for each'],
    [withSteps('      - tap: Yes\n'), "4:9 the first step must be 'start', or 'say' or 'send' with the first message"],
    [withSteps('      - start\n      - wait: soon\n'), "5:9 'wait' must be a time such as '90 s', '5 minutes' or '1 day 2 h'"],
    [
      withSteps('      - start\n      - expect: { state: ende }\n'),
      /^5:19 'state' must be waiting_for_input, end or expired, not "ende"; did you mean 'end'\?$/,
    ],
    [withSteps('      - start\n\t- say: hi\n'), '5:1 this is not valid YAML: a tab cannot indent; write spaces'],
    ['tests:\n  - name: a\n    skip: true\n    steps: [start]\n', "3:5 'skip' must be a text; write numbers, true and dates in quotes"],
    [
      'tests:\n  - { name: a, steps: [start] }\n  - { name: a, steps: [start] }\n',
      "3:7 the name 'a' is used twice; the first is on line 2",
    ],
    [
      'tests:\n  - { name: a, each: [{ day: 1 }], steps: [{ say: "{{dya}}" }] }\n',
      "2:7 unknown column 'dya'; did you mean 'day'? in row 1",
    ],
    [
      'tests:\n  - { name: a, contact: { x: 1 }, contact: { x: 1 }, steps: [start] }\n',
      /^2:\d+ this is not valid YAML: map keys must be unique$/,
    ],
    [
      withSteps('      - start\n      - expect: { context: { a: { contains: 1, b: 2 } } }\n'),
      /mixes the operator 'contains' with the key 'b'/,
    ],
    ['a: 1\n---\nb: 2\n', /it has several documents/],
    [
      'tests:\n  - { name: a, models: { m: { rules: [{ wen: {}, say: x }] } }, steps: [start] }\n',
      "2:41 unknown key 'wen'; did you mean 'when'?",
    ],
    ['tests:\n  - { name: a, skills: { s: { outpt: 1 } }, steps: [start] }\n', "2:31 unknown key 'outpt'; did you mean 'output'?"],
    ['tests:\n  - { name: "a {{dya}}", each: [{ day: 1 }], steps: [start] }\n', "2:7 unknown column 'dya'; did you mean 'day'? in row 1"],
    ['tests:\n  - { name: a, only: 1, steps: [start] }\n', "2:16 'only' must be true or false"],
    ['tests:\n  - { name: a, http_mocks: [{ method: GET }], steps: [start] }\n', "2:29 item 1 of 'http_mocks' needs the key 'url'"],
    [
      'tests:\n  - { name: a, http_mocks: [{ url: "https://x.test/:a/:a" }], steps: [start] }\n',
      "2:31 'url' cannot be matched: duplicate parameter :a",
    ],
    [
      withSteps('      - start\n      - send: { message: { type: txt, text: { body: hi } } }\n'),
      "5:17 'message' needs the key 'txt' with its content, because its type is 'txt'",
    ],
  ];
  for (const [text, expected] of cases) t.match(problemsOf(text)[0], expected);
});

t.test('texts are as they are written, in expectations and in rows', async (t) => {
  const { tests, problems } = readTests(`tests:
  - name: a {{code}}
    each: [{ code: 007, price: 4.50, status: 404 }]
    http_mocks: [{ url: "https://x.test/", response: { status: "{{status}}" } }]
    steps:
      - start
      - say: "{{code}}"
      - tap: "Buy for {{price}}"
        expect: { text: 4.50, options: [1.0, 2], card: { one_of: [5, 6], length: 1 }, context: { age: 4.50 } }
`);
  t.strictSame(problems, []);
  t.match(tests[0]!.steps[1], { text: '007' });
  t.match(tests[0]!.steps[2], { label: 'Buy for 4.50' });
  t.match(tests[0]!.steps[3], {
    expectation: { text: '4.50', options: ['1.0', '2'], card: { one_of: ['5', '6'], length: 1 }, context: { age: 4.5 } },
  });
  t.match(tests[0]!.settings.http_mocks, [{ response: { status: 404 } }]);
});

t.test('a mistake in an expected value is found before the test runs, also where it would let the test pass', async (t) => {
  const cases: readonly (readonly [string, string | RegExp])[] = [
    ['text: { not: { contian: hi } }', "5:27 'not' has the unknown operator 'contian'; did you mean 'contains'?"],
    ['text: { matches: "(" }', /^5:27 'matches' must be a regular expression: .*missing closing \)/],
    ['text: { length: many }', "5:27 'length' must be a number of characters, items or keys"],
    ['context: { age: { at_least: old } }', "5:30 'age' has a mistake: 'at_least' must be a number"],
    ['context: { visit: { room: { absent: maybe } } }', /^5:30 'visit' has a mistake: 'absent' must be true or false/],
    ['contact: { a: { not: { matches: "[" } } }', /^5:30 'a' has a mistake: 'not' has a mistake: 'matches' must be a regular expression/],
    ['http_calls: [{ methd: GET }]', "5:34 unknown key 'methd'; did you mean 'method'?"],
    ['http_calls: { superset: [{ methd: GET }] }', "5:46 unknown key 'methd'; did you mean 'method'?"],
    ['skill_calls: [{ nam: x }]', "5:35 unknown key 'nam'; did you mean 'name'?"],
    ['turns: { ordered: { type: text } }', /^5:19 'turns' has a mistake: 'ordered' must be a list/],
  ];
  for (const [expectation, expected] of cases)
    t.match(problemsOf(withSteps(`      - start\n      - expect: { ${expectation} }\n`))[0], expected);
  const correct = [
    'text: { not: { contains: bye }, matches: "/H.llo/i", length: { at_most: 9 } }',
    'context: { a: { at_least: "2" }, b: { one_of: [1, { any: false }] }, c: { not: { zone: 1 } } }',
    'http_calls: { unordered: [{ method: GET, body: { contains: x } }], length: 1 }',
    'skill_calls: { contains: { name: a, arguments: { day: { any: true } } } }',
  ];
  for (const expectation of correct)
    t.strictSame(problemsOf(withSteps(`      - start\n      - expect: { ${expectation} }\n`)), [], expectation);
});

t.test('a file that would exhaust the memory or the stack is a mistake of the file', async (t) => {
  t.match(problemsOf(`${'['.repeat(50_000)}`), [/^1:\d+ this is not valid YAML/]);
  const bomb = `a: &a [1, 1, 1, 1]\n${'bcdefghij'
    .split('')
    .map((letter, i) => `${letter}: &${letter} [${Array(9).fill(`*${'abcdefghij'[i]}`)}]`)
    .join('\n')}\n`;
  t.match(problemsOf(bomb), [/^1:1 this is not valid YAML: Excessive alias count/]);
  t.strictSame(problemsOf('tests:\n  - { name: a, contact: &c { a: [*c] }, steps: [start] }\n'), [
    '2:34 the alias *c repeats a part that contains it',
  ]);
  t.strictSame(problemsOf('tests:\n  - { name: a, contact: { __proto__: { a: 1 } }, steps: [start] }\n'), [
    "2:27 a key cannot be named '__proto__'",
  ]);
  const rows = `[${Array.from({ length: 1_000 }, (_, i) => `{ i: ${i} }`).join()}]`;
  const many = Array.from({ length: 51 }, (_, i) => `  - { name: ${i}a, each: ${i === 0 ? `&rows ${rows}` : '*rows'}, steps: [start] }\n`);
  t.match(problemsOf(`tests:\n${many.join('')}`), [/^1:1 the file has 51000 tests with all rows; a file has at most 50000$/]);
});

t.test('files of Windows, with a byte order mark, and with anchors are read', async (t) => {
  t.strictSame(problemsOf(`\uFEFF${file.replaceAll('\n', '\r\n')}`), []);
  const { tests } = readTests(
    'tests:\n  - { name: "Größe 👋", contact: &c { a: 1 }, steps: [start] }\n  - { name: b, contact: *c, steps: [start] }\n',
  );
  t.strictSame(
    tests.map(({ name, settings }) => [name, settings.contact]),
    [
      ['Größe 👋', { a: 1 }],
      ['b', { a: 1 }],
    ],
  );
});

t.test('what is written is read back unchanged, and names the schema in its first line', async (t) => {
  const document: TestDocument = {
    journey: 'menu.md',
    tests: [
      {
        name: 'texts: "quoted" # and more',
        contact: { name: 'O’Neil', phone: '0123', no: 'no', when: '12:30' },
        steps: [
          'start',
          { say: '007', expect: { text: 'Hello\n\n  two lines \n', options: ['Yes', 'No'], context: { a: { b: [1, null, true] } } } },
          { send: { image: 'https://x.test/a.jpg', context: 'last' } },
          { wait: durationText(300_000) },
        ],
      },
    ],
  };
  const text = writeTests(document);
  t.match(text, /^# yaml-language-server: \$schema=\S+test\.schema\.json\n/);
  t.strictSame(parse(text), document);
  t.match(readTests(text).tests[0]!.steps[1], { kind: 'say', text: '007' });
});

t.test('the compiled check of test files takes valid files, and none that joi refuses', async (t) => {
  const isValid = compiledCheck(testSchema, { convert: false })!;
  const base = parse(file, { merge: true });
  t.equal(isValid(base), true);
  const refused = fc
    .sample(mutations, { numRuns: 400, seed: 1 })
    .map((changes) => changes.reduce<Json>(mutated, base))
    .map((made) => ({ made, isRefused: testSchema.validate(made, { convert: false }).error !== undefined }));
  t.strictSame(
    refused.filter(({ made, isRefused }) => isRefused && isValid(made)),
    [],
  );
  t.ok(refused.filter(({ isRefused }) => isRefused).length > 100, 'enough of them are refused');
  t.ok(refused.filter(({ made }) => isValid(made)).length > 10, 'enough of them are taken');
});

t.test('the JSON Schema accepts and refuses what the reader does, and describes every key', async (t) => {
  const schema = testJsonSchema();
  const isValid = new Ajv({ strict: false, allErrors: true }).compile(schema);
  t.ok(isValid(parse(file)), JSON.stringify(isValid.errors));
  for (const refused of [
    '      - start\n      - expct: {}\n',
    '      - start\n      - expect: { text: { contain: hi } }\n',
    '      - start\n      - expect: { state: ended }\n',
  ])
    t.notOk(isValid(parse(withSteps(refused))), refused);
  const bare: string[] = [];
  const visit = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null) return;
    const { properties = {} } = part as { properties?: Record<string, { description?: string }> };
    for (const [key, { description }] of Object.entries(properties)) if (!description) bare.push(`${path}.${key}`);
    for (const [key, inside] of Object.entries(part)) visit(inside, `${path}.${key}`);
  };
  visit(schema, '');
  t.strictSame(bare, []);
});

t.test('times are read in words and written in words', async (t) => {
  t.strictSame(
    ['6m', '5 minutes', '1 day 2 h', '90', 90, '1.5 s', '250ms'].map(durationOf),
    [360_000, 300_000, 93_600_000, 90_000, 90_000, 1_500, 250],
  );
  t.strictSame(['soon', '', '-5 m', 0, null, '5 fortnights'].map(durationOf), [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  t.strictSame([300_000, 1_000, 86_400_000, 1_500].map(durationText), ['5 minutes', '1 second', '1 day', '1500 ms']);
});

t.test('the shipped schema is generated from the reader of test files', async (t) => {
  for (const { file, make } of schemaFiles) t.equal(readFileSync(file, 'utf8'), make(), `${file}: npm run docs makes it anew`);
});
