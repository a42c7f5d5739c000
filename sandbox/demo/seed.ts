import { dirname, resolve } from 'node:path';
import Joi from 'joi';
import type { JsonObject } from '#core';
import { type Trigger, triggerSchema } from '#core/areas';
import { readJsonFile } from '../terminal/json-file.js';

/** What a sandbox starts with, as a seed file says it. Numbers are referred to by their address. */
export interface Seed {
  readonly numbers?: readonly {
    readonly kind: 'network' | 'sandbox';
    readonly address: string;
    readonly name: string;
    readonly account?: string | null;
  }[];
  /** Numbers whose messages the connector at `endpoint` carries. */
  readonly channels?: readonly { readonly from_addr: string; readonly name: string; readonly endpoint: string }[];
  readonly webhooks?: readonly {
    readonly number: string;
    readonly url: string;
    readonly name?: string;
    readonly subscriptions: readonly string[];
  }[];
  /** They are published. Without triggers any message starts one. */
  readonly journeys?: readonly {
    readonly uuid?: string;
    readonly number: string;
    readonly name: string;
    /** In a seed file also the name of a file beside it. */
    readonly definition: object | string;
    readonly triggers?: readonly Trigger[];
  }[];
}

/** A seed with everything in its place. */
export interface FullSeed {
  readonly numbers: readonly Required<NonNullable<Seed['numbers']>[number]>[];
  readonly channels: NonNullable<Seed['channels']>;
  readonly webhooks: readonly Required<NonNullable<Seed['webhooks']>[number]>[];
  readonly journeys: readonly {
    readonly uuid: string | undefined;
    readonly number: string;
    readonly name: string;
    readonly definition: JsonObject;
    readonly triggers: readonly Trigger[];
  }[];
}

const SHOWN_PROBLEMS = 5;
const url = Joi.string().uri({ scheme: ['http', 'https'] });

const schema = Joi.object({
  numbers: Joi.array()
    .items({
      kind: Joi.valid('network', 'sandbox').required(),
      // Webhooks and journeys refer to it, so it is written as it is kept.
      address: Joi.string()
        .pattern(/^\+[1-9]\d{6,14}$/)
        .message('{{#label}} must be an international phone number with its plus: +27600000001')
        .required(),
      name: Joi.string().required(),
      account: Joi.string().allow(null).default(null),
    })
    .default([]),
  channels: Joi.array().items({ from_addr: Joi.string().required(), name: Joi.string().required(), endpoint: url.required() }).default([]),
  webhooks: Joi.array()
    .items({
      number: Joi.string().required(),
      url: url.required(),
      name: Joi.string().default('Webhook'),
      subscriptions: Joi.array().items(Joi.string()).min(1).required(),
    })
    .default([]),
  journeys: Joi.array()
    .items({
      uuid: Joi.string().guid().lowercase(),
      number: Joi.string().required(),
      name: Joi.string().required(),
      definition: Joi.alternatives(Joi.object(), Joi.string()).required(),
      triggers: Joi.array()
        .items(triggerSchema)
        .default([{ on: 'message' }]),
    })
    .default([]),
});

/** The seed that is asked for: `empty`, a seed, or the name of a file with one. @throws SeedUnusable */
export function seedFrom(asked: string | Seed): FullSeed {
  if (asked === 'empty') return checked({}, 'the seed', '.');
  if (typeof asked === 'string') return checked(read(asked), `the seed file ${asked}`, dirname(asked));
  return checked(asked, 'the seed', '.');
}

/** A seed cannot be used as it stands. */
export class SeedUnusable extends Error {
  override readonly name = 'SeedUnusable';
}

function read(file: string): object {
  try {
    return readJsonFile(file);
  } catch (error) {
    throw new SeedUnusable(error instanceof Error ? error.message : String(error));
  }
}

function checked(seed: object, what: string, folder: string): FullSeed {
  const { error, value } = schema.validate(seed, { abortEarly: false, errors: { label: 'path', wrap: { label: false } } });
  if (error) {
    const shown = error.details.slice(0, SHOWN_PROBLEMS).map(({ message }) => message);
    const more = error.details.length - shown.length;
    throw new SeedUnusable(`${what} cannot be used: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`);
  }
  const journeys = value.journeys.map(({ definition, ...journey }: NonNullable<Seed['journeys']>[number]) => ({
    ...journey,
    definition: typeof definition === 'string' ? read(resolve(folder, definition)) : definition,
  }));
  return { ...value, journeys };
}
