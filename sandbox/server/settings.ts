import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { type PlatformOptions, type Plugin, platformOptionsSchema } from '#core';
import { leavesOf, mergedTrees, type OptionTree, valueAt } from '../option-tree.js';

/** An option whose value differs from the default of a sandbox. */
export interface ChangedOption {
  /** Such as `webhooks.inboundOnChannel`. */
  readonly path: string;
  readonly value: unknown;
  /** Null if the option has no default. */
  readonly default: unknown;
}

/** The checked options of a sandbox, each where it takes effect. */
export interface SandboxSettings {
  readonly platform: Partial<PlatformOptions>;
  /** The plugins with their options. */
  readonly plugins: readonly Plugin[];
  /** Applies to each number of the seed that does not set it. */
  readonly numbers: { readonly reactions?: boolean };
  readonly changed: readonly ChangedOption[];
  /** The value of an option in this sandbox, and its default; null for none. */
  optionAt(path: string): { readonly value: unknown; readonly default: unknown };
}

/** The options of a sandbox cannot be used; the message names each wrong option. */
export class InvalidOptions extends Error {
  override readonly name = 'InvalidOptions';
}

/** The options of a platform that make sense in a sandbox; `SandboxOptions` sets or replaces the others. */
const PLATFORM = [
  'dialect',
  'journeys',
  'publicUrl',
  'trustedProxies',
  'rateLimits',
  'deliveries',
  'alerts',
  'safeHeapBytes',
  'messages',
  'conversationsInMemoryHours',
  'coldCacheBytes',
  'mediaKeptDays',
  'mergesKeptDays',
  'privateTargets',
  'outbound',
  'checkResponses',
] as const satisfies readonly (keyof PlatformOptions)[];

/** A sandbox has no rate limits, so that tests are fast, and calls endpoints on its own machine. */
const SANDBOX_DEFAULTS: OptionTree = { rateLimits: false, privateTargets: 'allow' };
const MAX_PROBLEMS = 5;

/** Checks options, and distributes them to the platform and its plugins. @throws InvalidOptions */
export function sandboxSettings(tree: OptionTree, plugins: readonly Plugin[]): SandboxSettings {
  const schemas = schemasOf(plugins);
  const checked = check(Joi.object(schemas), tree);
  const settings = mergedTrees(SANDBOX_DEFAULTS, checked);
  const ofPlugin = ({ manifest }: Plugin): OptionTree => only(settings[manifest.name], keysOf(pluginSchema(manifest.options)));
  const defaults = mergedTrees(defaultsOf(schemas), SANDBOX_DEFAULTS);
  const effective = mergedTrees(defaults, checked);
  return {
    platform: Object.fromEntries(
      PLATFORM.filter((name) => settings[name] !== undefined).map((name) => {
        const keys = keysOf(PLATFORM_SCHEMAS[name]!);
        return [
          name,
          keys.length > 0 && plugins.some(({ manifest }) => manifest.name === name) ? only(settings[name], keys) : settings[name],
        ];
      }),
    ),
    plugins: plugins.map((plugin) => ({ ...plugin, options: { ...plugin.options, ...ofPlugin(plugin) } })),
    numbers: only(settings.numbers, ['reactions']),
    changed: leavesOf(checked)
      .map(([path, value]) => ({ path, value, default: valueAt(defaults, path) ?? null }))
      .filter(({ value, default: standard }) => !isDeepStrictEqual(value, standard)),
    optionAt: (path) => ({ value: valueAt(effective, path) ?? null, default: valueAt(defaults, path) ?? null }),
  };
}

const PLATFORM_SCHEMAS = Object.fromEntries(PLATFORM.map((name) => [name, platformOptionsSchema.extract(name)]));

/** The schema of each name at the top of the tree. A name of a plugin that is also a name of the platform has the options of both. */
function schemasOf(plugins: readonly Plugin[]): Record<string, Joi.Schema> {
  const schemas: Record<string, Joi.Schema> = { numbers: Joi.object({ reactions: Joi.boolean() }) };
  Object.assign(schemas, PLATFORM_SCHEMAS);
  for (const { manifest } of plugins) {
    const schema = pluginSchema(manifest.options);
    const known = schemas[manifest.name];
    schemas[manifest.name] = known ? (known as Joi.ObjectSchema).concat(schema) : schema;
  }
  return schemas;
}

const NO_OPTIONS = Joi.object({});
/** By the options of plugins, which the sandboxes of a process share. */
const pluginSchemas = new WeakMap<Joi.ObjectSchema, Joi.ObjectSchema>();

/** Without options that take an object of the host application, which text cannot express. */
function pluginSchema(options: Joi.ObjectSchema | undefined): Joi.ObjectSchema {
  if (!options) return NO_OPTIONS;
  const schema = pluginSchemas.get(options) ?? textSchema(options);
  pluginSchemas.set(options, schema);
  return schema;
}

function textSchema(options: Joi.ObjectSchema): Joi.ObjectSchema {
  const objects = fieldsOf(options).flatMap(({ key, schema }) => (schema.type === 'any' && !schema.$_getFlag('only') ? [key] : []));
  return objects.length === 0 ? options : options.fork(objects, (schema) => schema.forbidden());
}

function check(schema: Joi.ObjectSchema, tree: OptionTree): OptionTree {
  const { error, value } = schema.validate(tree, {
    abortEarly: false,
    noDefaults: true,
    errors: { label: 'path', wrap: { label: false } },
  });
  if (!error) return value;
  const problems = error.details.map((detail) => problemOf(detail, schema));
  const more = problems.length - MAX_PROBLEMS;
  throw new InvalidOptions(
    `these options cannot be used: ${problems.slice(0, MAX_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  );
}

function problemOf({ type, path, message }: Joi.ValidationErrorItem, schema: Joi.ObjectSchema): string {
  if (type !== 'object.unknown') return message;
  const parent = path.slice(0, -1) as string[];
  const known = keysOf(parent.length === 0 ? schema : schema.extract(parent));
  return `the option ${path.join('.')} does not exist; ${parent.length === 0 ? 'there are' : `${parent.join('.')} has`} ${known.join(', ') || 'no options'}`;
}

/** The keys of an object; none of other schemas. `describe()` of joi takes a hundred times longer: it checks what it made. */
const fieldsOf = ({ $_terms: { keys } }: Joi.Schema): readonly { readonly key: string; readonly schema: Joi.Schema }[] => keys ?? [];
const keysOf = (schema: Joi.Schema): readonly string[] => fieldsOf(schema).map(({ key }) => key);

function only(value: unknown, keys: readonly string[]): OptionTree {
  return Object.fromEntries(Object.entries(value ?? {}).filter(([key]) => keys.includes(key)));
}

function defaultsOf(schemas: Readonly<Record<string, Joi.Schema>>): OptionTree {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, schema.validate(keysOf(schema).length > 0 ? {} : undefined).value]),
  );
}
