import t from 'tap';
import { completeFlow } from '../../../plugins/flows/editing/complete.js';
import { validateFlow } from '../../../plugins/flows/plugin.js';
import { startFlows, survey } from './flows-under-test.js';

const text = (flow: unknown): string => JSON.stringify(flow, null, 2);

/** A flow with one component, and a mistake in it. */
const withComponent = (component: object, about: object = {}): string =>
  text({
    version: '7.3',
    screens: [
      {
        id: 'ONE',
        terminal: true,
        data: { city: { type: 'string', __example__: 'Paarl' } },
        layout: {
          type: 'SingleColumnLayout',
          children: [
            component,
            { type: 'TextInput', name: 'street', label: 'Street' },
            { type: 'Footer', label: 'Send', 'on-click-action': { name: 'complete', payload: {} } },
          ],
        },
        ...about,
      },
    ],
  });

t.test('the templates are valid, without hints', async (t) => {
  const { admin } = await startFlows(t);
  const { templates } = (await admin('GET', '/flows/templates')).body;
  t.strictSame(
    templates.map(({ name }: { name: string }) => name),
    ['survey', 'booking', 'sign-up', 'catalogue'],
  );
  for (const { name, definition } of templates) {
    const { errors, hints } = validateFlow(definition);
    t.strictSame([...errors, ...hints], [], name);
  }
});

t.test('a text is checked without being stored, with its screens and routes', async (t) => {
  const { admin } = await startFlows(t);
  const { templates } = (await admin('GET', '/flows/templates')).body;
  const check = async (definition: string) => (await admin('POST', '/flows/check', { definition })).body;
  const booking = await check(templates[1].definition);
  t.match(booking, {
    errors: [],
    hints: [],
    unlisted_errors: 0,
    entries: ['DAY'],
    screens: [
      { id: 'DAY', title: 'Book a visit', entry: true, terminal: false, routes: ['TIME'], path: 'screens[0]', line: 6, column: 5 },
      { id: 'TIME', routes: ['SUMMARY'], entry: false },
      { id: 'SUMMARY', terminal: true, routes: [] },
    ],
  });
  t.match(booking.screens[0].components[1], { path: 'screens[0].layout.children[1]', type: 'DatePicker', name: 'day', line: 17 });
  t.strictSame((await admin('GET', '/flows')).body.flows, []);
  const broken = await check('{ "version": ');
  t.match(broken, { errors: [{ error: 'INVALID_FLOW_JSON', line_start: 1 }] });
  t.notOk('screens' in broken);
  t.match(await admin('POST', '/flows/check', {}), { status: 400 });
});

t.test('a finding with a suggestion has the text that follows it', async (t) => {
  const { admin } = await startFlows(t);
  const cases: [definition: string, suggestion: string, written: string][] = [
    [withComponent({ type: 'Textinput', name: 'a', label: 'A' }), 'TextInput', '"TextInput"'],
    [withComponent({ type: 'TextBody', txt: 'A', text: 'B' }), 'text', '"text"'],
    [withComponent({ type: 'TextInput', name: 'a', label: 'A', 'input-type': 'emial' }), 'email', '"email"'],
    [withComponent({ type: 'TextBody', text: `\${data.ctiy}` }), 'city', `"\${data.city}"`],
    [withComponent({ type: 'TextBody', text: `\${form.stret}` }), 'street', `"\${form.street}"`],
    [withComponent({ type: 'TextBody', text: 'B' }, { layuot: {} }), 'layout', '"layout"'],
  ];
  for (const [definition, suggestion, written] of cases) {
    const { errors } = (await admin('POST', '/flows/check', { definition })).body;
    const { replacement } = errors.find(({ message }: { message: string }) => message.includes('did you mean'))!;
    t.match(replacement, { suggestion, text: written }, suggestion);
    const lines = definition.split('\n');
    const { line_start, column_start, column_end } = replacement;
    const line = lines[line_start - 1]!;
    lines[line_start - 1] = line.slice(0, column_start - 1) + replacement.text + line.slice(column_end);
    const rest = validateFlow(lines.join('\n')).errors.filter(({ message }) => message.includes(`'${suggestion}'?`));
    t.strictSame(rest, [], `the error about ${suggestion} is gone`);
  }
});

/** Completes at `|`. */
function completed(marked: string): { labels: string[]; apply: (label: string) => string } {
  const offset = marked.indexOf('|');
  const source = marked.replace('|', '');
  const { from, to, options } = completeFlow(source, offset);
  return {
    labels: options.map(({ label }) => label),
    apply(label) {
      const option = options.find((one) => one.label === label);
      return option === undefined ? `no ${label}` : source.slice(0, from) + (option.insert ?? option.label) + source.slice(to);
    },
  };
}

