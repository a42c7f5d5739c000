import { type Platform, subscriptionName } from '#core';
import { journeysService } from '../../plugins/journeys/plugin.js';
import { CHANNEL_TYPE } from '../client/channels.js';
import type { Seeded } from '../demo/apply-seed.js';

/** The tokens of numbers that were created while the sandbox ran, by the uuid of the number. */
export interface TokenNotes {
  readonly known: Readonly<Record<string, string>>;
  note(tokens: Readonly<Record<string, string>>): void;
}

/**
 * The numbers, channels, webhooks and journeys that a sandbox has now, with tokens and secrets. A number that was created while it ran
 * gets a token named `sandbox`, as those of the seed have, the first time that this is called. Channels that were removed are left out.
 */
export async function currentRecords(platform: Platform, seeded: Seeded, tokens: TokenNotes): Promise<Seeded> {
  const { webhooks, dialect } = platform;
  const journeys = platform.service(journeysService);
  const all = await Promise.all(
    (await platform.numbers.list()).map(async (number) => ({ number, hooks: await webhooks.ofNumber(number.uuid) })),
  );
  const shown = all.filter(({ number, hooks }) => number.type !== CHANNEL_TYPE || hooks.some(({ connector }) => connector));
  const secretOf = async (webhook: string): Promise<string> => (await webhooks.signingKey(webhook).read()) ?? '';
  const tokenOf = await tokensOf(
    platform,
    seeded,
    shown.map(({ number }) => number.uuid),
    tokens,
  );
  const hooks = shown.flatMap(({ number, hooks }) => hooks.map((webhook) => ({ number, webhook })));
  return {
    numbers: shown.map(({ number: { uuid, kind, name, address } }) => {
      const { webhook } = seeded.numbers.find((number) => number.uuid === uuid) ?? {};
      return { uuid, kind, name, address, token: tokenOf(uuid), ...(webhook !== undefined && { webhook }) };
    }),
    channels: await Promise.all(
      hooks
        .filter(({ webhook }) => webhook.connector)
        .map(async ({ number: { uuid, name }, webhook }) => ({
          uuid,
          name,
          endpoint: webhook.url,
          webhook: { uuid: webhook.uuid, hmac_secret: await secretOf(webhook.uuid) },
        })),
    ),
    webhooks: await Promise.all(
      hooks
        .filter(({ webhook }) => !webhook.connector)
        .map(async ({ webhook: { uuid, number, name, url, subscriptions } }) => ({
          uuid,
          number,
          name,
          url,
          subscriptions: subscriptions.map((kind) => subscriptionName(dialect, kind)),
          hmac_secret: await secretOf(uuid),
        })),
    ),
    journeys: (await Promise.all(shown.map(({ number }) => journeys.ofNumber(number.uuid))))
      .flat()
      .map(({ uuid, name, number }) => ({ uuid, name, number })),
  };
}

/** The token of each number. Issues those that are not known, or that were revoked. */
async function tokensOf(platform: Platform, seeded: Seeded, numbers: readonly string[], { known, note }: TokenNotes) {
  const ofSeed = new Map(seeded.numbers.map(({ uuid, token }) => [uuid, token]));
  const issued: Record<string, string> = {};
  for (const number of numbers) {
    if (ofSeed.has(number)) continue;
    const isValid = known[number] !== undefined && (await platform.tokens.caller(known[number]))?.number.uuid === number;
    if (!isValid) issued[number] = (await platform.store.transaction(async (tx) => platform.tokens.issue(tx, number, 'sandbox'))).text;
  }
  const all = { ...known, ...issued };
  if (Object.keys(issued).length > 0) note(all);
  return (number: string): string => ofSeed.get(number) ?? all[number]!;
}
