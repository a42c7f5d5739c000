import t from 'tap';
import { readFlow } from '../../../../../plugins/flows/preview/app/definition.js';
import { rejectionData } from '../../../../../plugins/flows/preview/app/endpoint-errors.js';
import {
  currentEndpointErrors,
  dataOf,
  play,
  type Session,
  scopeOf,
  startSession,
} from '../../../../../plugins/flows/preview/app/session.js';

const text = { type: 'string', __example__: '' };
const ask = { name: 'data_exchange', payload: { mail: `\${form.mail}` } };
const start = { flowToken: 'token', action: 'navigate' } as const;

function flowOf(...screens: readonly { id: string; data?: object; children: readonly object[] }[]) {
  const laidOut = screens.map(({ children, ...screen }) => ({ ...screen, layout: { type: 'SingleColumnLayout', children } }));
  return readFlow({ version: '7.3', data_api_version: '3.0', routing_model: { A: ['B'] }, screens: laidOut }, ['A']);
}

const input = (name: string, more: object = {}) => ({ type: 'TextInput', name, label: name, ...more });
const mail = input('mail', { 'error-message': `\${data.mail_error}` });
const code = input('code', { 'error-message': 'Three letters' });
const flow = flowOf(
  { id: 'A', data: { mail_error: text, greeting: { ...text, __example__: 'Hello' } }, children: [mail, code] },
  { id: 'B', data: {}, children: [] },
);
const begin = (): Session => startSession(flow, start);
const asked = (session: Session): Session => play(session, { kind: 'act', action: ask });
const refused = (session: Session, message = 'Unknown address'): Session =>
  play(asked(session), { kind: 'answer', screen: 'A', data: { mail_error: message, greeting: 'Hello' } });
const edited = (session: Session, value: string): Session => play(session, { kind: 'set', name: 'mail', value, input: mail });
const shown = (session: Session) => Object.fromEntries(currentEndpointErrors(session));

t.test('an error of the endpoint is shown until the user edits the input, and again when the endpoint returns it again', async (t) => {
  t.strictSame(shown(begin()), {}, 'an empty message is not an error');
  const once = refused(edited(begin(), 'ada@example.org'));
  t.strictSame(shown(once), { mail: 'Unknown address' });
  t.equal(once.overlay, undefined);
  t.strictSame(once.stack, ['A'], 'the screen is not stacked on itself');
  t.equal(scopeOf(once, 'A').form.mail, 'ada@example.org', 'the input keeps its value');
  const corrected = edited(once, 'ada@example.com');
  t.strictSame(shown(corrected), {});
  t.strictSame(shown(play(corrected, { kind: 'touch', names: ['mail'] })), {});
  t.strictSame(shown(refused(corrected)), { mail: 'Unknown address' }, 'the same message again');
  t.strictSame(shown(play(asked(once), { kind: 'answer', screen: 'A', data: { greeting: 'Hello' } })), {}, 'a response without a message');
});

t.test('errors of the endpoint come from dynamic messages of inputs and Forms, not from static ones', async (t) => {
  const form = (messages: unknown) => ({ type: 'Form', name: 'form', 'error-messages': messages, children: [input('a'), input('b')] });
  const data = { errors: { type: 'object', __example__: { a: 'Taken', b: '' } }, a_error: { ...text, __example__: 'Taken' } };
  const of = (children: readonly object[]) => shown(startSession(flowOf({ id: 'A', data, children }), start));
  t.strictSame(of([form(`\${data.errors}`)]), { a: 'Taken' });
  t.strictSame(of([form({ a: `\${data.a_error}`, b: 'Written in the flow' })]), { a: 'Taken' });
  t.strictSame(of([input('a', { 'error-message': `\`\${data.a_error} ' already'\`` })]), { a: 'Taken already' });
  t.strictSame(of([input('a', { 'error-message': 'Written in the flow' })]), {});
  t.strictSame(of([input('a', { 'error-message': `\${data.absent}` })]), {});
  const photo = { type: 'PhotoPicker', name: 'p', label: 'P', 'error-message': `\${data.errors}` };
  t.strictSame(of([photo]), { p: 'Taken' }, 'a message for each file');
  const range = { 'start-date': `\${data.a_error}`, 'end-date': 'Written in the flow' };
  const stay = { type: 'CalendarPicker', name: 'c', mode: 'range', label: { 'start-date': 'From', 'end-date': 'To' } };
  t.strictSame(of([{ ...stay, 'error-message': range }]), { c: 'Taken' }, 'a message for one day of a range');
  // biome-ignore lint/suspicious/noThenProperty: the word of Flow JSON
  const hidden = { type: 'If', condition: `\${data.a_error} == 'x'`, then: [input('a', { 'error-message': `\${data.a_error}` })] };
  t.strictSame(of([hidden]), {}, 'an input that is not shown');
});

