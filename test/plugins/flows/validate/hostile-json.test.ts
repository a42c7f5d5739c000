import t from 'tap';
import { PiscinaPool } from '../../../../core/adapters/workers/piscina-pool.js';
import { patient } from '../../../../core/testing/slowness.js';
import { createFlowValidation } from '../../../../plugins/flows/validate/flow-validation.js';
import { MAX_FLOW_BYTES } from '../../../../plugins/flows/validate/read-text.js';
import { MAX_VALUES } from '../../../../plugins/flows/validate/scan.js';
import { validateFlow } from '../../../../plugins/flows/validate/validate-flow.js';
import { onlyLong } from '../../../forms.js';

const footer = { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: {} } };
const flowOf = (children: readonly unknown[], more: object = {}): string =>
  JSON.stringify({
    version: '7.3',
    screens: [{ id: 'ONE', terminal: true, ...more, layout: { type: 'SingleColumnLayout', children: [...children, footer] } }],
  });
const sound = flowOf([{ type: 'TextBody', text: 'Hello' }]);

/** Errors as `CODE path line:column`. */
const errorsAt = (source: string | Uint8Array): string[] =>
  validateFlow(source).errors.map(
    ({ error, line_start, column_start, pointers }) => `${error} ${pointers[0]!.path} ${line_start}:${column_start}`,
  );

t.test('text that is not JSON gives one error, at the wrong character', async (t) => {
  const broken: readonly (readonly [text: string, place: string, problem: RegExp])[] = [
    ['', '1:1', /empty/],
    [' \n ', '1:1', /empty/],
    ['{', '1:1', /text ends/],
    ['{\n  "version": "7.3",\n}', '2:19', /comma before '}'/],
    ['[1,]', '1:3', /comma before ']'/],
    ['{"a" 1}', '1:6', /expected ':'/],
    ['{a: 1}', '1:2', /key in double quotes/],
    ["{'a': 1}", '1:2', /key in double quotes/],
    ['{"a": 1 "b": 2}', '1:9', /expected ','/],
    ['{"a": 1,, "b": 2}', '1:9', /key in double quotes/],
    ['{} {}', '1:4', /end of the text/],
    ['{}\n// done', '2:1', /no comments/],
    ['{ /* flow */ }', '1:3', /no comments/],
    ['{"a": NaN}', '1:7', /expected a value/],
    ['{"a": TRUE}', '1:7', /expected a value/],
    ['{"a": truely}', '1:7', /expected a value/],
    ['{"a": undefined}', '1:7', /expected a value/],
    ['{"a": 01}', '1:8', /expected ','/],
    ['{"a": +1}', '1:7', /expected a value/],
    ['{"a": .5}', '1:7', /expected a value/],
    ['{"a": "x', '1:7', /does not end/],
    ['{"a": "x\\', '1:7', /does not end/],
    ['{"a": "x\ty"}', '1:9', /control character U\+0009/],
    ['{"a": "\\x"}', '1:8', /not a JSON escape/],
    ['{"a": "\\u12g4"}', '1:8', /four hexadecimal/],
    ['{"a": [1}', '1:9', /expected ',' or '\]'/],
    ['{"a": "\u{1F600}"]', '1:11', /expected ',' or '}'/],
    ['\r\n\r\n{"a"\r\n:?}', '4:2', /expected a value/],
    ['\u00A0{}', '1:1', /expected a value, found U\+00A0/],
  ];
  for (const [text, place, problem] of broken) {
    const { errors, hints } = validateFlow(text);
    t.strictSame(errorsAt(text), [`INVALID_FLOW_JSON  ${place}`], JSON.stringify(text));
    t.match(errors[0]!.message, problem, JSON.stringify(text));
    t.equal(errors[0]!.column_end, errors[0]!.column_start, 'one character');
    t.strictSame(hints, []);
  }
});

t.test('10 MB of nested arrays are refused at level 65, without a stack overflow', async (t) => {
  const depth = MAX_FLOW_BYTES / 2;
  t.strictSame(errorsAt('['.repeat(depth) + ']'.repeat(depth)), ['INVALID_FLOW_JSON  1:65']);
  t.strictSame(errorsAt(`{"a":`.repeat(depth / 8)), ['INVALID_FLOW_JSON  1:321']);
  t.strictSame(
    errorsAt(`${'['.repeat(64)}${']'.repeat(64)}`),
    ['INVALID_FLOW_JSON  1:1'],
    '64 levels are accepted as JSON, but are not a flow',
  );
});

