import { validateFlow } from '../../../../plugins/flows/validate/validate-flow.js';

type Json = Record<string, unknown>;

const field = (type: string, example: unknown, more: Json = {}): Json => ({ type, ...more, __example__: example });
const items = (...names: string[]): Json => ({
  items: {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: name === 'main-content' ? 'object' : 'string' }])),
  },
});

/** A field of every type, and arrays that are valid and invalid as a dynamic list. */
export const data: Json = {
  string: field('string', 'a'),
  number: field('number', 1),
  boolean: field('boolean', true),
  array: field('array', [], { items: { type: 'string' } }),
  object: field('object', {}, { properties: { inner: { type: 'string' } } }),
  options: field('array', [], items('id', 'title')),
  untitled: field('array', [], items('id')),
  rows: field('array', [], items('id', 'main-content')),
};
const payload = Object.fromEntries(Object.entries(data).map(([name, schema]) => [name, (schema as Json).__example__]));

const footer = (action: Json): Json => ({ type: 'Footer', label: 'Go', 'on-click-action': action });
const complete = footer({ name: 'complete', payload: {} });
const to = (name: string, carried: Json = {}): Json => ({ name: 'navigate', next: { type: 'screen', name }, payload: carried });
const screen = (id: string, children: unknown[], more: Json = {}): Json => ({
  id,
  ...more,
  layout: { type: 'SingleColumnLayout', children },
});

/** Valid flows around the component under test, which is the first child of the first screen. */
export const scenes: Readonly<Record<string, (component: Json) => Json>> = {
  usual: (component) => flow(screen('ONE', [component, complete], { terminal: true, data })),
  rich: (component) => flow(screen('ONE', [component, complete], { terminal: true, data })),
  footer: (component) => flow(screen('ONE', [component], { terminal: true, data })),
  form: (component) => flow(screen('ONE', [component, complete], { terminal: true, data })),
  list: (component) => flow(screen('ONE', [component], { data })),
};

/** The screen under test, a screen that leads to it, and a terminal screen. */
function flow(first: Json): Json {
  const link = { type: 'EmbeddedLink', text: 'End', 'on-click-action': to('END') };
  const input = { type: 'TextInput', name: 'field', label: 'Field' };
  return {
    version: '7.3',
    screens: [
      first,
      screen('OTHER', [input, link, footer(to('ONE', payload))], { data: { string: data.string, boolean: data.boolean } }),
      screen('END', [complete], { terminal: true }),
    ],
  };
}

export interface Found {
  readonly errors: string[];
  readonly hints: string[];
}

/** Validates a flow and returns findings as `CODE path`. Throws unless each range is the value or the key at its path. */
export function findings(json: unknown): Found {
  const text = JSON.stringify(json, null, 2);
  const { errors, hints } = validateFlow(text);
  const lines = text.split('\n');
  for (const { pointers, error } of [...errors, ...hints]) {
    for (const { path, line_start, line_end, column_start, column_end } of pointers) {
      const [first = '', ...rest] = lines.slice(line_start - 1, line_end);
      const all =
        rest.length === 0 ? first.slice(0, column_end) : [first, ...rest.slice(0, -1), rest.at(-1)!.slice(0, column_end)].join('\n');
      const range = JSON.stringify(JSON.parse(all.slice(column_start - 1)));
      const { key, value } = at(json, path);
      if (range !== JSON.stringify(value) && range !== JSON.stringify(key)) throw new Error(`${error}: the range of ${path} is ${range}`);
    }
  }
  const named = (list: typeof errors) => list.map(({ error, pointers }) => `${error} ${pointers[0]!.path}`);
  return { errors: named(errors), hints: named(hints) };
}

function at(json: unknown, path: string): { key: unknown; value: unknown } {
  let value = json as Json;
  let key: unknown;
  for (const [, index, quoted, name] of path.matchAll(/\[(\d+)\]|\['((?:\\.|[^'\\])*)'\]|\.?([^.[\]]+)/g)) {
    key = name ?? (index === undefined ? quoted!.replace(/\\(.)/g, '$1') : Number(index));
    value = value[key as string] as Json;
  }
  return { key, value };
}
