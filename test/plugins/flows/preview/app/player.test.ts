import t from 'tap';
import { patient } from '../../../../../core/testing/slowness.js';
import { addMonths, daysBetween, isDate, weeksOf } from '../../../../../plugins/flows/preview/app/dates.js';
import { readFlow } from '../../../../../plugins/flows/preview/app/definition.js';
import { evaluate, resolve, type Scope } from '../../../../../plugins/flows/preview/app/evaluate.js';
import { blocksOf, inline } from '../../../../../plugins/flows/preview/app/markdown.js';
import { parameters } from '../../../../../plugins/flows/preview/app/parameters.js';
import { createPatterns } from '../../../../../plugins/flows/preview/app/pattern.js';
import { play, type Session, scopeOf, startSession } from '../../../../../plugins/flows/preview/app/session.js';

const scope = (data: object, form: object = {}): Scope => ({
  data: data as Scope['data'],
  form: form as Scope['form'],
  screen: (id) => (id === 'ONE' ? { data: { x: 'one' }, form: {} } : { data: {}, form: {} }),
  declares: () => true,
});

t.test('references and expressions have the same values as on the network', (t) => {
  const here = scope({ n: 7, zero: 0, text: 'a', yes: true, deep: { er: 'x' }, 'dot.ted': 'd' }, { age: 20 });
  const cases: readonly (readonly [written: string, value: unknown])[] = [
    ['plain', 'plain'],
    [`\${data.n}`, 7],
    [`\${data.deep.er}`, 'x'],
    [`\${data.dot.ted}`, 'd'],
    [`\${screen.ONE.data.x}`, 'one'],
    [`\${screen.TWO.data.x}`, undefined],
    [`\${data.constructor}`, undefined],
    [`\`'Hello ' \${data.text}\``, 'Hello a'],
    [`\`\${data.n} + \${data.n} * 3\``, 28],
    [`\`(\${data.n} + 2) * 3\``, 27],
    [`\`\${data.n} / \${data.zero}\``, 0],
    [`\`\${data.n} % \${data.zero}\``, 0],
    [`\`\${form.age} >= 18 && !\${data.missing}\``, true],
    [`\`\${data.text} == 'b' || \${data.yes}\``, true],
    [`\`\${data.n} - -1\``, 8],
  ];
  for (const [written, value] of cases) t.equal(resolve(written, here), value, written);
  t.equal(evaluate(`(\${data.n} > 5) && \${data.yes}`, here), true);
  t.equal(evaluate('this is no condition', here), undefined);
  t.strictSame(resolve({ list: [`\${data.n}`, { x: `\${data.text}` }] }, here), { list: [7, { x: 'a' }] });
  t.end();
});

t.test('Markdown is parsed to a tree, and HTML in it remains text', (t) => {
  const text = (value: string) => ({ kind: 'text', text: value });
  t.strictSame(inline('a **b** *c* ~~d~~ ***e***'), [
    text('a '),
    { kind: 'strong', children: [text('b')] },
    text(' '),
    { kind: 'em', children: [text('c')] },
    text(' '),
    { kind: 'del', children: [text('d')] },
    text(' '),
    { kind: 'strong', children: [{ kind: 'em', children: [text('e')] }] },
  ]);
  t.strictSame(inline('<b>x</b> \\*y\\* 2 * 3 snake_case_name'), [text('<b>x</b> *y* 2 * 3 snake_case_name')]);
  t.strictSame(inline('[x](https://example.org/a_(b))'), [{ kind: 'link', href: 'https://example.org/a_(b)', children: [text('x')] }]);
  t.strictSame(inline('[x](javascript:alert(1))'), [text('[x](javascript:alert(1))')]);
  t.strictSame(inline('[x](data:text/html,y)'), [text('[x](data:text/html,y)')]);
  t.strictSame(
    blocksOf('# A\n\ntext\nmore\n1. one\n2. two\n- three\n| h |\n| - |\n| c |', true).map(({ kind }) => kind),
    ['heading', 'paragraph', 'list', 'list', 'table'],
  );
  t.strictSame(blocksOf('# A', false), [{ kind: 'paragraph', children: [text('# A')] }]);
  const started = process.hrtime.bigint();
  inline('*['.repeat(10_000));
  blocksOf('|'.repeat(19_999), true);
  t.ok(Number(process.hrtime.bigint() - started) / 1e6 < patient(5000), 'hostile text is parsed in linear time');
  t.end();
});

