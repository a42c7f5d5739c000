import { NotFound, type NumberRecord, type Platform, type PluginContext, type Transaction, type WebhookRecord } from '#core';
import { addressTaken } from '#core/messaging';

/** The `type` of channels that a connector serves over HTTP. */
export const CHANNEL_TYPE = 'channel_http_api';

export interface NewChannel {
  readonly from_addr: string;
  readonly name: string;
  readonly endpoint: string;
  readonly account: string | null;
}

type Services = Pick<PluginContext, 'numbers' | 'webhooks'>;

/**
 * Adds a channel: a number and the webhook of its connector. The number of a channel of the same account that was removed is used again, with
 * its conversations. The transaction fails with UniqueViolation when the address is taken.
 */
export async function addChannel(tx: Transaction, { numbers, webhooks }: Services, { from_addr, name, endpoint, account }: NewChannel) {
  const isSame = (number: NumberRecord): boolean =>
    number.type === CHANNEL_TYPE && number.address === from_addr && number.account === account;
  const same = (await numbers.list()).find(isSame);
  const isRemoved = same && !connectorOf(await webhooks.listening(tx, same.uuid, 'channel'));
  const number = isRemoved
    ? await numbers.update(tx, same.uuid, { name })
    : numbers.create(tx, { kind: 'channel', type: CHANNEL_TYPE, address: from_addr, name, account });
  const webhook = { number: number.uuid, url: endpoint, name, subscriptions: ['channel' as const], connector: true };
  return { number, ...webhooks.create(tx, webhook) };
}

/**
 * Creates a channel in code, in one transaction: a number, the webhook that delivers its messages to `endpoint`, and a token with which the
 * connector calls the API. `secret` signs the deliveries.
 * @throws Conflict when another channel has the address, InvalidRequest when the platform may not send requests to the endpoint
 */
export function createChannel(
  platform: Pick<Platform, 'store' | 'numbers' | 'webhooks' | 'tokens'>,
  { address, name, endpoint, account = null }: { address: string; name: string; endpoint: string; account?: string | null },
): Promise<{ number: NumberRecord; webhook: WebhookRecord; secret: string; token: string }> {
  return platform.store
    .transaction(async (tx) => {
      const channel = await addChannel(tx, platform, { from_addr: address, name, endpoint, account });
      return { ...channel, token: platform.tokens.issue(tx, channel.number.uuid, name).text };
    })
    .catch(addressTaken);
}

/**
 * Removes a channel: deletes the webhooks that receive its messages, and revokes its tokens. Its number and conversations stay.
 * @throws NotFound when there is no such channel
 */
export async function removeChannel({ store, numbers, tokens, webhooks }: PluginContext, uuid: string): Promise<void> {
  const number = await numbers.require(uuid);
  const issued = await tokens.list(uuid);
  await store.transaction(async (tx) => {
    const listening = await webhooks.listening(tx, uuid, 'channel');
    if (number.type !== CHANNEL_TYPE || listening.length === 0) throw new NotFound('channel', uuid);
    for (const webhook of listening) await webhooks.delete(tx, webhook.uuid);
    for (const token of issued) await tokens.revoke(tx, uuid, token.uuid);
  });
}

/** Selects the connector's webhook among the webhooks subscribed to a channel: the one of `addChannel`, otherwise the first. */
export const connectorOf = (listening: readonly WebhookRecord[]): WebhookRecord | undefined =>
  listening.find(({ connector }) => connector) ?? listening[0];
