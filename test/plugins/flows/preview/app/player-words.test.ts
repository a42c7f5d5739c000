import t from 'tap';
import { isDate } from '../../../../../plugins/flows/preview/app/dates.js';
import { readFlow, shownText, UndeclaredText } from '../../../../../plugins/flows/preview/app/definition.js';
import { directionOf, textsOf } from '../../../../../plugins/flows/preview/app/direction.js';
import { displayText, resolve, resolveComponent } from '../../../../../plugins/flows/preview/app/evaluate.js';
import { problemsOf } from '../../../../../plugins/flows/preview/app/inputs.js';
import { play, scopeOf, startSession } from '../../../../../plugins/flows/preview/app/session.js';

const start = { flowToken: 'token', action: 'navigate' } as const;
const field = (type: string, more: object = {}) => ({ type, ...more });

function begin(...screens: readonly { id: string; data?: object; children: readonly object[] }[]) {
  const laidOut = screens.map(({ children, ...screen }) => ({ ...screen, layout: { type: 'SingleColumnLayout', children } }));
  return startSession(readFlow({ version: '7.3', screens: laidOut }, []), start);
}

t.test('displayed text marks references that the flow does not declare, but not declared ones without a value', async (t) => {
  const data = {
    empty: field('string', { __example__: '' }),
    bare: field('string'),
    'dot.ted': field('string'),
    deep: field('object', { properties: { a: field('string') } }),
    open: field('object'),
  };
  const inputs = [{ type: 'TextInput', name: 'who', label: 'Who' }];
  const session = begin({ id: 'A', data, children: inputs }, { id: 'B', data: { later: field('string') }, children: inputs });
  const scope = scopeOf(session, 'A');
  const declared = [
    'data.empty',
    'data.bare',
    'data.dot.ted',
    'data.deep.a',
    'data.open.x',
    'form.who',
    'screen.B.data.later',
    'screen.B.form.who',
  ];
  for (const name of declared) t.notOk(displayText(`\${${name}}`, scope) instanceof UndeclaredText, name);
  const undeclared = ['data.x', 'data.constructor', 'data.deep.b', 'form.x', 'screen.B.data.x', 'screen.B.form.x', 'screen.C.data.x'];
  for (const name of undeclared) {
    const text = displayText(`\${${name}}`, scope);
    t.ok(text instanceof UndeclaredText, name);
    t.equal(shownText(text), `\${${name}}`);
    t.equal(resolve(`\${${name}}`, scope), undefined, `${name} has no value`);
  }
  t.strictSame(displayText(`\`'Hi ' \${data.x} '!'\``, scope), new UndeclaredText(['Hi ', { reference: `\${data.x}` }, '!']));
  t.equal(resolve(`\`'Hi ' \${data.x} '!'\``, scope), 'Hi !');
  t.strictSame(displayText(['a', `\${data.bare}`], scope), ['a', undefined]);
});

t.test('only the texts of a component are marked', async (t) => {
  const scope = scopeOf(begin({ id: 'A', children: [] }), 'A');
  const reference = `\${data.x}`;
  const shown = resolveComponent(
    { type: 'Dropdown', label: reference, required: reference, 'data-source': [{ id: reference, title: reference, enabled: reference }] },
    scope,
  );
  const mark = new UndeclaredText([{ reference }]);
  t.strictSame(shown, {
    type: 'Dropdown',
    label: mark,
    required: undefined,
    'data-source': [{ id: undefined, title: mark, enabled: undefined }],
  });
  const action = { name: 'complete', payload: { x: reference, label: reference } };
  const session = play(begin({ id: 'A', children: [] }), { kind: 'act', action });
  t.strictSame(session.completion?.response, { flow_token: 'token', x: undefined, label: undefined }, 'a response is not marked');
});