t.test('the calendar has every day of a month, and month arithmetic ends on an existing day', (t) => {
  t.equal(weeksOf('2026-02-10').flat().filter(Boolean).length, 28);
  t.equal(weeksOf('2024-02-10').flat().filter(Boolean).length, 29);
  t.equal(addMonths('2026-01-31', 1), '2026-02-28');
  t.equal(addMonths('2026-03-31', -1), '2026-02-28');
  t.equal(addMonths('2026-12-15', 1), '2027-01-15');
  t.equal(daysBetween('2026-02-27', '2026-03-02'), 3);
  t.notOk(isDate('2026-13-01'));
  t.end();
});

const component = (type: string, name: string, more: object = {}) => ({ type, name, label: name, ...more });
const footer = (action: object) => ({ type: 'Footer', label: 'Next', 'on-click-action': action });
const start = { flowToken: 'token', action: 'navigate' } as const;

function begin(...screens: object[]): Session {
  const laidOut = screens.map(({ children, ...screen }: { children?: object }) => ({
    ...screen,
    layout: { type: 'SingleColumnLayout', children },
  }));
  return startSession(readFlow({ version: '7.3', screens: laidOut }, []), start);
}

t.test('a response does not contain inputs of branches that are not shown', (t) => {
  const action = {
    name: 'complete',
    payload: { on: `\${form.on}`, inner: `\${form.inner}`, fixed: 1, deep: { list: [`\${form.inner}`, 2] } },
  };
  const session = begin({
    id: 'A',
    terminal: true,
    children: [
      component('OptIn', 'on'),
      // biome-ignore lint/suspicious/noThenProperty: the word of Flow JSON
      { type: 'If', condition: `\${form.on}`, then: [component('TextInput', 'inner', { 'init-value': 'x' })] },
      footer(action),
    ],
  });
  t.strictSame(play(session, { kind: 'act', action }).completion?.response, {
    flow_token: 'token',
    on: false,
    fixed: 1,
    deep: { list: [2] },
  });
  const on = play(session, { kind: 'set', name: 'on', value: true, input: { type: 'OptIn', name: 'on' } });
  t.strictSame(play(on, { kind: 'act', action }).completion?.response, {
    flow_token: 'token',
    on: true,
    inner: 'x',
    fixed: 1,
    deep: { list: ['x', 2] },
  });
  t.end();
});

t.test('inputs keep their values when the user goes back and forward, and a payload overrides the examples of a screen', (t) => {
  const navigate = { name: 'navigate', next: { type: 'screen', name: 'B' }, payload: { who: `\${form.who}` } };
  const session = begin(
    {
      id: 'A',
      children: [component('TextInput', 'who', { 'init-value': `\${data.name}` }), footer(navigate)],
      data: { name: { type: 'string', __example__: 'Ada' } },
    },
    { id: 'B', children: [], data: { who: { type: 'string', __example__: 'x' }, other: { type: 'string', __example__: 'y' } } },
  );
  const renamed = play(session, { kind: 'set', name: 'who', value: 'Grace', input: { type: 'TextInput', name: 'who' } });
  const next = play(renamed, { kind: 'act', action: navigate });
  t.strictSame(next.stack, ['A', 'B']);
  t.strictSame(scopeOf(next, 'B').data, { who: 'Grace', other: 'y' });
  const back = play(next, { kind: 'back' });
  t.strictSame(back.stack, ['A']);
  t.equal(scopeOf(back, 'A').form.who, 'Grace');
  t.equal(scopeOf(play(back, { kind: 'restart' }), 'A').form.who, 'Ada');
  t.end();
});