t.test('completion offers what the catalogue of components allows', async (t) => {
  const layout = (inner: string): string =>
    `{"screens": [{"id": "ONE", "data": {"city": {}}, "layout": {"type": "SingleColumnLayout", "children": [{"type": "TextInput", "name": "street"}, ${inner}`;
  const types = completed(layout('{"type": "Te|"}'));
  t.ok(['TextInput', 'TextHeading', 'Footer', 'If'].every((name) => types.labels.includes(name)));
  t.equal(types.apply('TextHeading'), layout('{"type": "TextHeading"}'));
  t.ok(completed(layout('{"type": |')).apply('Footer').endsWith('{"type": "Footer"'));
  const keys = completed(layout('{"type": "TextInput", "label": "", "in|"}'));
  t.ok(keys.labels.includes('input-type') && !keys.labels.includes('label') && !keys.labels.includes('data-source'));
  t.equal(keys.apply('input-type'), layout('{"type": "TextInput", "label": "", "input-type": }'));
  t.ok(completed(layout('{"type": "TextInput", "l|": "A"}')).apply('label').endsWith('"label": "A"}'));
  t.strictSame(completed(layout('{"type": "TextInput", "input-type": "|"}')).labels, [
    'text',
    'number',
    'email',
    'password',
    'passcode',
    'phone',
  ]);
  t.ok(completed(layout('{"type": "TextInput", "required": |')).labels.includes('true'));
  const action = (inner: string): string => layout(`{"type": "Footer", "on-click-action": {${inner}`);
  t.ok(completed(action('"name": "|"')).labels.includes('complete'));
  t.ok(completed(action('"name": "navigate", "|"')).labels.includes('next'));
  t.strictSame(completed(action('"name": "navigate", "next": {"type": "screen", "name": "|"')).labels, ['ONE']);
  const text = completed(layout(`{"type": "TextBody", "text": "Hi \${da|"}`));
  t.ok(text.labels.includes(`\${data.city}`) && text.labels.includes(`\${form.street}`));
  t.equal(text.apply(`\${data.city}`), layout(`{"type": "TextBody", "text": "Hi \${data.city}"}`));
  t.equal(
    completed(layout(`{"type": "TextBody", "text": "\${da|ta.x}"}`)).apply(`\${form.street}`),
    layout(`{"type": "TextBody", "text": "\${form.street}"}`),
  );
  t.notOk(completed(layout('{"type": "Form", "children": [{"type": "|"}]}')).labels.includes('Form'), 'only what may be inside');
  t.ok(completed('{"screens": [{"id": "ONE", "|"').labels.includes('terminal'));
  t.ok(completed('{"|"}').labels.includes('routing_model'));
  t.strictSame(completed('{"routing_model": {"|"}, "screens": [{"id": "ONE"}]}').labels, ['ONE']);
  t.strictSame(completed('{"screens": [{"data": {"x": {"type": "|"}}}]}').labels, [
    'string',
    'number',
    'integer',
    'boolean',
    'object',
    'array',
  ]);
});

t.test('completion reads any text at any offset', async (t) => {
  const { admin } = await startFlows(t);
  const source = text(survey);
  for (let offset = 0; offset <= source.length; offset += 7) {
    for (const cut of [source, source.slice(0, offset)]) {
      const { from, to } = completeFlow(cut, offset);
      t.ok(from <= offset && to >= offset, `at ${offset}: ${from} to ${to}`) || t.bailout();
    }
  }
  t.strictSame(completeFlow('['.repeat(100_000), 50), { from: 50, to: 50, options: [] });
  t.match(await admin('POST', '/flows/completions', { definition: '{"', offset: 900 }), { status: 200, body: { to: 2 } });
  t.match(await admin('POST', '/flows/completions', { definition: '{"', offset: -1 }), { status: 400 });
});

t.test('an admin changes the details of a draft, and sees why actions are refused', async (t) => {
  const { admin, create } = await startFlows(t);
  const id = await create();
  const shown = async () => (await admin('GET', `/flows/${id}`)).body.flow;
  t.strictSame((await shown()).refusals, { deprecate: 'The flow is DRAFT; it must be PUBLISHED.' });
  const patched = await admin('PATCH', `/flows/${id}`, {
    name: 'New name',
    categories: ['SURVEY'],
    endpoint_uri: 'https://endpoint.test/',
  });
  t.match(patched, { status: 200, body: { flow: { name: 'New name', categories: ['SURVEY'], endpoint_uri: 'https://endpoint.test/' } } });
  t.match((await shown()).refusals.publish, /application_id/);
  t.match(await admin('PATCH', `/flows/${id}`, { flow_json: {} }), { status: 400 });
  t.match(await admin('PATCH', `/flows/${id}`, { endpoint_uri: null }), { status: 200 });
  await admin('PUT', `/flows/${id}/definition`, { definition: '{}' });
  t.match((await shown()).refusals.publish, /^The flow has an error; /);
  t.match(await admin('GET', '/flows?status=DRAFT'), { body: { flows: [{ id }] } });
  t.strictSame((await admin('GET', '/flows?status=PUBLISHED')).body.flows, []);
  await admin('PUT', `/flows/${id}/definition`, { definition: text(survey) });
  t.match((await admin('POST', `/flows/${id}/publish`)).body.flow.refusals, { publish: /DRAFT/, delete: /DRAFT/, upload: /DRAFT/ });
  t.match(await admin('PATCH', `/flows/${id}`, { name: 'x' }), { status: 409 });
});

t.test('of two saves that replace the same definition, the second is refused', async (t) => {
  const { admin } = await startFlows(t);
  const created = { account: 'ours', name: 'Shared', definition: text(survey) };
  const { id } = (await admin('POST', '/flows', created)).body.flow;
  const { sha256 } = (await admin('GET', `/flows/${id}`)).body;
  const save = (definition: string, replaces?: string) => admin('PUT', `/flows/${id}/definition`, { definition, replaces });
  const [first, second] = await Promise.all([save('{ "a": 1 }', sha256), save('{ "b": 1 }', sha256)]);
  t.strictSame([first.status, second.status].sort(), [200, 409]);
  const refused = first.status === 409 ? first : second;
  t.match(refused.body, { errors: [{ title: 'Conflict', details: /Read it again/ }] });
  const stored = (await admin('GET', `/flows/${id}`)).body;
  t.equal(stored.definition, first.status === 200 ? '{ "a": 1 }' : '{ "b": 1 }');
  t.equal((await save(created.definition, stored.sha256)).status, 200);
  t.equal((await save('{ "c": 1 }')).status, 200, 'without a condition it replaces any definition');
  t.equal((await save('{}', 'not a hash')).status, 400);
});
