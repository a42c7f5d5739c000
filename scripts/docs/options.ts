import type Joi from 'joi';
import { membersOf } from './members.js';
import { code, table } from './table.js';

/** The parts of joi's description of a schema that the table shows. */
interface Described {
  readonly type: string;
  readonly flags?: { readonly default?: unknown; readonly only?: boolean; readonly presence?: string };
  readonly allow?: readonly unknown[];
  readonly items?: readonly Described[];
  readonly keys?: Readonly<Record<string, Described>>;
  readonly matches?: readonly { readonly schema: Described }[];
  readonly rules?: readonly { readonly name: string; readonly args?: { readonly limit?: unknown } }[];
}

/** The table of options: values and defaults from the schema, descriptions from the doc comments of the interface. */
export function optionTable(schema: Joi.Schema, file: string, name: string): string {
  const { keys = {} } = schema.describe() as Described;
  const descriptions = new Map(membersOf(file, name).map((member) => [member.name, member.text]));
  const rows = Object.entries(keys).map(([option, described]) => {
    const text = descriptions.get(option);
    if (!text) throw new Error(`${file}: ${name} does not document ${option}`);
    return [code(option), takes(described), defaultOf(described), text];
  });
  const unchecked = [...descriptions.keys()].filter((option) => !(option in keys));
  if (unchecked.length > 0) throw new Error(`${file}: ${name} has ${unchecked.join(', ')}, which the schema lacks`);
  return table(['Option', 'Value', 'Default', 'Description'], rows);
}

function takes({ type, flags, allow = [], items = [], keys, matches = [], rules = [] }: Described): string {
  if (flags?.only) return allow.map((value) => code(JSON.stringify(value))).join(' or ');
  if (type === 'alternatives') return matches.map(({ schema }) => takes(schema)).join(' or ');
  if (type === 'array') return items.length > 0 ? `a list of: ${items.map(takes).join(' or ')}` : 'a list';
  if (type === 'object' && keys) return `\`{ ${Object.keys(keys).join(', ')} }\``;
  if (type === 'number') return rules.some(({ name }) => name === 'integer') ? 'integer' : 'number';
  if (type === 'any') return 'object';
  return { boolean: '`true` or `false`', string: 'string' }[type] ?? type;
}

function defaultOf({ flags }: Described): string {
  if (flags?.presence === 'required') return 'required';
  const value = flags?.default;
  return value === undefined || (typeof value === 'object' && JSON.stringify(value).length <= 2) || isDeep(value)
    ? ''
    : code(JSON.stringify(value));
}

/** Whether the default of an object consists of the defaults of its keys, which joi describes as an object with `special`. */
const isDeep = (value: unknown): boolean => typeof value === 'object' && value !== null && 'special' in value;
