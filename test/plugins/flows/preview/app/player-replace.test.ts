import t from 'tap';
import { readFlow } from '../../../../../plugins/flows/preview/app/definition.js';
import { pathsIn, problemsOf } from '../../../../../plugins/flows/preview/app/inspection.js';
import { replaceFlow } from '../../../../../plugins/flows/preview/app/replace-flow.js';
import { dataOf, play, type Session, startSession, valuesOf } from '../../../../../plugins/flows/preview/app/session.js';

const options = (...ids: string[]) => ids.map((id) => ({ id, title: id }));
const input = (type: string, name: string, more: object = {}) => ({ type, name, label: name, ...more });
const screen = (id: string, children: object[], data: object = {}) => ({ id, data, layout: { type: 'SingleColumnLayout', children } });
const flowOf = (...screens: object[]) => readFlow({ version: '7.3', screens }, []);

const first = [
  input('TextInput', 'name'),
  input('RadioButtonsGroup', 'size', { 'data-source': options('s', 'm', 'l') }),
  input('CheckboxGroup', 'extras', { 'data-source': options('a', 'b', 'c') }),
];
const set = (session: Session, name: string, value: unknown): Session =>
  play(session, { kind: 'set', name, value, input: first.find((one) => one.name === name)! });

/** A session on the second of two screens, with answers on the first. */
function answered(): Session {
  const flow = flowOf(screen('ONE', first, { city: { type: 'string', __example__: 'Paarl' } }), screen('TWO', [input('TextArea', 'note')]));
  let session = startSession(flow, { flowToken: 'x', action: 'navigate' });
  session = set(set(set(session, 'name', 'Ann'), 'size', 'm'), 'extras', ['a', 'c']);
  return play(session, { kind: 'act', action: { name: 'navigate', next: { type: 'screen', name: 'TWO' }, payload: {} } });
}

t.test('answers and screens that still fit another text of the flow are kept', async (t) => {
  const session = answered();
  const same = replaceFlow(session, session.flow);
  t.strictSame(same.stack, ['ONE', 'TWO']);
  t.strictSame(valuesOf(same, 'ONE'), { name: 'Ann', size: 'm', extras: ['a', 'c'] });

  const changed = [
    input('TextInput', 'name', { label: 'Full name' }),
    input('RadioButtonsGroup', 'size', { 'data-source': options('s', 'xl') }),
    input('CheckboxGroup', 'extras', { 'data-source': options('a', 'b') }),
    input('TextInput', 'email', { 'init-value': 'a@b.test' }),
  ];
  const next = replaceFlow(session, flowOf(screen('ONE', changed, { city: { type: 'string', __example__: 'Ceres' } }), screen('TWO', [])));
  t.strictSame(valuesOf(next, 'ONE'), { name: 'Ann', size: '', extras: ['a'], email: 'a@b.test' }, 'options that are gone are not chosen');
  t.equal(dataOf(next, 'ONE').city, 'Ceres', 'unchanged data has the new example');
  t.strictSame(next.log, session.log);
});

t.test('an input of another type starts again, and a changed initial value shows if nothing was entered', async (t) => {
  const session = answered();
  const next = replaceFlow(session, flowOf(screen('ONE', [input('TextArea', 'name', { 'init-value': 'Dear' })]), screen('TWO', [])));
  t.strictSame(valuesOf(next, 'ONE'), { name: 'Dear' });
  const note = replaceFlow(session, flowOf(screen('ONE', first), screen('TWO', [input('TextArea', 'note', { 'init-value': 'Hello' })])));
  t.strictSame(valuesOf(note, 'TWO'), { note: 'Hello' });
});

t.test('changed data is kept; a screen that is gone leads to the previous one, or to the first', async (t) => {
  const session = play(play(answered(), { kind: 'back' }), { kind: 'open', data: { city: 'Wellington' } });
  const flow = flowOf(screen('ONE', first, { city: { type: 'string', __example__: 'Ceres' } }));
  t.equal(dataOf(replaceFlow(session, flow), 'ONE').city, 'Wellington');
  t.strictSame(replaceFlow(answered(), flowOf(screen('ONE', first))).stack, ['ONE']);
  const other = replaceFlow(answered(), flowOf(screen('THREE', [])));
  t.strictSame(other.stack, ['THREE']);
  t.equal(other.log.length, 1);
  const done = play(session, { kind: 'act', action: { name: 'complete', payload: {} } });
  t.ok(done.completion);
  t.equal(replaceFlow(done, flow).completion, undefined);
  t.strictSame(replaceFlow(done, flowOf()).stack, []);
});

t.test('the components of a flow have the paths of its findings', async (t) => {
  const flow = { screens: [{ layout: { children: [{ type: 'If', else: [{ type: 'TextBody' }] }] }, 'a b': { x: {} } }] };
  const paths = pathsIn(flow);
  const body = flow.screens[0]!.layout.children[0]!.else[0]!;
  t.equal(paths.get(body), 'screens[0].layout.children[0].else[0]');
  t.ok([...paths.values()].includes("screens[0]['a b'].x"));
  const problem = { path: 'screens[0].layout.children[1].label', message: 'no', isError: true };
  const inspection = { paths, problems: [problem], shown: undefined, choose: () => {} };
  t.strictSame(problemsOf(inspection, 'screens[0].layout.children[1]'), [problem]);
  t.strictSame(problemsOf(inspection, 'screens[0].layout.children[1].la'), []);
  t.strictSame(problemsOf(inspection, 'screens[0].layout.children[10]'), []);
});
