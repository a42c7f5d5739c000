import type Joi from 'joi';
import {
  blockSchema,
  type Container,
  containerSchema,
  exitSchema,
  flowSchema,
  languageSchema,
  resourceSchema,
  valueSchema,
} from '../floip.js';
import type { Problems } from '../problems.js';

/** Keys of the format for people and other tools. The engine stores them but does not read them. */
const METADATA_KEYS = ['vendor_metadata', 'platform_metadata', 'ui_metadata', 'description', 'label', 'semantic_label', 'tags'];

type Keys = Readonly<Record<string, { readonly flags?: { readonly presence?: string } }>>;

const described = (schema: Joi.Schema): Keys => (schema.describe() as { readonly keys?: Keys }).keys ?? {};

/** The keys of each part of the format that the engine reads, and whether they are required. */
export const keysOfFormat = {
  container: described(containerSchema),
  flow: described(flowSchema),
  language: described(languageSchema),
  block: described(blockSchema),
  exit: described(exitSchema),
  resource: described(resourceSchema),
  value: described(valueSchema),
} as const;

export type Noun = keyof typeof keysOfFormat;

const keysOf = (noun: Noun, ...more: readonly string[]): ReadonlySet<string> =>
  new Set([...Object.keys(keysOfFormat[noun]), ...METADATA_KEYS, ...more]);

const known: Readonly<Record<Noun, ReadonlySet<string>>> = {
  container: keysOf('container'),
  flow: keysOf('flow'),
  language: keysOf('language', 'variant'),
  block: keysOf('block'),
  // Deprecated since release candidate 2 and without effect.
  exit: keysOf('exit', 'config'),
  resource: keysOf('resource'),
  value: keysOf('value'),
};

/** Warns about keys that are not part of the format: a misspelt key has no effect, and the intended one is missing. */
export function checkKeys(container: Container, problems: Problems): void {
  const check = (noun: Noun, thing: unknown, path: string, block?: string): void => {
    if (typeof thing !== 'object' || thing === null) return;
    for (const key of Object.keys(thing)) {
      if (known[noun].has(key)) continue;
      const at = path === '' ? key : `${path}.${key}`;
      problems.add('warning', 'ignored_key', at, `the key '${key.slice(0, 60)}' is not part of the ${noun} format and is ignored`, block);
    }
  };
  const checkResources = (resources: Container['resources'], path: string): void => {
    for (const [i, resource] of resources?.entries() ?? []) {
      check('resource', resource, `${path}[${i}]`);
      for (const [k, value] of resource.values.entries()) check('value', value, `${path}[${i}].values[${k}]`);
    }
  };
  check('container', container, '');
  checkResources(container.resources, 'resources');
  for (const [i, flow] of container.flows.entries()) {
    const path = `flows[${i}]`;
    check('flow', flow, path);
    for (const [k, language] of flow.languages.entries()) check('language', language, `${path}.languages[${k}]`);
    checkResources(flow.resources, `${path}.resources`);
    for (const [k, block] of flow.blocks.entries()) {
      check('block', block, `${path}.blocks[${k}]`, block.name);
      for (const [n, exit] of block.exits.entries()) check('exit', exit, `${path}.blocks[${k}].exits[${n}]`, block.name);
    }
  }
}