t.test('the summary shows the title of the chosen item of a NavigationList', async (t) => {
  const list = {
    type: 'NavigationList',
    name: 'dish',
    label: 'Dishes',
    'list-items': [
      { id: 'soup', 'main-content': { title: `\${data.soup}` } },
      { id: 'pie', 'main-content': { title: 'Pie' } },
    ],
  };
  const next = { name: 'navigate', next: { type: 'screen', name: 'B' }, payload: {} };
  const session = begin(
    { id: 'A', data: { soup: field('string', { __example__: 'Soup of the day' }) }, children: [list] },
    { id: 'B', children: [] },
  );
  const done = (item: string) => {
    const chosen = play(session, { kind: 'choose', list: 'dish', item, action: next });
    return play(chosen, { kind: 'act', action: { name: 'complete', payload: {} } }).completion?.summary;
  };
  t.strictSame(done('pie'), [{ label: 'Dishes', value: 'Pie' }]);
  t.strictSame(done('soup'), [{ label: 'Dishes', value: 'Soup of the day' }]);
  t.strictSame(done('gone'), [{ label: 'Dishes', value: 'gone' }], 'an item without a title is shown by its id');
});

t.test('a range runs its action when the user chooses its last day', async (t) => {
  const range = { type: 'CalendarPicker', name: 'stay', mode: 'range', 'on-select-action': { name: 'data_exchange', payload: {} } };
  const session = begin({ id: 'A', children: [range] });
  const set = (value: object) => play(session, { kind: 'set', name: 'stay', value, input: range }).overlay?.kind;
  t.equal(set({ 'start-date': '2026-03-01' }), undefined);
  t.equal(set({ 'start-date': '2026-03-01', 'end-date': '2026-03-04' }), 'exchange');
});

t.test('an empty error-message does not hide the problem', async (t) => {
  const mail = { type: 'TextInput', name: 'mail', label: 'Mail', 'input-type': 'email', 'error-message': `\${data.error}` };
  const session = begin({ id: 'A', data: { error: field('string', { __example__: '' }) }, children: [mail] });
  const problems = problemsOf(session.flow.screens.get('A')!, scopeOf(session, 'A'), { mail: 'absent' });
  t.equal(problems.get('mail'), 'Enter a valid email address');
});

t.test('the first letter of a component decides its direction', async (t) => {
  const group = (label: string, ...titles: string[]) => ({
    type: 'RadioButtonsGroup',
    label,
    'data-source': titles.map((title) => ({ id: title, title })),
  });
  t.equal(directionOf(textsOf(group('Choose', 'אחת'))), 'ltr');
  t.equal(directionOf(textsOf(group('בחר', 'One'))), 'rtl');
  t.equal(directionOf(textsOf(group('1.', 'نعم', 'Maybe'))), 'rtl', 'the options decide where the label has no letters');
  t.equal(directionOf(textsOf(group('1.', '2'))), undefined);
  t.equal(directionOf(textsOf({ type: 'CalendarPicker', label: { 'start-date': 'من', 'end-date': 'إلى' } })), 'rtl');
  t.equal(directionOf(textsOf({ type: 'TextBody', text: ['…', 'שלום'] })), 'rtl');
  t.equal(directionOf(textsOf({ type: 'NavigationList', 'list-items': [{ id: 'a', 'main-content': { title: 'حساء' } }] })), 'rtl');
});

t.test('isDate refuses days that do not exist', async (t) => {
  for (const day of ['2026-02-28', '2024-02-29', '2026-12-31']) t.ok(isDate(day), day);
  for (const day of ['2026-02-29', '2026-02-31', '2026-04-31', '2026-13-01', '2026-1-1', '']) t.notOk(isDate(day), day);
});

t.test('a screen id may be the name of a property of Object.prototype', async (t) => {
  const who = { type: 'TextInput', name: 'who', label: 'Who', 'init-value': `\${data.name}` };
  const data = { name: field('string', { __example__: 'Ada' }) };
  const next = { name: 'navigate', next: { type: 'screen', name: 'toString' }, payload: {} };
  const session = begin({ id: 'constructor', data, children: [who] }, { id: 'toString', data, children: [who] });
  t.equal(scopeOf(session, 'constructor').form.who, 'Ada');
  const there = play(session, { kind: 'act', action: next });
  t.equal(scopeOf(there, 'toString').form.who, 'Ada');
  const ask = play(there, { kind: 'act', action: { name: 'data_exchange', payload: {} } });
  t.strictSame(ask.overlay?.kind === 'exchange' && ask.overlay.next, ['toString', 'constructor']);
});
