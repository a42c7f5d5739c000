import { checkBlock } from './check-block.js';
import { compile, type Definition, type Flow } from './compile.js';
import { EXPRESSION_LIMITS } from './expression/budget.js';
import { templateFaults, templateRoots } from './expression/check.js';
import {
  blockSchema,
  type Container,
  type ContainerFlow,
  type ContainerResource,
  containerSchema,
  flowSchema,
  resourceSchema,
  SPECIFICATION_VERSION,
} from './floip.js';
import { type CheckedChannel, checkChannel, unknownChannel } from './lint/channel.js';
import { checkGraph } from './lint/graph.js';
import { checkKeys } from './lint/keys.js';
import { namesIn, unknownNames } from './lint/names.js';
import { type AssetLookup, checkReferences } from './lint/references.js';
import { checkTemplate } from './lint/templates.js';
import { type ContainerProblem, Problems } from './problems.js';

export type { ContainerProblem } from './problems.js';

/** Limits of a container, so that a hostile one costs no more to check than a large one. */
const LIMITS = { values: 500_000, depth: 40, flows: 100, blocks: 2000, resources: 20_000 } as const;

/**
 * Checks a flow interoperability container (the definition of a journey as JSON). Without errors it can be compiled and run.
 * Not to be confused with `core/kernel/plugins/container.ts`, the dependency injection of the platform.
 */
export function checkContainer(value: unknown): readonly ContainerProblem[] {
  const problems = new Problems();
  if (isContainer(value, problems)) checkFlows(value, compile(value), problems, false);
  return problems.list;
}

/**
 * Like `checkContainer`, plus checks for mistakes that do not keep the journey from running: the graph of blocks, names, references,
 * unknown keys, limits of the channel.
 * @param hasAsset tells whether the journey's number has an asset, such as a content card
 */
export function checkJourney(value: unknown, hasAsset: AssetLookup, channel = unknownChannel): readonly ContainerProblem[] {
  const problems = new Problems();
  if (isContainer(value, problems)) {
    const definition = compile(value);
    checkFlows(value, definition, problems, true);
    checkFlowGraphs(value, definition, hasAsset, channel, problems);
    checkKeys(value, problems);
  }
  return problems.list;
}

function isContainer(value: unknown, problems: Problems): value is Container {
  const excess = excessOf(value);
  if (excess) problems.add('error', 'too_large', '', excess);
  return !excess && isValidShape(value, problems);
}

function checkFlowGraphs(
  container: Container,
  definition: Definition,
  hasAsset: AssetLookup,
  channel: CheckedChannel,
  problems: Problems,
): void {
  for (const [i, source] of container.flows.entries()) {
    const flow = definition.flows.get(source.uuid);
    if (!flow) continue;
    const places = new Map(source.blocks.map(({ uuid }, k) => [uuid, `flows[${i}].blocks[${k}]`]));
    const pathOf = (uuid: string): string => places.get(uuid) ?? `flows[${i}]`;
    checkGraph(flow, pathOf, problems);
    for (const block of flow.blocks.values()) {
      checkReferences(block, flow, definition, pathOf(block.uuid), hasAsset, problems);
      checkTemplate(block, flow, pathOf(block.uuid), hasAsset, channel, problems);
      checkChannel(block, flow, pathOf(block.uuid), channel, problems);
    }
  }
}

function isValidShape(value: unknown, problems: Problems): value is Container {
  if (!problems.shape(containerSchema, value, '')) return false;
  const container = value as Container;
  if (!SPECIFICATION_VERSION.test(container.specification_version)) {
    problems.add(
      'error',
      'unknown_version',
      'specification_version',
      `version ${container.specification_version.slice(0, 40)} is not supported; 1.0.0-rc1 to 1.0.0-rc4 are`,
    );
  }
  if (container.flows.length === 0) problems.add('error', 'invalid_shape', 'flows', 'the container has no flow');
  eachShape(problems, container.resources, 'resources', LIMITS.resources, resourceSchema);
  eachShape(problems, container.flows, 'flows', LIMITS.flows, flowSchema, (flow, path) => {
    eachShape(problems, flow.blocks, `${path}.blocks`, LIMITS.blocks, blockSchema);
    eachShape(problems, flow.resources, `${path}.resources`, LIMITS.resources, resourceSchema);
  });
  return !problems.hasErrors;
}