t.test('error_message of a response is shown until the next edit or action', async (t) => {
  const answered = play(asked(begin()), { kind: 'answer', screen: 'A', data: { error_message: 'Try later' } });
  t.equal(answered.errorMessage, 'Try later');
  t.equal(play(answered, { kind: 'touch', names: ['mail'] }).errorMessage, 'Try later');
  t.equal(edited(answered, 'x').errorMessage, '');
  t.equal(asked(answered).errorMessage, '');
  t.equal(play(answered, { kind: 'restart' }).errorMessage, '');
});

t.test('a response replaces all data of its screen, and the response to INIT decides the first screen', async (t) => {
  const next = play(asked(begin()), { kind: 'answer', screen: 'B', data: { x: 1 } });
  t.strictSame(next.stack, ['A', 'B']);
  t.strictSame(scopeOf(next, 'B').data, { x: 1 });
  t.strictSame(next.log.at(-1), { action: 'answer', screen: 'B', detail: { screen: 'B', data: { x: 1 } } });
  const without = play(asked(begin()), { kind: 'answer', screen: 'A', data: {} });
  t.strictSame(scopeOf(without, 'A').data, {}, 'examples do not replace fields that the response leaves out');
  const first = startSession(flow, { ...start, action: 'data_exchange' });
  t.match(first.overlay, { kind: 'exchange', request: { action: 'INIT' } });
  t.strictSame(play(first, { kind: 'answer', screen: 'B', data: {} }).stack, ['B']);
  t.strictSame(play(first, { kind: 'answer', screen: 'NOWHERE', data: {} }).stack, [], 'a screen that does not exist');
});

t.test('opening a screen with other data resets its inputs', async (t) => {
  const prefilled = input('who', { 'init-value': `\${data.name}` });
  const session = startSession(flowOf({ id: 'A', data: { name: { ...text, __example__: 'Ada' } }, children: [prefilled] }), start);
  const renamed = play(session, { kind: 'set', name: 'who', value: 'Grace', input: prefilled });
  const opened = play(renamed, { kind: 'open', data: { name: 'Edsger' } });
  t.equal(scopeOf(opened, 'A').form.who, 'Edsger');
  t.strictSame(dataOf(opened, 'A'), { name: 'Edsger' });
  t.strictSame(opened.stack, ['A']);
});

t.test('the data of a rejection has a message wherever the screen can show one', async (t) => {
  const no = 'Not accepted';
  const of = (data: object, ...children: readonly object[]) => {
    const { screens } = flowOf({ id: 'A', data, children });
    return rejectionData(screens.get('A')!, { kept: 1 });
  };
  t.strictSame(of({}, input('a')), { kept: 1, error_message: no }, 'only below the screen');
  t.strictSame(of({}, input('a', { 'error-message': `\${data.a_error}` })), { kept: 1, a_error: no });
  t.strictSame(of({}, input('a', { 'error-message': `\${data.errors.a}` })), { kept: 1, errors: { a: no } });
  t.strictSame(of({ 'errors.a': text }, input('a', { 'error-message': `\${data.errors.a}` })), { kept: 1, 'errors.a': no });
  const form = (messages: unknown) => ({ type: 'Form', name: 'f', 'error-messages': messages, children: [input('a'), input('b')] });
  t.strictSame(of({}, form(`\${data.errors}`)), { kept: 1, errors: { a: no, b: no } });
  const declared = { errors: { type: 'object', properties: { b: { type: 'string' } }, __example__: {} } };
  t.strictSame(of(declared, form(`\${data.errors}`)), { kept: 1, errors: { b: no } }, 'only inputs that the schema declares');
  t.strictSame(of({}, form({ a: `\${data.a_error}` })), { kept: 1, a_error: no });
  const range = { 'start-date': `\${data.from_error}`, 'end-date': `\${data.to_error}` };
  const stay = { type: 'CalendarPicker', name: 'c', mode: 'range', 'error-message': range };
  t.strictSame(of({}, stay), { kept: 1, from_error: no, to_error: no }, 'both days of a range');
});
