import { type Platform, subscriptionKind, type Transaction } from '#core';
import { journeysService, triggersOf } from '../../plugins/journeys/plugin.js';
import { applySeed, publishJourney, type Seeded } from './apply-seed.js';
import { type FullSeed, InvalidSeed, type SeedJourney } from './seed.js';

/** The records of a changed seed, and one sentence for each change. */
export interface Updated {
  readonly seeded: Seeded;
  readonly changes: readonly string[];
}

/**
 * Applies a changed seed to a running state, all or nothing: creates new numbers, channels, webhooks and journeys, updates URLs and
 * subscriptions of webhooks, and publishes changed journeys. Deletes nothing, so that conversations stay.
 * @throws InvalidSeed
 */
export async function updateSeed(platform: Platform, seed: FullSeed, seeded: Seeded): Promise<Updated> {
  const addresses = new Map(seeded.numbers.map(({ address, uuid }) => [address, uuid]));
  const isKnown = (address: string): boolean => addresses.has(address);
  const known = {
    numbers: seed.numbers.filter(({ address }) => isKnown(address)),
    channels: seed.channels.filter(({ from_addr: address }) => isKnown(address)),
    webhooks: seed.webhooks.filter(({ number }) => isKnown(number)),
    journeys: seed.journeys.filter(({ number }) => isKnown(number)),
  };
  const fresh: FullSeed = {
    ...seed,
    numbers: seed.numbers.filter((number) => !known.numbers.includes(number)),
    channels: seed.channels.filter((channel) => !known.channels.includes(channel)),
    webhooks: seed.webhooks.filter((webhook) => !known.webhooks.includes(webhook)),
    journeys: seed.journeys.filter((journey) => !known.journeys.includes(journey)),
  };
  let updated: Updated = { seeded, changes: [] };
  await applySeed(
    platform,
    fresh,
    async (added, tx) => {
      const endpoints = await updateEndpoints(platform, tx, known, seeded, addresses);
      const journeys = await updateJourneys(platform, tx, known.journeys, seeded, addresses);
      const addressOf = new Map([...seeded.numbers, ...added.numbers].map(({ uuid, address }) => [uuid, address]));
      updated = {
        seeded: {
          numbers: [...seeded.numbers, ...added.numbers],
          channels: [...endpoints.channels, ...added.channels],
          webhooks: [...endpoints.webhooks, ...added.webhooks],
          journeys: [...journeys.all, ...added.journeys],
        },
        changes: [
          ...added.numbers.map(({ kind, address, token }) => `created ${kind} ${address} with token ${token}`),
          ...added.webhooks.map(({ url }) => `created webhook ${url}`),
          ...endpoints.changes,
          ...[...added.journeys, ...journeys.changed].map(({ name, number }) => `published ${name} for ${addressOf.get(number)}`),
        ],
      };
    },
    addresses,
  );
  return updated;
}

type Known = Pick<FullSeed, 'channels' | 'webhooks'>;

async function updateEndpoints(
  { webhooks: service, dialect }: Platform,
  tx: Transaction,
  known: Known,
  seeded: Seeded,
  addresses: ReadonlyMap<string, string>,
) {
  const changes: string[] = [];
  const channels = await Promise.all(
    seeded.channels.map(async (channel) => {
      const endpoint = known.channels.find(({ from_addr }) => addresses.get(from_addr) === channel.uuid)?.endpoint ?? channel.endpoint;
      if (endpoint === channel.endpoint) return channel;
      await service.update(tx, channel.webhook.uuid, { url: endpoint });
      changes.push(`moved the connector of ${channel.name} to ${endpoint}`);
      return { ...channel, endpoint };
    }),
  );
  const webhooks = [...seeded.webhooks];
  for (const about of known.webhooks) {
    const number = addresses.get(about.number)!;
    const at = webhooks.findIndex((webhook) => webhook.number === number && webhook.name === about.name);
    const current = webhooks[at];
    if (current?.url === about.url && current.subscriptions.join() === about.subscriptions.join()) continue;
    const subscriptions = about.subscriptions.map((word) => {
      const kind = subscriptionKind(dialect, word);
      if (!kind) throw new InvalidSeed(`the seed has an unknown subscription '${word}'`);
      return kind;
    });
    if (current) {
      await service.update(tx, current.uuid, { url: about.url, subscriptions });
      webhooks[at] = { ...current, url: about.url, subscriptions: about.subscriptions };
      changes.push(`changed webhook ${about.url}`);
    } else {
      const { webhook, secret } = service.create(tx, { ...about, number, subscriptions });
      const { uuid, name, url } = webhook;
      webhooks.push({ uuid, number, name, url, subscriptions: about.subscriptions, hmac_secret: secret });
      changes.push(`created webhook ${url}`);
    }
  }
  return { channels, webhooks, changes };
}

async function updateJourneys(
  platform: Platform,
  tx: Transaction,
  known: FullSeed['journeys'],
  seeded: Seeded,
  addresses: ReadonlyMap<string, string>,
) {
  const all = [...seeded.journeys];
  const changed: Seeded['journeys'][number][] = [];
  for (const about of known) {
    const number = addresses.get(about.number)!;
    const current = all.find((journey) => journey.number === number && journey.name === about.name);
    if (current && (await isCurrent(platform, current.uuid, about))) continue;
    const shown = await publishJourney(platform, tx, { ...about, number, uuid: current?.uuid ?? about.uuid });
    if (!current) all.push(shown);
    changed.push(shown);
  }
  return { all, changed };
}

/** Whether the draft of a journey and its triggers are those of the seed. */
async function isCurrent(platform: Platform, uuid: string, about: SeedJourney): Promise<boolean> {
  const journeys = platform.service(journeysService);
  const record = await journeys.get(uuid);
  if (!record) return false;
  const { definition, notebook } = await journeys.revision(record.draft);
  const isSame = 'notebook' in about ? notebook === about.notebook : notebook === undefined && isEqual(definition, about.definition);
  return isSame && isEqual(record.triggers, about.triggers ?? (await ownTriggers(about)));
}

async function ownTriggers(about: SeedJourney) {
  const { compileNotebook } = await import('#engine');
  return 'notebook' in about ? triggersOf(compileNotebook(about.notebook).triggers) : [];
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
