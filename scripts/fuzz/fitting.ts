import fc from 'fast-check';
import type Joi from 'joi';
import type { Json } from './mutations.js';

/** The parts of joi's description of a schema from which values are generated. */
interface Described {
  readonly type?: string;
  readonly flags?: { readonly only?: boolean; readonly presence?: string; readonly unknown?: boolean };
  readonly allow?: readonly Json[];
  readonly items?: readonly Described[];
  readonly keys?: Readonly<Record<string, Described>>;
  readonly patterns?: readonly { readonly rule?: Described }[];
  readonly matches?: readonly { readonly schema?: Described; readonly then?: Described; readonly otherwise?: Described }[];
  readonly whens?: readonly { readonly then?: Described; readonly otherwise?: Described }[];
  readonly rules?: readonly { readonly name: string; readonly args?: { readonly limit?: unknown; readonly regex?: string } }[];
}

/** On average, one of this many optional fields is null. */
const ONE_NULL_IN = 10;

/** Existing values for a field, by the field's name. */
export type Known = (field: string) => readonly string[];

const DATE_TIMES = ['2026-01-05T08:00:00Z', '2027-03-01', '1767600000'];
const TEXTS = [
  'hi',
  'Ann',
  '+27820001001',
  '0123456789abcdef0123456789abcdef',
  'https://receiver.test/hook',
  'application/json',
  '1767600000',
];

export interface FittingOptions {
  /** Makes some optional fields null, as some clients send absent fields. */
  readonly hasNulls?: boolean;
}

/** Values that match a schema, or nearly: custom checks cannot be described, so those fields get likely values. */
export function fitting(schema: Joi.Schema, known: Known, { hasNulls = false }: FittingOptions = {}): fc.Arbitrary<Json> {
  return of(schema.describe() as Described, '', 0);

  function of(described: Described, field: string, depth: number): fc.Arbitrary<Json> {
    const { type, flags, allow = [], matches = [], whens = [] } = described;
    const listed = allow.filter((value) => typeof value !== 'object' || value === null);
    if (flags?.only && listed.length > 0) return fc.constantFrom(...listed);
    const branches = [...matches, ...whens].flatMap(({ then, otherwise, ...match }) =>
      [('schema' in match ? match.schema : undefined) as Described | undefined, then, otherwise].filter((one) => one !== undefined),
    );
    const made =
      branches.length > 0
        ? fc.oneof(...branches.map((branch) => of({ ...branch }, field, depth + 1)))
        : plain(type, described, field, depth);
    return listed.length > 0 ? fc.oneof({ weight: 5, arbitrary: made }, { weight: 1, arbitrary: fc.constantFrom(...listed) }) : made;
  }

  function plain(type: string | undefined, described: Described, field: string, depth: number): fc.Arbitrary<Json> {
    switch (type) {
      case 'object':
        return objects(described, depth);
      case 'array': {
        const { items = [] } = described;
        const [min, max] = [
          limit(described, 'min') ?? limit(described, 'length') ?? 0,
          limit(described, 'max') ?? limit(described, 'length') ?? 3,
        ];
        if (items.length === 0) return fc.constant([]);
        return fc.array(fc.oneof(...items.map((item) => of(item, field, depth + 1))), {
          minLength: min,
          maxLength: Math.max(min, Math.min(max, 3)),
        });
      }
      case 'number': {
        const [min, max] = [limit(described, 'min') ?? 0, limit(described, 'max') ?? 1_000_000];
        return fc.oneof(fc.constantFrom(min, max), fc.integer({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) }));
      }
      case 'boolean':
        return fc.boolean();
      case 'string':
        return texts(described, field);
      default:
        return fc.oneof(fc.constantFrom<Json>(null, true, 1, 'text', [], {}), texts(described, field));
    }
  }

  function objects({ keys = {}, patterns = [], flags }: Described, depth: number): fc.Arbitrary<Json> {
    const parts = Object.entries(keys).filter(([, part]) => part.flags?.presence !== 'forbidden');
    const needed = parts.filter(([, part]) => part.flags?.presence === 'required').map(([key]) => key);
    const mostlyOf = (key: string, part: Described): fc.Arbitrary<Json> => {
      const value = of(part, key, depth + 1);
      return hasNulls && !needed.includes(key) ? fc.option(value, { freq: ONE_NULL_IN }) : value;
    };
    const model = Object.fromEntries(parts.map(([key, part]) => [key, mostlyOf(key, part)]));
    const own = fc.record(model, { requiredKeys: needed }) as fc.Arbitrary<Readonly<Record<string, Json>>>;
    if (patterns.length === 0 && !flags?.unknown) return own;
    const values = patterns[0]?.rule ? of(patterns[0].rule, '', depth + 1) : fc.constantFrom<Json>('x', 1, null);
    return fc
      .tuple(own, fc.dictionary(fc.constantFrom('a', 'name', 'language', 'x-header'), values, { maxKeys: 2 }))
      .map(([a, b]) => ({ ...b, ...a }));
  }

  function texts(described: Described, field: string): fc.Arbitrary<Json> {
    const [min, max] = [limit(described, 'min') ?? 1, limit(described, 'max') ?? 40];
    const pattern = described.rules?.find(({ name }) => name === 'pattern')?.args?.regex;
    const likely = [...known(field), ...DATE_TIMES, ...TEXTS];
    const fits = pattern === undefined ? likely : likely.filter((text) => regex(pattern).test(text));
    const there = known(field);
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...(there.length > 0 ? there : fits.length > 0 ? fits : likely)) },
      { weight: 2, arbitrary: fc.constantFrom(...likely) },
      { weight: 2, arbitrary: fc.string({ minLength: Math.min(min, 100), maxLength: Math.max(min, Math.min(max, 40)) }) },
    );
  }
}

function limit({ rules = [] }: Described, name: string): number | undefined {
  const found = rules.find((rule) => rule.name === name)?.args?.limit;
  return typeof found === 'number' ? found : undefined;
}

/** Parses a pattern as joi describes it: `/source/flags`. */
function regex(written: string): RegExp {
  const end = written.lastIndexOf('/');
  return new RegExp(written.slice(1, end), written.slice(end + 1));
}
