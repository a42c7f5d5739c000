import type { PluginContext, WebhookRecord } from '#core';

/** The `type` of channels that a connector serves over HTTP. */
export const CHANNEL_TYPE = 'channel_http_api';

export interface NewChannel {
  readonly from_addr: string;
  readonly name: string;
  readonly endpoint: string;
  readonly account: string | null;
}

/** Creates a channel: a number and the webhook of its connector, in one transaction. @throws UniqueViolation when the address is taken */
export function createChannel({ store, numbers, webhooks }: PluginContext, { from_addr, name, endpoint, account }: NewChannel) {
  return store.transaction((tx) => {
    const number = numbers.create(tx, { kind: 'channel', type: CHANNEL_TYPE, address: from_addr, name, account });
    const webhook = { number: number.uuid, url: endpoint, name, subscriptions: ['channel' as const], connector: true };
    return { number, ...webhooks.create(tx, webhook) };
  });
}

/** Selects the connector's webhook among the webhooks subscribed to a channel: the one of `createChannel`, otherwise the first. */
export const connectorOf = (listening: readonly WebhookRecord[]): WebhookRecord | undefined =>
  listening.find(({ connector }) => connector) ?? listening[0];
