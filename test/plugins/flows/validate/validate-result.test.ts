import t from 'tap';
import { nearest } from '#core/basics';
import { errorCodes, hintCodes } from '../../../../plugins/flows/validate/codes.js';
import { positionsIn } from '../../../../plugins/flows/validate/positions.js';
import { validateFlow } from '../../../../plugins/flows/validate/validate-flow.js';
import { readCases, validFlows } from './flow-cases.js';

const footer = { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: {} } };
const screen = (id: string, children: readonly unknown[], more: object = {}) => ({
  id,
  ...more,
  layout: { type: 'SingleColumnLayout', children },
});
const flowOf = (children: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ version: '7.3', screens: [screen('ONE', [...children, footer], { terminal: true })], ...more }, null, 2);

t.test('an error has a code, a type, a message, lines, columns and pointers', async (t) => {
  const { errors } = validateFlow(flowOf([{ type: 'TextHeading', txt: 'Hello', text: 'Hi' }]));
  const range = { line_start: 12, line_end: 12, column_start: 13, column_end: 17 };
  t.strictSame(errors, [
    {
      error: 'INVALID_PROPERTY_KEY',
      error_type: 'FLOW_JSON_ERROR',
      message: "property 'txt' is not allowed at screens[0].layout.children[0] (in TextHeading); did you mean 'text'?",
      ...range,
      pointers: [{ ...range, path: 'screens[0].layout.children[0].txt' }],
    },
  ]);
});

t.test('an error about two places has a pointer to each, the second place first', async (t) => {
  const input = { type: 'TextInput', name: 'city', label: 'City' };
  const { errors } = validateFlow(flowOf([input, input]));
  t.match(errors, [{ error: 'DUPLICATE_FORM_COMPONENT_NAMES', line_start: 17, pointers: { length: 2 } }]);
  t.strictSame(
    errors[0]!.pointers.map(({ line_start, path }) => [line_start, path]),
    [
      [17, 'screens[0].layout.children[1].name'],
      [12, 'screens[0].layout.children[0].name'],
    ],
  );
});

t.test('lines end with LF, CR LF or CR, and columns are UTF-16 units', async (t) => {
  const text = 'a\nb\r\nc\rd\r\r\n\n\u{1F600}e';
  const range = positionsIn(text);
  const place = (offset: number) => {
    const { line_start, column_start } = range(offset, offset + 1);
    return [text[offset], line_start, column_start];
  };
  t.strictSame([0, 2, 5, 7, 14].map(place), [
    ['a', 1, 1],
    ['b', 2, 1],
    ['c', 3, 1],
    ['d', 4, 1],
    ['e', 7, 3],
  ]);
  t.strictSame(range(2, 6), { line_start: 2, line_end: 3, column_start: 1, column_end: 1 });
});

t.test('messages suggest the most similar known name', async (t) => {
  const known = ['TextHeading', 'TextSubheading', 'TextBody', 'Footer', 'helper-text'];
  t.strictSame(
    ['textheading', 'TextHeadnig', 'Fotoer', 'helpertext', 'Banana', 'x', ''].map((name) => nearest(name, known)),
    ['TextHeading', 'TextHeading', 'Footer', 'helper-text', undefined, undefined, undefined],
  );
  const messagesOf = (component: object) => validateFlow(flowOf([component])).errors.map(({ message }) => message);
  t.match(messagesOf({ type: 'TextInput', name: 'a', label: 'A', 'input-type': 'mail' }), [
    /one of \[text, number, email, .*\], found 'mail'; did you mean 'email'\?/,
  ]);
  t.match(messagesOf({ type: 'TextBody', text: `\${form.citty}` }), [/no input 'citty'/]);
  t.match(messagesOf({ type: 'TextBody', text: `\${screen.ON.data.x}` }), [/unknown screen 'ON'; did you mean 'ONE'\?/]);
});

t.test('a version above the newest known one is checked by the newest rules with a hint, or refused', async (t) => {
  for (const version of ['7.4', '7.10', '8.0', '10.0']) {
    const { errors, hints, outline } = validateFlow(flowOf([{ type: 'TextBody' }], { version }));
    t.match(errors, [{ error: 'MISSING_REQUIRED_PROPERTY' }]);
    t.match(hints, [{ error: 'NEWER_FLOW_JSON_VERSION', error_type: 'FLOW_JSON_HINT', pointers: [{ path: 'version' }] }]);
    t.equal(outline.version, version);
    t.match(validateFlow(flowOf([], { version }), { newerVersions: 'refuse' }).errors, [{ error: 'INVALID_FLOW_JSON_VERSION' }]);
  }
  t.strictSame(validateFlow(flowOf([]), { newerVersions: 'refuse' }).errors, []);
});

t.test('missing alternative text, large images and invalid patterns are hints, not errors', async (t) => {
  const large = 'A'.repeat(200_000);
  const { errors, hints } = validateFlow(
    flowOf([
      { type: 'Image', src: 'aGk=' },
      { type: 'Dropdown', name: 'd', label: 'D', 'data-source': [{ id: 'a', title: 'A', image: large }] },
      { type: 'Image', src: large, 'alt-text': 'fine, up to 300 KiB' },
      { type: 'TextInput', name: 'a', label: 'A', pattern: '[', 'helper-text': 'h' },
    ]),
  );
  t.strictSame(errors, []);
  t.strictSame(
    hints.map(({ error, pointers }) => `${error} ${pointers[0]!.path.replace('screens[0].layout.children', '')}`),
    [
      'MISSING_ALT_TEXT [0]',
      'MISSING_ALT_TEXT [1].data-source[0]',
      'MAX_IMAGE_SIZE_EXCEEDED [1].data-source[0].image',
      'INVALID_REGULAR_EXPRESSION [3].pattern',
    ],
  );
});

t.test('the outline has the screens, their data and the entry screens', async (t) => {
  const go = {
    type: 'Footer',
    label: 'Go',
    'on-click-action': { name: 'navigate', next: { type: 'screen', name: 'TWO' }, payload: { a: 'x' } },
  };
  const data = { a: { type: 'string', __example__: 'x' } };
  const screens = [screen('TWO', [footer], { terminal: true, data }), screen('ONE', [go], { title: 'First' })];
  const { errors, outline } = validateFlow(JSON.stringify({ version: '7.2', screens }));
  t.strictSame(errors, []);
  t.strictSame(outline, {
    version: '7.2',
    screens: [
      { id: 'TWO', isTerminal: true, data: ['a'] },
      { id: 'ONE', title: 'First', isTerminal: false, data: [] },
    ],
    entries: ['ONE'],
  });
  const endpoint = validFlows.find(({ name }) => name.includes('endpoint'))!;
  t.match(validateFlow(endpoint.text).outline, { data_api_version: '4.0', entries: ['PICK'] });
});

t.test('every error code is covered by a case', async (t) => {
  const cases = [
    ...readCases<{ expected: { error: string }[] }[]>('invalid-flows.json').flatMap(({ expected }) => expected.map(({ error }) => error)),
    ...readCases<{ errors: string[] }[]>('rules/flows.json').flatMap(({ errors }) => errors.map((error) => error.split(' ')[0])),
    JSON.stringify(readCases('rules/components.json')),
    // Tested separately, because its cases are large.
    'MAX_SCREENS_NUMBER',
  ].join(' ');
  t.strictSame(
    errorCodes.filter((code) => !cases.includes(code)),
    [],
  );
  t.equal(new Set([...errorCodes, ...hintCodes]).size, errorCodes.length + hintCodes.length);
});
