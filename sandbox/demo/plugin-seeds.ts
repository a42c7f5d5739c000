import Joi from 'joi';
import { type Platform, service, type Transaction } from '#core';
import { InvalidSeed } from './seed.js';

/** The part of a seed that a plugin reads: its key in `plugins` of the seed file. It offers it as its service `<plugin>.seed`. */
export interface PluginSeed<V = unknown> {
  /** Checks the value and sets its defaults, before anything is written. */
  readonly schema: Joi.Schema<V>;
  /**
   * Writes the records, in the transaction of the whole seed. Runs again when the seed file is changed, so it replaces what it has made.
   * @param numbers the uuids of the numbers and channels of the seed, by their addresses
   */
  apply(tx: Transaction, value: V, numbers: ReadonlyMap<string, string>): Promise<void> | void;
}

type Apply = (tx: Transaction, numbers: ReadonlyMap<string, string>) => Promise<void>;

/** Checks the values for plugins. @returns functions that apply them @throws InvalidSeed before anything is written */
export function pluginSeeds(platform: Platform, plugins: Readonly<Record<string, unknown>>): Apply[] {
  return Object.entries(plugins).map(([plugin, given]) => {
    const { schema, apply } = seedOf(platform, plugin);
    const { error, value } = schema
      .required()
      .label(`plugins.${plugin}`)
      .validate(given, { errors: { label: 'path', wrap: { label: false } } });
    if (error) throw new InvalidSeed(`the seed cannot be used: plugins.${plugin}: ${error.message}`);
    return async (tx, numbers) => {
      try {
        await apply(tx, value, numbers);
      } catch (error) {
        throw new InvalidSeed(`the seed cannot be used: plugins.${plugin}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
  });
}

function seedOf(platform: Platform, plugin: string): PluginSeed {
  let seed: Partial<PluginSeed>;
  try {
    seed = platform.service(service<PluginSeed>(`${plugin}.seed`));
  } catch {
    throw new InvalidSeed(
      `the seed has plugins.${plugin}, but no plugin '${plugin}' of this sandbox reads a seed; add the plugin, or remove the key`,
    );
  }
  if (Joi.isSchema(seed.schema, { legacy: true }) && typeof seed.apply === 'function') return seed as PluginSeed;
  throw new InvalidSeed(
    `the service '${plugin}.seed' of plugin '${plugin}' cannot read a seed: it needs schema, a schema of joi, and apply, a function`,
  );
}
