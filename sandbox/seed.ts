import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Joi from 'joi';
import { numberKinds, type Platform, subscriptionKind, triggerSchema } from '#core';

/** What a sandbox starts with. Numbers are referred to by their address. */
export interface Seed {
  readonly numbers: readonly {
    readonly kind: (typeof numberKinds)[number];
    readonly address: string;
    readonly name: string;
    readonly account: string | null;
  }[];
  readonly channels: readonly { readonly from_addr: string; readonly name: string; readonly endpoint: string }[];
  readonly webhooks: readonly {
    readonly number: string;
    readonly url: string;
    readonly name: string;
    readonly subscriptions: readonly string[];
  }[];
  readonly journeys: readonly {
    readonly uuid: string | undefined;
    readonly number: string;
    readonly name: string;
    readonly definition: object;
    readonly triggers: readonly { readonly on: 'message'; readonly words?: readonly string[] }[];
  }[];
}

/** What was made, with the tokens and secrets that are shown once. It is also what `--json` prints. */
export interface Seeded {
  readonly numbers: { uuid: string; kind: string; name: string; address: string; token: string }[];
  readonly channels: { uuid: string; name: string; webhook: { uuid: string; hmac_secret: string }; endpoint: string }[];
  readonly webhooks: { uuid: string; number: string; name: string; url: string; subscriptions: string[]; hmac_secret: string }[];
  readonly journeys: { uuid: string; name: string; number: string }[];
}

export const emptySeed: Seed = { numbers: [], channels: [], webhooks: [], journeys: [] };

const CHANNEL_TYPE = 'channel_http_api';
const url = Joi.string().uri({ scheme: ['http', 'https'] });

const schema = Joi.object<Seed>({
  numbers: Joi.array()
    .items({
      kind: Joi.valid(...numberKinds).required(),
      address: Joi.string().required(),
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
      uuid: Joi.string().guid(),
      number: Joi.string().required(),
      name: Joi.string().required(),
      definition: Joi.alternatives(Joi.object(), Joi.string()).required(),
      triggers: Joi.array()
        .items(triggerSchema)
        .default([{ on: 'message' }]),
    })
    .default([]),
});

/** Reads a seed file; a journey's definition may be the name of a file beside it. @throws Error that names the file */
export function readSeed(file: string): Seed {
  const { error, value } = schema.validate(readJson(file), { abortEarly: false });
  if (error) throw new Error(`the seed file ${file} cannot be used: ${error.message}`);
  const journeys = value.journeys.map((journey: Seed['journeys'][number] & { definition: object | string }) => ({
    ...journey,
    definition: typeof journey.definition === 'string' ? readJson(resolve(dirname(file), journey.definition)) : journey.definition,
  }));
  return { ...value, journeys };
}

export function readJson(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Makes what a seed names, all of it or nothing. */
export async function plant(platform: Platform, seed: Seed): Promise<Seeded> {
  const { store, numbers, tokens, webhooks, journeys, dialect } = platform;
  return store.transaction(async (tx) => {
    const seeded: Seeded = { numbers: [], channels: [], webhooks: [], journeys: [] };
    const byAddress = new Map<string, string>();
    const add = (about: Parameters<typeof numbers.create>[1]) => {
      const number = numbers.create(tx, about);
      const { text } = tokens.issue(tx, number.uuid, 'sandbox');
      byAddress.set(number.address, number.uuid);
      seeded.numbers.push({ uuid: number.uuid, kind: number.kind, name: number.name, address: number.address, token: text });
      return number;
    };
    const uuidOf = (address: string): string => {
      const uuid = byAddress.get(address);
      if (uuid === undefined) throw new Error(`the seed names a number ${address} that it does not make`);
      return uuid;
    };

    for (const { kind, address, name, account } of seed.numbers) add({ kind, type: kind, address, name, account });
    for (const { from_addr, name, endpoint } of seed.channels) {
      const number = add({ kind: 'channel', type: CHANNEL_TYPE, address: from_addr, name });
      const { webhook, secret } = webhooks.create(tx, { number: number.uuid, url: endpoint, name, subscriptions: ['channel'] });
      seeded.channels.push({ uuid: number.uuid, name, webhook: { uuid: webhook.uuid, hmac_secret: secret }, endpoint });
    }
    for (const about of seed.webhooks) {
      const kinds = about.subscriptions.map((word) => {
        const kind = subscriptionKind(dialect, word);
        if (!kind) throw new Error(`the seed names a subscription '${word}'; there are ${Object.values(dialect.subscriptions).join(', ')}`);
        return kind;
      });
      const { webhook, secret } = webhooks.create(tx, {
        number: uuidOf(about.number),
        url: about.url,
        name: about.name,
        subscriptions: kinds,
      });
      const { uuid, number, name } = webhook;
      seeded.webhooks.push({ uuid, number, name, url: about.url, subscriptions: [...about.subscriptions], hmac_secret: secret });
    }
    for (const { uuid, number, name, definition, triggers } of seed.journeys) {
      const { journey } = await journeys.put(tx, {
        uuid,
        number: uuidOf(number),
        name,
        definition: definition as never,
        triggers: triggers as never,
      });
      await journeys.publish(tx, journey.uuid, 'production');
      seeded.journeys.push({ uuid: journey.uuid, name, number: journey.number });
    }
    return seeded;
  });
}