t.test('a text larger than 10 MB is refused', async (t) => {
  const padded = `${sound}${' '.repeat(MAX_FLOW_BYTES - sound.length)}`;
  t.strictSame(errorsAt(padded), []);
  t.strictSame(errorsAt(Buffer.from(padded)), []);
  for (const source of [`${padded} `, Buffer.from(`${padded}    `)]) {
    t.strictSame(errorsAt(source), ['INVALID_FLOW_JSON  1:1']);
    t.match(validateFlow(source).errors[0]!.message, /at most 10485760 are allowed/);
  }
  const wide = `${sound}"${'é'.repeat(MAX_FLOW_BYTES / 2)}"`;
  t.ok(wide.length < MAX_FLOW_BYTES);
  t.match(validateFlow(wide).errors[0]!.message, /at most 10485760 are allowed/, 'bytes count, not characters');
});

t.test('more than two million values are refused before they exhaust memory', { skip: onlyLong }, async (t) => {
  const values = (count: number): string => `[${'1,'.repeat(count - 2)}1]`;
  t.match(validateFlow(values(MAX_VALUES)).errors[0]!.message, /a flow should be a JSON object/);
  t.match(validateFlow(values(MAX_VALUES + 1)).errors, [
    { error: 'INVALID_FLOW_JSON', message: /more than 2000000 values/, column_start: 4_000_000 },
  ]);
});

t.test('the first 500 of 100,000 wrong keys are listed, and the others counted', async (t) => {
  const keys = Array.from({ length: 100_000 }, (_, i) => `"k${i}": ${i}`).join(',\n');
  const { errors, unlistedErrors } = validateFlow(`{"version": "7.3",\n${keys}}`);
  t.equal(errors.length, 500);
  t.ok(unlistedErrors > 0);
  t.match(errors[1], { error: 'INVALID_PROPERTY_KEY', line_start: 2, column_start: 1, column_end: 4, pointers: [{ path: 'k0' }] });
  t.equal(validateFlow(`{"version": "7.3",\n${keys}}`, { maxListed: 3 }).errors.length, 3);
});

t.test('100,000 fields, inputs and screens are checked without quadratic time', async (t) => {
  const data = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, { type: 'string', __example__: 'a' }]));
  t.strictSame(errorsAt(flowOf([{ type: 'TextBody', text: `\${data.f49999}` }], { data })), []);
  const inputs = Array.from({ length: 30_000 }, (_, i) => ({ type: 'TextInput', name: `n${i}`, label: `\${form.absent${i}}` }));
  t.equal(validateFlow(flowOf(inputs)).errors.length, 500);
  const screens = Array.from({ length: 50_000 }, () => ({ id: 'A', layout: { type: 'SingleColumnLayout', children: [{ type: 'Q' }] } }));
  t.equal(validateFlow(JSON.stringify({ version: '7.3', screens })).errors.length, 500);
});

t.test('a duplicate key is an error at its second occurrence', async (t) => {
  t.strictSame(errorsAt(`{"version":"7.3","version":"7.2",${sound.slice(sound.indexOf('"screens"'))}`), [
    'INVALID_PROPERTY_KEY version 1:18',
  ]);
  const twice = sound.replace('"text":"Hello"', '"text":"Hello","text":"Hi","text":"Ho"');
  const path = 'screens[0].layout.children[0].text';
  t.strictSame(errorsAt(twice), [`INVALID_PROPERTY_KEY ${path} 1:${twice.indexOf('"text":"Hi"') + 1}`]);
  t.strictSame(
    errorsAt(sound.replace('"text":"Hello"', '"text":"Hello","te\\u0078t":5')).map((each) => each.split(' ')[0]),
    ['INVALID_PROPERTY_KEY', 'INVALID_PROPERTY_TYPE'],
  );
});

t.test('a byte-order mark is not counted in positions', async (t) => {
  t.strictSame(errorsAt(`\uFEFF${sound}`), []);
  t.strictSame(errorsAt(Buffer.from(`\uFEFF${sound}`)), []);
  t.strictSame(errorsAt('\uFEFF{"version":"7.1"}'), ['UNSUPPORTED_FLOW_JSON_VERSION version 1:12']);
  t.strictSame(errorsAt('\uFEFF\uFEFF{}'), ['INVALID_FLOW_JSON  1:1']);
});

t.test('a lone surrogate is refused as a character and accepted as an escape', async (t) => {
  t.strictSame(errorsAt(sound.replace('Hello', 'He\uD83Dllo')), [`INVALID_FLOW_JSON  1:${sound.indexOf('Hello') + 3}`]);
  t.strictSame(errorsAt(sound.replace('Hello', 'He\\uD83Dllo')), []);
  t.strictSame(errorsAt(sound.replace('Hello', '\u{1F600}')), []);
});

