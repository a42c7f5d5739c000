import type { PluginContext, WebhookRecord } from '#core';

/** The `type` of numbers whose messages a connector carries over HTTP. */
export const CHANNEL_TYPE = 'channel_http_api';

/** What a channel is made from. */
export interface NewChannel {
  readonly from_addr: string;
  readonly name: string;
  readonly endpoint: string;
  readonly account: string | null;
}

/** A channel is a number and the webhook its connector listens on, made together. @throws UniqueViolation when the address is taken */
export function createChannel({ store, numbers, webhooks }: PluginContext, { from_addr, name, endpoint, account }: NewChannel) {
  return store.transaction((tx) => {
    const number = numbers.create(tx, { kind: 'channel', type: CHANNEL_TYPE, address: from_addr, name, account });
    const about = { number: number.uuid, url: endpoint, name, subscriptions: ['channel' as const], connector: true };
    return { number, ...webhooks.create(tx, about) };
  });
}

/** The webhook that a channel's connector listens on; the first that subscribes to a channel that somebody made otherwise. */
export const connectorOf = (listening: readonly WebhookRecord[]): WebhookRecord | undefined =>
  listening.find(({ connector }) => connector) ?? listening[0];
