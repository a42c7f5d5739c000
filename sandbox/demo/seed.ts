import { dirname, resolve } from 'node:path';
import Joi from 'joi';
import type { JsonObject } from '#core';
import { type Trigger, triggerSchema } from '../../plugins/journeys/plugin.js';
import { type JourneySource, readJourneyFile } from '../notebooks/journey-file.js';
import type { OptionTree } from '../option-tree.js';
import { readJsonFile } from '../terminal/json-file.js';

/** The initial records of a sandbox, in the format of a seed file. They refer to a number by its address. */
export interface Seed {
  /** The names of your service and of the network, as in the dialect of a platform. */
  readonly service?: string;
  readonly network?: string;
  /** Options of the platform and of its plugins, as in `SandboxOptions`, which take precedence. */
  readonly options?: OptionTree;
  readonly numbers?: readonly {
    readonly kind: 'network' | 'sandbox';
    readonly address: string;
    readonly name: string;
    readonly account?: string | null;
    /** Whether webhooks receive reactions; false if not given. */
    readonly reactions?: boolean;
  }[];
  /** Channels, whose messages go to the connector at `endpoint`. */
  readonly channels?: readonly {
    readonly from_addr: string;
    readonly name: string;
    readonly endpoint: string;
    readonly reactions?: boolean;
    /** Fixed values, for connectors that are configured before the sandbox starts; random ones if not given. */
    readonly uuid?: string;
    readonly token?: string;
    readonly hmac_secret?: string;
  }[];
  readonly webhooks?: readonly {
    readonly number: string;
    readonly url: string;
    readonly name?: string;
    readonly subscriptions: readonly string[];
  }[];
  /** Journeys to publish. A definition without triggers starts with any message; a notebook has its own triggers. */
  readonly journeys?: readonly {
    readonly uuid?: string;
    readonly number: string;
    readonly name: string;
    /** A journey; in a seed file also the path of a journey file, JSON or a notebook, relative to the seed file. */
    readonly definition?: object | string;
    /** The text of a notebook, instead of a definition. */
    readonly notebook?: string;
    readonly triggers?: readonly Trigger[];
  }[];
  /** Values for plugins of yours, by the name of the plugin: see `PluginSeed`. */
  readonly plugins?: Readonly<Record<string, unknown>>;
}

/** A seed after defaults were set and journey files were read. */
export interface FullSeed {
  readonly service?: string;
  readonly network?: string;
  readonly options: OptionTree;
  readonly numbers: NonNullable<Seed['numbers']>;
  readonly channels: NonNullable<Seed['channels']>;
  readonly webhooks: readonly Required<NonNullable<Seed['webhooks']>[number]>[];
  readonly journeys: readonly SeedJourney[];
  readonly plugins: Readonly<Record<string, unknown>>;
}

export type SeedJourney = JourneySource & {
  readonly uuid: string | undefined;
  readonly number: string;
  readonly name: string;
  /** Undefined for a notebook whose own triggers apply. */
  readonly triggers: readonly Trigger[] | undefined;
};

const MAX_PROBLEMS = 5;
const url = Joi.string().uri({ scheme: ['http', 'https'] });

const schema = Joi.object({
  service: Joi.string(),
  network: Joi.string(),
  // The options are checked when the plugins are known.
  options: Joi.object().default({}),
  numbers: Joi.array()
    .items({
      kind: Joi.valid('network', 'sandbox').required(),
      // Normalized as in the store, because webhooks and journeys refer to the stored address.
      address: Joi.string()
        .pattern(/^\+[1-9]\d{6,14}$/)
        .message('{{#label}} must be an international phone number with its plus: +27600000001')
        .required(),
      name: Joi.string().required(),
      account: Joi.string().allow(null).default(null),
      reactions: Joi.boolean(),
    })
    .default([]),
  channels: Joi.array()
    .items({
      from_addr: Joi.string().required(),
      name: Joi.string().required(),
      endpoint: url.required(),
      reactions: Joi.boolean(),
      uuid: Joi.string().guid().lowercase(),
      token: Joi.string().pattern(/^\S+$/, 'no white space'),
      hmac_secret: Joi.string(),
    })
    .default([]),
  webhooks: Joi.array()
    .items({
      number: Joi.string().required(),
      url: url.required(),
      name: Joi.string().default('Webhook'),
      subscriptions: Joi.array().items(Joi.string()).min(1).required(),
    })
    .default([]),
  journeys: Joi.array()
    .items(
      Joi.object({
        uuid: Joi.string().guid().lowercase(),
        number: Joi.string().required(),
        name: Joi.string().required(),
        definition: Joi.alternatives(Joi.object(), Joi.string()),
        notebook: Joi.string(),
        triggers: Joi.array().items(triggerSchema),
      }).xor('definition', 'notebook'),
    )
    .default([]),
  plugins: Joi.object().default({}),
});

/** The files that a seed file consists of: itself and its journeys. Only itself while it is not JSON. */
export function filesOfSeed(file: string): string[] {
  try {
    const { journeys = [] } = readJsonFile(file) as { journeys?: readonly { readonly definition?: unknown }[] };
    return [file, ...journeys.flatMap(({ definition }) => (typeof definition === 'string' ? [resolve(dirname(file), definition)] : []))];
  } catch {
    return [file];
  }
}

/** Reads and checks a seed: `empty`, a seed object, or the path of a seed file. @throws InvalidSeed */
export function seedFrom(source: string | Seed): FullSeed {
  if (source === 'empty') return checked({}, 'the seed', '.');
  if (typeof source === 'string')
    return checked(
      orInvalidSeed(() => readJsonFile(source)),
      `the seed file ${source}`,
      dirname(source),
    );
  return checked(source, 'the seed', '.');
}

/** The seed cannot be read, or is invalid. */
export class InvalidSeed extends Error {
  override readonly name = 'InvalidSeed';
}

function orInvalidSeed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new InvalidSeed(error instanceof Error ? error.message : String(error));
  }
}

function checked(seed: object, what: string, folder: string): FullSeed {
  const { error, value } = schema.validate(seed, { abortEarly: false, errors: { label: 'path', wrap: { label: false } } });
  if (error) {
    const shown = error.details.slice(0, MAX_PROBLEMS).map(({ message }) => message);
    const more = error.details.length - shown.length;
    throw new InvalidSeed(`${what} cannot be used: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
  }
  const journeys = value.journeys.map(({ definition, notebook, triggers, ...journey }: NonNullable<Seed['journeys']>[number]) => {
    const source = sourceOf(definition, notebook, folder);
    return { ...journey, ...source, triggers: triggers ?? ('notebook' in source ? undefined : ANY_MESSAGE) };
  });
  return { ...value, journeys };
}

const ANY_MESSAGE: readonly Trigger[] = [{ on: 'message' }];

function sourceOf(definition: object | string | undefined, notebook: string | undefined, folder: string): JourneySource {
  if (typeof definition === 'string') return orInvalidSeed(() => readJourneyFile(resolve(folder, definition)));
  return definition === undefined ? { notebook: notebook ?? '' } : { definition: definition as JsonObject };
}