t.test('bytes that are not UTF-8 are refused at the first invalid byte', async (t) => {
  const at = (position: number, ...bytes: number[]) => {
    const complete = Buffer.from(`{\n"é": "abc"}`);
    return errorsAt(Buffer.concat([complete.subarray(0, position), Buffer.from(bytes), complete.subarray(position)]));
  };
  t.strictSame(at(0, 0xff, 0xfe), ['INVALID_FLOW_JSON  1:1'], 'UTF-16');
  t.strictSame(at(9, 0xff), ['INVALID_FLOW_JSON  2:7']);
  t.strictSame(at(9, 0xc3), ['INVALID_FLOW_JSON  2:7'], 'an incomplete character');
  t.strictSame(at(9, 0xed, 0xa0, 0x80), ['INVALID_FLOW_JSON  2:7'], 'half of a surrogate pair');
  t.strictSame(at(9, 0xc0, 0x80), ['INVALID_FLOW_JSON  2:7'], 'an overlong encoding');
  t.strictSame(errorsAt(Buffer.concat([Buffer.from('{"a'), Buffer.from([0xe2, 0x82])])), ['INVALID_FLOW_JSON  1:4'], 'at the end');
});

t.test('__proto__ is an ordinary key', async (t) => {
  const path = 'screens[0].layout.children[0]';
  t.strictSame(
    errorsAt(sound.replace('"text":"Hello"', '"text":"Hello","__proto__":{"text":"x"}')).map((each) => each.replace(/ \S+$/, '')),
    [`INVALID_PROPERTY_KEY ${path}.__proto__`],
  );
  const data = '"data":{"__proto__":{"type":"string","__example__":"a"}},"terminal":true';
  const declared = sound.replace('"terminal":true', data).replace('Hello', `\${data.__proto__}`);
  t.strictSame(errorsAt(declared), []);
  t.strictSame(validateFlow(declared).outline.screens[0]!.data, ['__proto__']);
  t.equal(({} as { text?: string }).text, undefined);
});

t.test('long texts that look like references or expressions take linear time', { skip: onlyLong }, async (t) => {
  const long = [
    `\${data.`.repeat(500_000),
    `\`${'('.repeat(1_000_000)}\``,
    `\`'${'\\'.repeat(1_000_001)}\``,
    `\`${'!'.repeat(1_000_000)}\``,
  ];
  for (const text of long) {
    const errors = errorsAt(flowOf([{ type: 'TextBody', text }]));
    t.ok(errors.length <= 1, text.slice(0, 10));
    for (const { message } of validateFlow(flowOf([{ type: 'TextBody', text }])).errors) t.ok(message.length < 500, message.slice(0, 80));
  }
  const started = Date.now();
  for (const src of [`A${' '.repeat(300_000)}!`, `A=${' '.repeat(300_000)}!`, `data:${':'.repeat(300_000)}`]) {
    const { hints } = validateFlow(flowOf([{ type: 'Image', src, 'alt-text': 'A' }]));
    t.match(hints, [{ error: 'INVALID_IMAGE_SOURCE' }]);
  }
  t.ok(Date.now() - started < patient(5000), 'the source of an image takes linear time');
  const key = 'k'.repeat(1_000_000);
  const cases = { [key]: Array.from({ length: 1000 }, () => ({ type: 'Q' })) };
  const { errors } = validateFlow(flowOf([{ type: 'Switch', value: `\${form.x}`, cases }]));
  t.equal(errors.length, 500);
  t.ok(errors.every(({ pointers }) => pointers[0]!.path.length < 400));
});

t.test('a large flow is validated in a worker without blocking the event loop', async (t) => {
  const pool = new PiscinaPool({ maxThreads: 1 });
  t.teardown(() => pool.stop());
  const validate = createFlowValidation(pool);
  const large = flowOf(Array.from({ length: 60_000 }, (_, i) => ({ type: 'TextInput', name: `n${i}`, label: 'Label', required: 'yes' })));
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  await validate(large.slice(0, 30_000));
  setImmediate(turn);
  const validation = await validate(large);
  isOver = true;
  t.ok(turns > 20, `the event loop turned ${turns} times`);
  t.strictSame(validation, validateFlow(large));
});

t.test('a small flow is validated without a worker', async (t) => {
  const validate = createFlowValidation({ run: () => Promise.reject(new Error('no worker is needed')) });
  t.strictSame((await validate(sound)).errors, []);
  t.strictSame((await validate(Buffer.from(sound), { newerVersions: 'refuse' })).errors, []);
});
