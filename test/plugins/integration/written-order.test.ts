import t from 'tap';
import { SHOP, startIntegration } from './integration-under-test.js';

const plain = (text: string) => [{ type: 'text', text }];

t.test('tables, menus and actions keep the order of the JSON text, including integer keys', async (t) => {
  const { open, http } = await startIntegration(t);
  const table = '{"2024":"new","b":"x","2023":"old","1":"y"}';
  const action = (options: string) => `{"url":"x","options":${options}}`;
  const actions = `{"20":${action('{"10":"ten","9":"nine","9":"again"}')},"3":${action('{}')},"a":${action('{"z":"Z","y":"Y"}')}}`;
  http.answer(`POST ${SHOP}`, { body: `{"context_objects":{"loans":${table}},"actions":${actions}}` });
  const [panel] = (await open('?refresh=true')).panels;
  const keys = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);
  t.strictSame(keys(panel.context_objects[0].rows), ['2024', 'b', '2023', '1']);
  t.strictSame(
    panel.actions.map(({ action }: { action: string }) => action),
    ['20', '3', 'a'],
  );
  t.strictSame(panel.actions[0].options, [
    { option: '10', label: 'ten' },
    { option: '9', label: 'again' },
  ]);
  t.strictSame(
    panel.actions[2].options.map(({ option }: { option: string }) => option),
    ['z', 'y'],
  );
});

t.test('a duplicate key has its last value at its first position', async (t) => {
  const { open, http } = await startIntegration(t);
  const twice = '{"context_objects":{"loans":{"1":"old"}},"context_objects":{"loans":{"5":"five","3":"three","4":"four","3":"new"}}}';
  http.answer(`POST ${SHOP}`, { body: twice });
  const [panel] = (await open('?refresh=true')).panels;
  t.strictSame(panel.context_objects[0].rows, [
    { key: '5', value: plain('five') },
    { key: '3', value: plain('new') },
    { key: '4', value: plain('four') },
  ]);
});

t.test('the depth limit counts values of duplicate keys too', async (t) => {
  const { open, http } = await startIntegration(t);
  const objects = (depth: number) => `{"context_objects":${'['.repeat(depth)}${']'.repeat(depth)},"context_objects":{"loans":{"5":"[{"}}}`;
  for (const [depth, state] of [
    [31, 'loaded'],
    [32, 'failed'],
    [8000, 'failed'],
  ] as const) {
    http.answer(`POST ${SHOP}`, { body: objects(depth) });
    t.match((await open('?refresh=true')).panels, [state === 'loaded' ? { state } : { trouble: { kind: 'too_deep' } }], `${depth} levels`);
  }
});
