import type { NumberRecord, Platform, SubscriptionKind, Transaction } from '#core';
import type { NewNumber } from '#core/messaging';
import type { NewDraft } from '../../plugins/journeys/plugin.js';
import { InvalidJourney, journeysService } from '../../plugins/journeys/plugin.js';
import { CHANNEL_TYPE } from '../client/channels.js';
import { pluginSeeds } from './plugin-seeds.js';
import { type FullSeed, InvalidSeed, type SeedJourney } from './seed.js';

/** The created records of a seed, with the tokens and secrets, which cannot be read again later. */
export interface Seeded {
  /** A number on the Cloud API has the URL of the webhook to register there. */
  readonly numbers: readonly { uuid: string; kind: string; name: string; address: string; token: string; webhook?: string }[];
  readonly channels: readonly { uuid: string; name: string; webhook: { uuid: string; hmac_secret: string }; endpoint: string }[];
  readonly webhooks: readonly {
    uuid: string;
    number: string;
    name: string;
    url: string;
    subscriptions: readonly string[];
    hmac_secret: string;
  }[];
  readonly journeys: readonly { uuid: string; name: string; number: string }[];
}

/**
 * Creates all records of a seed in one transaction, or none. `earlier` has the numbers that exist, by address. Calls `beforeCommit` at the end of the transaction; an error in it rolls the transaction back.
 * @throws InvalidSeed
 */
export async function applySeed(
  platform: Platform,
  seed: FullSeed,
  beforeCommit: (seeded: Seeded, tx: Transaction) => unknown,
  earlier: ReadonlyMap<string, string> = new Map(),
): Promise<Seeded> {
  // A seed that an earlier release has kept has no values for plugins.
  const ofPlugins = pluginSeeds(platform, seed.plugins ?? {});
  return platform.store.transaction(async (tx) => {
    // A sandbox is one process, and a seed that was partially applied would be hard to repeat.
    tx.acrossTenants?.();
    const numbers = new Map<string, NumberRecord>();
    const numberAt = (address: string): string => {
      const number = numbers.get(address);
      if (!number) throw new InvalidSeed(`the seed refers to number ${address}, which is not in its numbers or channels`);
      return number.uuid;
    };
    const add = (about: NewNumber, givenToken?: string) => {
      if (numbers.has(about.address)) throw new InvalidSeed(`the seed has ${about.address} twice`);
      const number = platform.numbers.create(tx, about);
      numbers.set(about.address, number);
      const { text: token } = platform.tokens.issue(tx, number.uuid, 'sandbox', undefined, givenToken);
      return { uuid: number.uuid, kind: number.kind, name: number.name, address: number.address, token };
    };

    const ofNetwork = seed.numbers.map((about) => add({ ...about, type: about.kind }));
    const channels = seed.channels.map(({ from_addr: address, name, endpoint, reactions, uuid, token, hmac_secret: given }) => {
      const number = add({ uuid, kind: 'channel', type: CHANNEL_TYPE, address, name, reactions }, token);
      const about = { number: number.uuid, url: endpoint, name, subscriptions: ['channel' as const], connector: true };
      const { webhook, secret } = platform.webhooks.create(tx, about, given);
      return { number, channel: { uuid: number.uuid, name, webhook: { uuid: webhook.uuid, hmac_secret: secret }, endpoint } };
    });
    const webhooks = seed.webhooks.map((about) => {
      const subscriptions = about.subscriptions.map((word) => kindOf(platform, word));
      const { webhook, secret } = platform.webhooks.create(tx, { ...about, number: numberAt(about.number), subscriptions });
      const { uuid, number, name, url } = webhook;
      return { uuid, number, name, url, subscriptions: about.subscriptions, hmac_secret: secret };
    });
    const journeys: Seeded['journeys'][number][] = [];
    for (const about of seed.journeys) journeys.push(await publishJourney(platform, tx, { ...about, number: numberAt(about.number) }));

    const uuids = new Map([...earlier, ...[...numbers].map(([address, { uuid }]) => [address, uuid] as const)]);
    for (const apply of ofPlugins) await apply(tx, uuids);

    const seeded: Seeded = {
      numbers: [...ofNetwork, ...channels.map(({ number }) => number)],
      channels: channels.map(({ channel }) => channel),
      webhooks,
      journeys,
    };
    await beforeCommit(seeded, tx);
    return seeded;
  });
}

function kindOf({ webhooks }: Platform, word: string): SubscriptionKind {
  const kind = webhooks.subscriptionNamed(word);
  if (kind) return kind;
  throw new InvalidSeed(
    `the seed has an unknown subscription '${word}'; known subscriptions: ${webhooks
      .subscriptions()
      .map(({ name }) => name)
      .join(', ')}`,
  );
}

/** Creates a journey, or replaces its draft, and publishes it. @throws InvalidSeed when it has errors */
export async function publishJourney(platform: Platform, tx: Transaction, about: SeedJourney): Promise<Seeded['journeys'][number]> {
  try {
    const journeys = platform.service(journeysService);
    const { journey } = await journeys.put(tx, draftOf(about));
    await journeys.publish(tx, journey.uuid, 'production');
    return { uuid: journey.uuid, name: about.name, number: journey.number };
  } catch (error) {
    if (error instanceof InvalidJourney) throw new InvalidSeed(`the journey '${about.name}' cannot be published: ${error.message}`);
    throw error;
  }
}

/** A definition without triggers gets none here: `seedFrom` has set the default. */
const draftOf = (about: SeedJourney): NewDraft => ('notebook' in about ? about : { ...about, triggers: about.triggers ?? [] });
