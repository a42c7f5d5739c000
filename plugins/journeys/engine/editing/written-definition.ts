import type { Json, JsonObject } from '#core/basics';
import type { Report } from '../blocks/block-type.js';
import { blockTypes } from '../blocks/index.js';
import { type Block, type Flow, isObject, listAt, objectAt, textAt } from '../compile.js';
import { contactProperties } from '../contact-properties.js';

/** The way in which the engine reads a text of a block. */
export type Role = 'resource' | 'expression' | 'template';

/** A definition that is being written. Anything in it can be missing or have another type. */
export interface WrittenDefinition {
  readonly flows: readonly JsonObject[];
  /** The parameters of the journey. */
  readonly config: JsonObject;
  flow(path: readonly (string | number)[]): JsonObject | undefined;
  block(path: readonly (string | number)[]): JsonObject | undefined;
  /** Of a flow, with those that all flows share. */
  resources(flow: JsonObject | undefined): readonly JsonObject[];
}

const objectsAt = (from: JsonObject, key: string): readonly JsonObject[] =>
  // Items of another type keep their places, so that indexes in paths fit.
  listAt(from, key).map((item) => (isObject(item) ? item : {}));

export function writtenDefinition(value: Json | undefined): WrittenDefinition {
  const container = isObject(value) ? value : {};
  const flows = objectsAt(container, 'flows');
  const flow = ([first, i]: readonly (string | number)[]): JsonObject | undefined => (first === 'flows' ? flows[Number(i)] : undefined);
  return {
    flows,
    config: objectAt(container.vendor_metadata, 'svc', 'config'),
    flow,
    block(path) {
      const within = path[2] === 'blocks' ? flow(path) : undefined;
      return within && objectsAt(within, 'blocks')[Number(path[3])];
    },
    resources: (within) => [...(within ? objectsAt(within, 'resources') : []), ...objectsAt(container, 'resources')],
  };
}

export const blocksOf = (flow: JsonObject): readonly JsonObject[] => objectsAt(flow, 'blocks');

/** The author's name for the part of the journey that a block belongs to. */
export const cardOf = (block: JsonObject): string => textAt(objectAt(block.vendor_metadata, 'svc'), 'card') || textAt(block, 'label');

const NAME = /^[A-Za-z_]\w*$/;

/** The names that expressions of these flows can use, each with the block that sets it. */
export function variablesOf(flows: readonly JsonObject[]): Map<string, string> {
  const found = new Map<string, string>();
  const add = (name: Json | undefined, detail: string): void => {
    if (typeof name === 'string' && NAME.test(name) && !found.has(name)) found.set(name, detail);
  };
  for (const block of flows.flatMap(blocksOf)) {
    const card = cardOf(block);
    const name = textAt(block, 'name');
    const set = card === '' ? `set in block ${name}` : `set in card ${card}`;
    add(name, card === '' ? 'value of the block' : set);
    const config = objectAt(block.config);
    for (const variable of listAt(config, 'destination_variables')) add(variable, set);
    for (const assignment of objectsAt(config, 'assignments')) add(assignment.name, set);
  }
  return found;
}

/** Contact fields that the blocks write. */
export const fieldsWritten = (flows: readonly JsonObject[]): string[] =>
  flows
    .flatMap(blocksOf)
    .flatMap(({ config }) => contactProperties(objectAt(config)))
    .flatMap((property) => (isObject(property) ? textAt(property, 'property_key') || [] : []));

/** Does not occur in a text, and is a name, so that every check of a block reads it. */
const MARK = 'posthorn__completed__text';

/** Returns how a block reads the text at a path; undefined if it reads it as another value. Asks the checks of the block itself. */
export function roleOf(block: JsonObject, path: readonly (string | number)[]): Role | undefined {
  const type = blockTypes.get(textAt(block, 'type'));
  const marked = replaced(block, path, MARK);
  const found = new Set<Role>();
  const note = (role: Role) => (_: string, text: Json | undefined) => {
    if (typeof text === 'string' && text.includes(MARK)) found.add(role);
  };
  const ignore = (): void => {};
  const report: Report = {
    flow: NO_FLOW,
    error: ignore,
    warning: ignore,
    resource: note('resource'),
    label: note('resource'),
    expression: note('expression'),
    template: note('template'),
  };
  type?.check?.(asBlock(marked), report);
  return (['resource', 'expression', 'template'] as const).find((role) => found.has(role));
}

const NO_FLOW: Flow = {
  uuid: '',
  name: '',
  first: '',
  exit: null,
  timeout: 0,
  languages: [],
  blocks: new Map(),
  resources: new Map(),
};

const asBlock = (block: JsonObject): Block => ({
  uuid: textAt(block, 'uuid'),
  name: textAt(block, 'name'),
  type: textAt(block, 'type'),
  card: '',
  config: objectAt(block.config),
  exits: [],
  hints: { own: {}, notebook: {} },
  source: block,
});

/** A copy with another value at a path. */
function replaced<T extends Json>(value: T, [key, ...rest]: readonly (string | number)[], by: Json): T {
  if (key === undefined) return by as T;
  if (Array.isArray(value)) {
    const list = [...(value as readonly Json[])];
    list[Number(key)] = replaced(list[Number(key)] ?? null, rest, by);
    return list as unknown as T;
  }
  const object: JsonObject = isObject(value) ? value : {};
  return { ...object, [key]: replaced(object[key] ?? null, rest, by) } as unknown as T;
}
