import type { NumberRecord, Platform, PluginContext, Transaction, WebhookRecord } from '#core';
import { addressTaken } from '#core/areas';

/** The `type` of channels that a connector serves over HTTP. */
export const CHANNEL_TYPE = 'channel_http_api';

export interface NewChannel {
  readonly from_addr: string;
  readonly name: string;
  readonly endpoint: string;
  readonly account: string | null;
}

type Services = Pick<PluginContext, 'numbers' | 'webhooks'>;

/** Adds a channel: a number and the webhook of its connector. The transaction fails with UniqueViolation when the address is taken. */
export function addChannel(tx: Transaction, { numbers, webhooks }: Services, { from_addr, name, endpoint, account }: NewChannel) {
  const number = numbers.create(tx, { kind: 'channel', type: CHANNEL_TYPE, address: from_addr, name, account });
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
    .transaction((tx) => {
      const channel = addChannel(tx, platform, { from_addr: address, name, endpoint, account });
      return { ...channel, token: platform.tokens.issue(tx, channel.number.uuid, name).text };
    })
    .catch(addressTaken);
}

/** Selects the connector's webhook among the webhooks subscribed to a channel: the one of `addChannel`, otherwise the first. */
export const connectorOf = (listening: readonly WebhookRecord[]): WebhookRecord | undefined =>
  listening.find(({ connector }) => connector) ?? listening[0];
