import { type Json, pointerOf, stepsOf } from '#core/basics';
import type { Report } from '../blocks/block-type.js';
import { blockTypes } from '../blocks/index.js';
import { type Block, compile, type Flow, isObject } from '../compile.js';
import { contactProperties } from '../contact-properties.js';
import type { Container } from '../floip.js';

/** An expression or template of a block, as `step` passes it to `observe`. */
export interface BlockExpression {
  readonly block: string;
  readonly source: string;
  /** JSON pointer into the container. A text of a resource is in the resource. */
  readonly pointer: string;
}

/** Every expression and template of the blocks of a journey, in document order. A template without `@` is plain text and left out. */
export function expressionsOf(container: Container): readonly BlockExpression[] {
  const { flows } = compile(container);
  return container.flows.flatMap((source, i) => {
    const flow = flows.get(source.uuid);
    if (!flow) return [];
    const inResources = resourcePaths(container, i);
    return source.blocks.flatMap(({ uuid }, k) => {
      const block = flow.blocks.get(uuid);
      return block ? ofBlock(block, flow, `flows[${i}].blocks[${k}]`, inResources, container) : [];
    });
  });
}

function ofBlock(
  block: Block,
  flow: Flow,
  path: string,
  inResources: ReadonlyMap<string, string>,
  container: Container,
): readonly BlockExpression[] {
  const found = new Map<string, string>();
  const add = (inside: string, source: Json | undefined): void => {
    if (typeof source === 'string' && !found.has(source)) found.set(source, pointerOf(stepsOf(`${path}.${inside}`, container)));
  };
  const template = (inside: string, source: Json | undefined): void => {
    if (typeof source === 'string' && source.includes('@')) add(inside, source);
  };
  const ignore = (): void => {};
  const report: Report = { flow, error: ignore, warning: ignore, resource: ignore, label: ignore, expression: add, template };
  const type = blockTypes.get(block.type);
  type?.check?.(block, report);
  // Blocks take the exits that they pick without evaluating the test.
  const picked = new Set(type?.picks?.(block.config));
  for (const [i, { test, isDefault, name, uuid }] of block.exits.entries())
    if (!isDefault && !picked.has(name) && !picked.has(uuid)) add(`exits[${i}].test`, test);
  for (const [i, property] of contactProperties(block.config).entries())
    if (isObject(property)) template(`config.set_contact_property[${i}].property_value`, property.property_value);
  // Not every template of a block is reported by its check: those that cannot be invalid are not.
  for (const [inside, text] of textsIn(block.config, 'config')) template(inside, text);
  for (const uuid of type?.resources?.(block.config) ?? []) {
    for (const [k, { value }] of (flow.resources.get(uuid)?.values ?? []).entries()) {
      const resource = inResources.get(uuid);
      if (resource === undefined || !value.includes('@') || found.has(value)) continue;
      found.set(value, pointerOf(stepsOf(`${resource}.values[${k}].value`, container)));
    }
  }
  return [...found].map(([source, pointer]) => ({ block: block.uuid, source, pointer }));
}

/** Every text in a value, with its path. */
function textsIn(value: Json, path: string): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, i) => textsIn(item, `${path}[${i}]`));
  return isObject(value) ? Object.entries(value).flatMap(([key, inside]) => textsIn(inside, `${path}.${key}`)) : [];
}

/** The path of each resource that the blocks of a flow can use. Those of the flow come before those of the container. */
function resourcePaths({ flows, resources }: Container, i: number): ReadonlyMap<string, string> {
  return new Map([
    ...(resources ?? []).map(({ uuid }, k) => [uuid, `resources[${k}]`] as const),
    ...(flows[i]?.resources ?? []).map(({ uuid }, k) => [uuid, `flows[${i}].resources[${k}]`] as const),
  ]);
}
