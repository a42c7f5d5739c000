import type { Json, JsonObject } from '#core/basics';
import { type Block, type Definition, type Exit, type Flow, isObject } from '../../compile.js';
import { contactProperties } from '../../contact-properties.js';
import { sameMeaning } from './literals.js';

/** A part of a journey that its notebook omits or changes. */
export interface Unsaid {
  /** JSON pointer into the container. */
  readonly path: string;
  /** Name of the block. */
  readonly block?: string;
  readonly message: string;
}

/** The recompiled block for each block uuid. */
export type Counterparts = ReadonlyMap<string, Block>;

/** One side of the comparison. */
export interface Side {
  readonly flow: Flow;
  readonly language: string;
}

/** Paths within a block that differ from its recompiled counterpart. */
export function differences(block: Block, other: Block, sides: readonly [Side, Side], counterparts: Counterparts): string[] {
  const [own, made] = sides;
  const found: string[] = [];
  if (block.type !== other.type) found.push('type');
  if (block.name !== other.name) found.push('name');
  const [config, written] = [settings(block, own), settings(other, made)];
  for (const key of new Set([...Object.keys(config), ...Object.keys(written)])) {
    const [one, two] = key === 'choices' ? choices(config[key], written[key]) : [config[key], written[key]];
    const isSame = key === 'destination_block' ? leadsTo(one, two, counterparts) : same(one, two);
    if (!isSame) found.push(`config/${key}`);
  }
  if (block.exits.length !== other.exits.length - (hasAddedDefault(block, other) ? 1 : 0)) return [...found, 'exits'];
  const twins = twinsOf(block, other);
  for (const [i, exit] of block.exits.entries()) {
    const twin = twins[i]!;
    const isNamed = block.type === 'Core.Case' && (block.exits.length > 1 || !sameMeaning(exit.name, twin.name));
    if (isNamed && exit.name !== twin.name) found.push(`exits/${i}/name`);
    if ((exit.test ?? null) !== null && !sameMeaning(exit.test!, twin.test ?? '')) found.push(`exits/${i}/test`);
    if (exit.isDefault !== twin.isDefault || exit.semanticLabel !== twin.semanticLabel) found.push(`exits/${i}`);
    else if (!leadsTo(exit.to, twin.to, counterparts)) found.push(`exits/${i}/destination_block`);
  }
  return found;
}

/** Whether the compiler has added a default exit to routes of which exports have none: it ends the journey, like a route that is missing. */
function hasAddedDefault(block: Block, other: Block): boolean {
  const last = other.exits.at(-1);
  return block.type === 'Core.Case' && !block.exits.some(({ isDefault }) => isDefault) && last?.isDefault === true && last.to === null;
}

/** Ignores the test that the compiler adds to every choice when the original has none. */
function choices(one: Json | undefined, other: Json | undefined): [Json | undefined, Json | undefined] {
  if (!Array.isArray(one) || !Array.isArray(other)) return [one, other];
  const made = (other as readonly Json[]).map((choice, i) => {
    const own = (one as readonly Json[])[i];
    if (!isObject(choice) || !isObject(own) || own.test) return choice;
    const { test: _, ...rest } = choice;
    return rest;
  });
  return [one, made];
}

/** Pairs exits. Those of a choice are paired by test: at most one is true, so their order has no meaning. */
function twinsOf(block: Block, { exits }: Block): readonly Exit[] {
  if (block.type !== 'MobilePrimitives.SelectOneResponse') return exits;
  return block.exits.map(({ test }, i) => exits.find((twin) => test !== undefined && sameMeaning(test, twin.test ?? '')) ?? exits[i]!);
}

/** Whether two destinations correspond. An omitted block has no counterpart and is reported on its own. */
function leadsTo(to: Json | undefined, other: Json | undefined, counterparts: Counterparts): boolean {
  if (typeof to !== 'string' || to === '') return (other ?? null) === null;
  const twin = counterparts.get(to);
  return twin === undefined || twin.uuid === other;
}

/** MIME types that the compiler writes by default. */
const USUAL: ReadonlySet<string> = new Set(['', 'text/plain', 'application/octet-stream']);

/** The config of a block with resources inlined. */
function settings({ config }: Block, { flow, language }: Side): JsonObject {
  const words = (value: Json): Json => {
    if (typeof value === 'string') {
      const values = flow.resources.get(value)?.values;
      const own = values?.filter(({ language_id }) => language_id === language) ?? [];
      return values
        ? own.map(({ content_type, mime_type, value: text }) => [content_type, USUAL.has(mime_type ?? '') ? null : mime_type!, text])
        : value;
    }
    if (Array.isArray(value)) return (value as readonly Json[]).map(words);
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === 'name' ? item : words(item)]))
      : value;
  };
  const properties = contactProperties(config);
  const { set_contact_property: _, ...more } = config;
  return { ...(words(more) as JsonObject), ...(properties.length > 0 && { set_contact_property: properties }) };
}

/** Deep equality. Null, empty and absent are the same; expressions are equal when they mean the same. */
function same(one: Json | undefined, other: Json | undefined): boolean {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  if (typeof one === 'string' && typeof other === 'string') return sameMeaning(one, other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, i) => same(item as Json, other[i] as Json));
  if (!isObject(one) || !isObject(other)) return one === other;
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) => same(one[key], other[key]));
}

const isNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Parts outside the blocks of the first flow. */
export function besidesBlocks({ flows, entry }: Definition, language: string): Unsaid[] {
  const flow = entry;
  const found: Unsaid[] = [];
  for (const [i, { uuid, name }] of [...flows.values()].entries())
    if (uuid !== flow.uuid) found.push({ path: `/flows/${i}`, message: `flow '${name}' is omitted: a notebook has one flow` });
  if (flow.exit !== null)
    found.push({ path: '/flows/0/exit_block_id', message: 'the exit block is omitted: a notebook cannot express it' });
  for (const { id } of flow.languages)
    if (id !== language)
      found.push({ path: '/flows/0/languages', message: `texts in language '${id}' are omitted: a notebook has one language` });
  return found;
}
