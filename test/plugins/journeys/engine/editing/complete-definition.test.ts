import t from 'tap';
import { definitionCompletionsAt } from '../../../../../plugins/journeys/engine/editing/complete-definition.js';
import { containerOf } from '../journey-under-test.js';

/** A definition with `‸` where the cursor is; the rest of the text is left out when `isCut`. */
function completed(text: string, isCut = false) {
  const offset = text.indexOf('‸');
  const before = text.slice(0, offset);
  const json = isCut ? before : before + text.slice(offset + 1);
  const { from, to, options } = definitionCompletionsAt(json, offset, { contactFields: ['member_since', 'name'] });
  const [first] = options;
  const result = first && json.slice(0, from) + (first.insert ?? first.label) + json.slice(to);
  return { labels: options.map(({ label }) => label), options, replaced: json.slice(from, to), result };
}

const definition = (change: object = {}, more: object = {}) =>
  JSON.stringify(
    {
      ...containerOf({
        texts: { say: 'Hello @contact.na‸me', hours: 'From 9 to 5' },
        blocks: [
          { name: 'menu', type: 'MobilePrimitives.SelectOneResponse', config: { prompt: 'say', choices: [] } },
          { name: 'people', type: 'MobilePrimitives.NumericResponse', config: { prompt: 'hours' } },
          { name: 'sum', type: 'Svc.SetVariable', config: { assignments: [{ name: 'total', value: '1' }] } },
          { name: 'last', type: 'Core.Log', config: { message: 'x', ...change } },
        ],
      }),
      ...more,
    },
    null,
    2,
  );
/** Without the cursor in a resource. */
const plain = (text: string): string => text.replace('na‸me', 'name');
const logging = (message: string): string => plain(definition({ message: `${message}‸` }));

t.test('texts offer functions, variables of the flow, names of the context and contact fields', async (t) => {
  t.match(completed(definition()), { labels: ['name'], replaced: 'na', options: [{ kind: 'field', detail: 'field of the contact' }] });
  t.match(completed(logging('@tot')).options, [{ label: 'total', kind: 'variable', detail: 'set in block sum' }]);
  t.match(completed(logging('@peo')).options, [{ label: 'people', kind: 'variable', detail: 'value of the block' }]);
  t.match(completed(logging('Hi @(upp')).options, [{ label: 'upper', kind: 'function', insert: 'upper(' }]);
  t.strictSame(completed(logging('@@@peo')).labels, ['people']);
  t.strictSame(completed(logging('@(if(count(contact.items) > 1, upper(cont')).labels, ['contact']);
  t.ok(completed(logging('@')).labels.length > 100);
  t.strictSame(completed(logging('@contact.')).labels, ['member_since', 'name']);
  for (const text of ['peo', 'a@@peo', '@(upper(people)) peo', '@@(peo', 'a@@b.c', '@@'])
    t.strictSame(completed(logging(text)).labels, [], text);
});

t.test('expressions offer the same, but not in their literals, and the values of the block', async (t) => {
  const testing = (test: string): string => plain(definition()).replace('"default": true', `"test": ${JSON.stringify(`${test}‸`)}`);
  t.strictSame(completed(testing('peo')).labels, ['people']);
  t.strictSame(completed(testing('block.value = "peo')).labels, []);
  t.strictSame(completed(testing('block.value = "a" and peo')).labels, ['people']);
  t.strictSame(completed(testing('block.va')).labels, ['value']);
  const assigned = plain(definition()).replace('"value": "1"', '"value": "peo‸"');
  t.strictSame(completed(assigned).labels, ['people'], 'a setting that the block reads as an expression');
  const configured = plain(definition({ message: '@config.items.‸' }, { vendor_metadata: { svc: { config: { items: { opens: '9' } } } } }));
  t.match(completed(configured).options, [{ label: 'opens', kind: 'parameter' }]);
});

