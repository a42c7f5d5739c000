import t from 'tap';
import { readCases } from './flow-cases.js';
import { findings, scenes } from './rule-scenes.js';

type Json = Record<string, unknown>;
/** An invalid value, with the error code and the path of the error below the property. */
type Bad = readonly [value: unknown, code: string, below?: string];
interface Values {
  readonly good: readonly unknown[];
  readonly bad: readonly Bad[];
  /** The limits of an array. */
  readonly from?: number;
  readonly to?: number;
}
interface Case {
  readonly minimal: Json;
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, string | Values>>;
  readonly scene?: string;
  /** Properties that other components have and this one does not. */
  readonly unknown?: readonly string[];
}

const { kinds, components } = readCases<{ kinds: Record<string, Values>; components: Record<string, Case> }>('rules/components.json');
const path = 'screens[0].layout.children[0]';

for (const [type, { minimal, required, properties, scene = 'usual', unknown = [] }] of Object.entries(components)) {
  const check = (change: Json): string[] => findings(scenes[scene]!({ type, ...minimal, ...change })).errors;
  const without = (key: string): string[] => {
    const { [key]: _, ...rest } = minimal;
    return findings(scenes[scene]!({ type, ...rest })).errors;
  };

  t.test(`${type} requires its required properties and no others`, async (t) => {
    t.strictSame(check({}), []);
    for (const key of required) t.ok(without(key).includes(`MISSING_REQUIRED_PROPERTY ${path}`), `without ${key}`);
    for (const key of Object.keys(minimal).filter((key) => !required.includes(key) && key !== 'on-click-action'))
      t.strictSame(without(key), [], key);
    for (const key of ['bogus', '__proto__x', ...unknown])
      t.strictSame(check({ [key]: true }), [`INVALID_PROPERTY_KEY ${path}.${key}`], key);
  });

  t.test(`the properties of ${type} accept their valid values and refuse others`, async (t) => {
    const all = { ...properties, ...(unknown.includes('visible') || scene === 'footer' ? {} : { visible: 'flag' }) };
    for (const [key, values] of Object.entries(all)) {
      const { good, bad, from, to } = typeof values === 'string' ? kinds[values]! : values;
      for (const value of good) t.strictSame(check({ [key]: value }), [], `${key}: ${JSON.stringify(value)}`);
      for (const [value, code, below = ''] of bad) {
        t.strictSame(check({ [key]: value }), [`${code} ${path}.${key}${below}`], `${key}: ${JSON.stringify(value)}`);
      }
      if (from === undefined || to === undefined) continue;
      const items = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `i${i}`, title: `T${i}` }));
      t.strictSame(check({ [key]: items(to) }), [], `${key}: ${to} items`);
      t.strictSame(check({ [key]: items(to + 1) }), [`MAX_ITEMS_EXCEEDED ${path}.${key}`], `${key}: ${to + 1} items`);
      t.strictSame(check({ [key]: items(from) }), [], `${key}: ${from} items`);
      t.strictSame(check({ [key]: items(from - 1) }), [`MIN_ITEMS_REQUIRED ${path}.${key}`], `${key}: ${from - 1} items`);
    }
  });
}

t.test('all 24 components are covered', async (t) => {
  t.equal(Object.keys(components).length, 24);
});

t.test('text longer than its documented limit is a hint, not an error', async (t) => {
  for (const [name, max] of Object.entries(readCases<Record<string, number>>('rules/lengths.json'))) {
    const [type, key] = name.split('.') as [string, string];
    const { minimal, scene = 'usual' } = components[type]!;
    const of = (length: number) => findings(scenes[scene]!({ type, ...minimal, [key]: '\u{1F600}'.repeat(length) }));
    t.strictSame(of(max), { errors: [], hints: [] }, `${name} of ${max}`);
    t.strictSame(of(max + 1), { errors: [], hints: [`MAX_CHARS_EXCEEDED ${path}.${key}`] }, `${name} of ${max + 1}`);
  }
});
