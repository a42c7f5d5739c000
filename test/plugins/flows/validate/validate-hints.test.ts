import t from 'tap';
import { hintCodes } from '../../../../plugins/flows/validate/codes.js';
import { startFlows } from '../flows-under-test.js';
import { readCases } from './flow-cases.js';
import { findings } from './rule-scenes.js';

interface Case {
  readonly rule: string;
  readonly flow: object;
  readonly hints: readonly string[];
  readonly errors?: readonly string[];
}

const cases = readCases<Case[]>('rules/hints.json');

t.test('each hint is reported in exactly its cases, and never as an error', async (t) => {
  for (const { rule, flow, hints, errors = [] } of cases) t.strictSame(findings(flow), { errors, hints }, rule);
});

t.test('every hint code is covered by a case', async (t) => {
  const issued = new Set(cases.flatMap(({ hints }) => hints.map((hint) => hint.split(' ')[0])));
  // Too large images are tested separately.
  t.strictSame(
    hintCodes.filter((code) => !issued.has(code)),
    ['MAX_IMAGE_SIZE_EXCEEDED'],
  );
});

t.test('hints never block publishing, at creation or later', async (t) => {
  const { api, create, upload } = await startFlows(t);
  const advised = cases.filter(({ hints, errors = [] }) => hints.length > 0 && errors.length === 0);
  t.ok(advised.length > 20);
  for (const { rule, flow } of advised) {
    const created = await api('POST', '/v1/flows', { name: rule, flow_json: flow, publish: true });
    t.match(created, { status: 201, body: { validation_errors: [] } }, rule);
    const id = await create();
    t.strictSame((await upload(id, JSON.stringify(flow))).body.validation_errors, [], rule);
    t.equal((await api('POST', `/v1/flows/${id}/publish`)).status, 200, rule);
  }
  const { data } = (await api('GET', '/v1/flows')).body;
  t.strictSame(new Set(data.map(({ status }: { status: string }) => status)), new Set(['PUBLISHED']));
  t.equal(data.length, advised.length * 2);
});

t.test('an example is checked against its schema at every depth', async (t) => {
  const footer = { type: 'Footer', label: 'Go', 'on-click-action': { name: 'complete', payload: {} } };
  const errorsOf = (entry: object): string[] => {
    const layout = { type: 'SingleColumnLayout', children: [footer] };
    return findings({ version: '7.3', screens: [{ id: 'A', terminal: true, data: { x: entry }, layout }] }).errors;
  };
  const text = { type: 'string' };
  const list = {
    type: 'array',
    items: { type: 'object', properties: { id: text, more: { type: 'object', properties: { n: { type: 'number' } } } } },
  };
  const at = (path: string): string[] => [`INVALID_SCREEN_DATA screens[0].data.x.__example__${path}`];
  t.strictSame(errorsOf({ ...list, __example__: [{ id: 'a', more: { n: 1 } }, {}] }), [], 'declared properties may be absent');
  t.strictSame(
    errorsOf({ ...list, __example__: [{ id: 'a', badge: 5, start: { image: 'aGk=' } }] }),
    [],
    'undeclared properties may have any value',
  );
  t.strictSame(errorsOf({ ...list, __example__: [{ id: 'a' }, { id: 5 }] }), at('[1].id'));
  t.strictSame(errorsOf({ ...list, __example__: [{ more: { n: '1' } }] }), at('[0].more.n'));
  t.strictSame(errorsOf({ ...list, __example__: ['a'] }), at('[0]'));
  t.strictSame(errorsOf({ ...list, __example__: [{ more: { n: null } }] }), at('[0].more.n'));
  t.strictSame(errorsOf({ ...list, __example__: [{ other: [null] }] }), at('[0].other[0]'), 'null is refused everywhere');
  t.strictSame(errorsOf({ type: 'object', properties: { a: { type: 'boolean' } }, __example__: { a: 'yes' } }), at('.a'));
  t.strictSame(errorsOf({ type: 'array', items: text, __example__: ['a', 1, true] }), [...at('[1]'), ...at('[2]')]);
  t.strictSame(errorsOf({ type: 'array', items: true, __example__: ['a', 1] }), [], 'items true allows any items');
  t.strictSame(errorsOf({ type: 'object', __example__: { a: [1, 'b'] } }), [], 'an object schema without properties allows any properties');
});
