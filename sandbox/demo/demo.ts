import { readFileSync } from 'node:fs';
import { dialectOf, type Platform } from '#core';
import type { Seeded } from './apply-seed.js';
import { type Child, startChild } from './children.js';
import type { Seed } from './seed.js';

export interface Demo {
  readonly ready: Promise<DemoProcesses>;
  stop(): Promise<void>;
}

export interface DemoProcesses {
  readonly connector: Child;
  readonly receiver: Child;
  readonly integration: Child;
}

export function startDemo(): Demo {
  const children = [startChild('connector'), startChild('webhook-receiver'), startChild('integration')] as const;
  const ready = Promise.all(children.map(({ ready }) => ready)).then(([connector, receiver, integration]) => {
    return { connector: connector!, receiver: receiver!, integration: integration! };
  });
  // The caller awaits `ready` later: a failure before that must not be an unhandled rejection.
  ready.catch(() => undefined);
  return {
    ready,
    async stop() {
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

const CHANNEL = 'web:library';
const NUMBER = '+27600000001';

/** The seed of the demo: a channel with a connector and a network number, each with a journey and a webhook. */
export const demoSeed = ({ connector, receiver }: DemoProcesses, { subscriptions } = dialectOf()): Seed => ({
  numbers: [{ kind: 'network', address: NUMBER, name: 'Riverside Library', account: 'demo-account' }],
  channels: [{ from_addr: CHANNEL, name: 'Riverside Library on the web', endpoint: connector.url }],
  webhooks: [
    { number: CHANNEL, url: receiver.url, name: 'Example receiver', subscriptions: [subscriptions.network] },
    {
      number: NUMBER,
      url: receiver.url,
      name: 'Example receiver',
      subscriptions: [subscriptions.network, subscriptions.service, subscriptions.journey_outbound],
    },
  ],
  journeys: [CHANNEL, NUMBER].map((number) => ({ number, name: 'Riverside Library', notebook: readFileSync(library, 'utf8') })),
});

/** The journey of the demo, as a notebook. */
export const library = new URL('./library.md', import.meta.url);

/** Sends the tokens and secrets of the demo's channel and webhooks to its processes. */
export async function configureProcesses({ connector, receiver }: DemoProcesses, { numbers, channels, webhooks }: Seeded): Promise<void> {
  const [channel] = channels;
  const token = numbers.find(({ uuid }) => uuid === channel?.uuid)?.token;
  if (!channel || webhooks.length === 0 || token === undefined) return;
  await Promise.all([
    connector.send({ POSTHORN_NUMBER: channel.uuid, POSTHORN_TOKEN: token, POSTHORN_SECRET: channel.webhook.hmac_secret }),
    receiver.send({ POSTHORN_SECRET: webhooks.map(({ hmac_secret }) => hmac_secret).join(',') }),
  ]);
}

/**
 * Updates the URLs of the demo's webhooks, because the processes listen on other ports in each run. A URL that the user has changed
 * stays. @returns the seed's records with their current URLs
 */
export async function updateAddresses(
  { connector, receiver }: DemoProcesses,
  { store, webhooks }: Platform,
  seeded: Seeded,
): Promise<Seeded> {
  const [channel, ...channels] = seeded.channels;
  if (!channel) return seeded;
  return {
    ...seeded,
    channels: [{ ...channel, endpoint: await move(channel.webhook.uuid, channel.endpoint, connector.url) }, ...channels],
    webhooks: await Promise.all(
      seeded.webhooks.map(async (webhook) => ({ ...webhook, url: await move(webhook.uuid, webhook.url, receiver.url) })),
    ),
  };

  async function move(uuid: string, from: string, to: string): Promise<string> {
    const current = await webhooks.get(uuid);
    if (current?.url !== from) return current?.url ?? from;
    await store.transaction((tx) => webhooks.update(tx, uuid, { url: to }));
    return to;
  }
}