function eachShape<T>(
  problems: Problems,
  items: readonly T[] | null | undefined,
  path: string,
  max: number,
  schema: Parameters<Problems['shape']>[0],
  inside?: (item: T, path: string) => void,
): void {
  if (items && items.length > max) {
    problems.add('error', 'too_large', path, `this list has ${items.length} items; the maximum is ${max}`);
    return;
  }
  for (const [i, item] of items?.entries() ?? []) {
    if (problems.isFull) return;
    if (problems.shape(schema, item, `${path}[${i}]`)) inside?.(item, `${path}[${i}]`);
  }
}

function checkFlows(container: Container, definition: Definition, problems: Problems, isThorough: boolean): void {
  unique(container.flows, 'flows', problems);
  checkTemplates(container.resources, 'resources', problems, isThorough ? namesIn(definition.flows.values()) : undefined);
  for (const [i, source] of container.flows.entries()) {
    const flow = definition.flows.get(source.uuid);
    if (flow) checkFlow(source, flow, `flows[${i}]`, problems, isThorough ? namesIn([flow]) : undefined);
  }
}

function checkFlow(source: ContainerFlow, flow: Flow, path: string, problems: Problems, names: ReadonlySet<string> | undefined): void {
  unique(source.blocks, `${path}.blocks`, problems);
  unique(source.resources ?? [], `${path}.resources`, problems);
  checkTemplates(source.resources, `${path}.resources`, problems, names);
  if (!flow.blocks.has(flow.first))
    problems.add(
      'error',
      'unknown_block',
      `${path}.first_block_id`,
      `the first block is ${flow.first.slice(0, 60)}, which is not in this flow`,
    );
  if (flow.exit !== null && !flow.blocks.has(flow.exit))
    problems.add(
      'error',
      'unknown_block',
      `${path}.exit_block_id`,
      `the exit block is ${flow.exit.slice(0, 60)}, which is not in this flow`,
    );
  for (const [i, { uuid }] of source.blocks.entries()) {
    const block = flow.blocks.get(uuid);
    if (block && !problems.isFull) checkBlock(block, flow, `${path}.blocks[${i}]`, problems, names);
  }
}

function unique(items: readonly { readonly uuid: string }[], path: string, problems: Problems): void {
  const seen = new Set<string>();
  for (const [i, { uuid }] of items.entries()) {
    if (seen.has(uuid)) problems.add('error', 'duplicate_uuid', `${path}[${i}].uuid`, `the uuid ${uuid.slice(0, 60)} is used twice`);
    seen.add(uuid);
  }
}

function checkTemplates(
  resources: readonly ContainerResource[] | null | undefined,
  path: string,
  problems: Problems,
  names: ReadonlySet<string> | undefined,
): void {
  for (const [i, { values }] of resources?.entries() ?? []) {
    for (const [k, { value }] of values.entries()) {
      if (!value.includes('@') && value.length <= EXPRESSION_LIMITS.source) continue;
      const at = `${path}[${i}].values[${k}].value`;
      for (const { severity, code, message } of templateFaults(value)) problems.add(severity, code, at, message);
      for (const root of names ? unknownNames(templateRoots(value), names) : []) {
        problems.add('warning', 'unknown_name', at, `'${root}' is not a block or variable of this flow, nor a name of the context`);
      }
    }
  }
}

/** Which limit a value exceeds, if any. Not recursive: a deeply nested value would overflow the stack. */
function excessOf(value: unknown): string | undefined {
  let level: unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.depth) return `the container is nested more than ${LIMITS.depth} levels deep`;
    count += level.length;
    if (count > LIMITS.values) return `the container has more than ${LIMITS.values} values`;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return undefined;
}