t.test('a block, flow, resource or language is offered under its name, and its id is inserted', async (t) => {
  const text = plain(definition())
    .replace('"uuid": "people"', '"uuid": "0f9ad0a5"')
    .replace('"destination_block": "people"', '"destination_block": "peo‸"');
  t.match(completed(text), { labels: ['people'], options: [{ kind: 'card', detail: 'MobilePrimitives.NumericResponse' }] });
  t.match(completed(text).result, /"destination_block": "0f9ad0a5",\n/);
  t.match(completed(text.replace('peo‸', '0f9‸')).options, [{ label: '0f9ad0a5', detail: 'people' }]);
  t.strictSame(completed(text.replace('"peo‸"', '‸')).labels, ['last', 'menu', 'people', 'sum']);
  t.strictSame(completed(text.replace('"peo‸"', '‸')).result?.includes('"destination_block": "last"'), true);
  const prompt = plain(definition()).replace('"prompt": "say"', '"prompt": "‸"');
  t.match(completed(prompt).options, [
    { label: 'From 9 to 5', insert: 'hours"', kind: 'text', detail: 'resource hours' },
    { label: 'Hello @contact.name', insert: 'say"' },
  ]);
  t.strictSame(completed(plain(definition()).replace('"language_id": "eng"', '"language_id": "‸"')).labels, ['eng', 'fra']);
  t.match(completed(plain(definition()).replace('"first_block_id": "menu"', '"first_block_id": "‸"')).labels.length, 4);
  const running = plain(definition()).replace('"type": "Core.Log"', '"type": "Core.RunFlow"').replace('"message": "x"', '"flow_id": "‸"');
  t.match(completed(running).options, [{ label: 'main', detail: 'flow' }]);
  const setting = plain(definition()).replace('"message": "x"', '"set_contact_property": [{ "property_key": "mem‸" }]');
  t.strictSame(completed(setting).labels, ['member_since']);
});

t.test('types of blocks, keys of the format and settings of the type', async (t) => {
  const typed = plain(definition()).replace('"type": "Core.Log"', '"type": "Svc.T‸"');
  t.match(completed(typed).options, [{ label: 'Svc.Template', kind: 'item', detail: /template, buttons/ }]);
  t.strictSame(completed(typed.replace('Svc.T‸', 'Temp‸')).labels, [], 'a type begins with its vendor');
  t.strictSame(completed(plain(definition()).replace('"message": "x"', '"message": "x", "‸"')).labels, [
    ...['on_invalid', 'set_contact_property', 'timeout'],
  ]);
  t.match(completed(plain(definition()).replace('"choices": []', '"choices": [{ "de‸" }]')).result, /\[\{ "description": {2}\}/);
  t.match(completed(plain(definition()).replace('"first_block_id"', '"fir‸"')), {
    labels: ['first_block_id'],
    replaced: 'fir"',
    options: [{ kind: 'option', detail: 'flow, required', insert: 'first_block_id"' }],
  });
  t.strictSame(completed('{ ‸ }').labels, ['flows', 'name', 'resources', 'specification_version', 'uuid', 'vendor_metadata']);
  t.strictSame(completed('{ "uuid": "a", ‸ }').labels, ['flows', 'name', 'resources', 'specification_version', 'vendor_metadata']);
});

t.test('a text that is cut off anywhere is completed as well', async (t) => {
  t.strictSame(completed(logging('@tot'), true).labels, ['total']);
  t.match(completed(plain(definition()).replace('"choices": []', '"cho‸'), true).result, /"choices": $/);
  t.match(completed(plain(definition()).replace('"destination_block": "sum"', '"destination_block": "m‸'), true).result, /"menu"$/);
  const open = completed('{ "flows": [{ "blocks": [{ "type": "Core.L‸, "config": {} }] }] }');
  t.equal(open.result, '{ "flows": [{ "blocks": [{ "type": "Core.Log", "config": {} }] }] }', 'a quote is missing');
  const text = plain(definition());
  for (let at = 0; at <= text.length; at += 37) {
    const { from, to } = definitionCompletionsAt(text.slice(0, at), at);
    t.ok(from <= to && to <= at, `cut off at ${at}`);
  }
});

t.test('nothing is offered behind a value, in other texts, and in a text that is nested too deeply', async (t) => {
  for (const text of ['‸', '{ "name": "a"‸ }', '{ "name": "a‸" }', '{ "name" ‸ }', `${'['.repeat(100_000)}‸`, '"\\‸', '{"__proto__": {"‸'])
    t.strictSame(completed(text).labels, [], text.slice(0, 30));
  const hostile =
    '{"flows": [null, 7, {"blocks": [null, {"config": 5, "exits": 4}, {"type": "Svc.SetVariable", "config": {"assignments": {}}}, ';
  t.strictSame(completed(`${hostile}{ "type": "__proto__", "config": { "a‸" } }] }] }`).labels, []);
  t.strictSame(completed(`${hostile}{ "type": "Svc.Skill", "config": { "arguments": { "a": "upp‸" } } }] }] }`).labels, ['upper']);
  t.strictSame(definitionCompletionsAt('{}', 900), { from: 2, to: 2, options: [] });
});