t.test('the summary masks sensitive values and leaves out passwords and files', (t) => {
  const session = begin({
    id: 'A',
    terminal: true,
    sensitive: ['mail'],
    children: [
      component('TextInput', 'mail', { 'init-value': 'ada@example.org' }),
      component('TextInput', 'pass', { 'input-type': 'password', 'init-value': 'secret' }),
      component('RadioButtonsGroup', 'size', { 'init-value': 's', 'data-source': [{ id: 's', title: 'Small' }] }),
      component('PhotoPicker', 'photo'),
    ],
  });
  const { summary } = play(session, { kind: 'act', action: { name: 'complete', payload: {} } }).completion!;
  t.strictSame(summary, [
    { label: 'mail', value: '••••••••' },
    { label: 'size', value: 'Small' },
  ]);
  t.end();
});

t.test('going back from a screen with refresh_on_back shows the request to the endpoint', (t) => {
  const next = { name: 'navigate', next: { type: 'screen', name: 'B' }, payload: {} };
  const session = begin({ id: 'A', children: [footer(next)] }, { id: 'B', refresh_on_back: true, children: [] });
  const there = play(session, { kind: 'act', action: next });
  const back = play(there, { kind: 'back' });
  t.strictSame(back.stack, ['A']);
  t.strictSame(back.overlay, {
    kind: 'exchange',
    request: { version: '3.0', action: 'BACK', screen: 'B', data: {}, flow_token: 'token' },
    next: ['A'],
  });
  t.end();
});

t.test('a pattern with catastrophic backtracking is not checked, wherever the text fails to match', (t) => {
  const cases: readonly (readonly [pattern: string, value: string])[] = [
    ['(a+)+', `${'a'.repeat(45)}!`],
    ['([^x]+)+', `${'a'.repeat(45)}xbb`],
    ['(a|a)*b', 'a'.repeat(60)],
    ['(.*)*=(.*)*;', 'x'.repeat(80)],
    ['.*.*.*.*.*.*.*.*=', 'x'.repeat(200)],
  ];
  for (const [pattern, value] of cases) t.equal(createPatterns()(pattern, value), true, pattern);
  t.end();
});

t.test('a fast pattern must match the complete text; invalid patterns and too long texts are not checked', (t) => {
  let calls = 0;
  // A stopped clock, so that no pattern counts as slow.
  const matches = createPatterns(() => calls++ * 0);
  t.equal(matches('[A-Z]{2}\\d+', 'AB123'), true);
  t.equal(matches('[A-Z]{2}\\d+', 'AB123x'), false);
  t.equal(matches('a|b', 'ab'), false);
  t.equal(matches('([a-z]+-)*[a-z]+', 'one-two-three-'), false, 'repeated groups are matched too');
  t.equal(matches('', ''), true);
  t.equal(matches('(', 'x'), true);
  t.equal(matches('x', 'y'.repeat(201)), true);
  t.ok(calls > 0);
  let now = 0;
  const hurried = createPatterns(() => (now += 60));
  t.equal(hurried('x', 'yyyyy'), true, 'the time budget is exceeded');
  t.equal(createPatterns(() => now)('x', 'yyyyy'), false);
  t.end();
});

t.test('a preview with invalid parameters shows a notice, and the flow starts anyway', (t) => {
  const flow = { screens: new Map([['ONE', {} as never]]) };
  const problem = (query: Record<string, string>) =>
    parameters(`?${new URLSearchParams(query)}`, { opened: undefined } as never, flow).problem;
  for (const query of [{}, { flow_action: 'navigate', flow_action_payload: '{"screen":"ONE"}' }, { flow_action: 'data_exchange' }])
    t.equal(problem(query), undefined, JSON.stringify(query));
  const first = 'the flow starts at its first screen.';
  t.equal(problem({ flow_action_payload: '[' }), `flow_action_payload is not a JSON object; ${first}`);
  t.equal(problem({ flow_action_payload: '{"screen":"TWO"}' }), `flow_action_payload.screen 'TWO' does not exist in the flow; ${first}`);
  t.equal(
    problem({ flow_action: 'data_exchange', flow_action_payload: '{"screen":"TWO"}' }),
    "flow_action_payload.screen 'TWO' does not exist in the flow; it is ignored: the endpoint decides the first screen.",
  );
  t.equal(problem({ flow_action: 'fly' }), "flow_action 'fly' is not navigate or data_exchange; navigate is used.");
  t.match(parameters('?flow_action=fly', { opened: undefined } as never, flow).start, { action: 'navigate', screen: undefined });
  t.end();
});
