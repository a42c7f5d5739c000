import { NotFound, type NumberRecord, type PluginContext, type WebhookRecord } from '#core';

/** The `type` of channels that a connector serves over HTTP. */
export const CHANNEL_TYPE = 'channel_http_api';

export interface NewChannel {
  readonly from_addr: string;
  readonly name: string;
  readonly endpoint: string;
  readonly account: string | null;
}

/**
 * Creates a channel: a number and the webhook of its connector, in one transaction. The number of a channel of the same account that was
 * removed is used again, with its conversations.
 * @throws UniqueViolation when the address is taken
 */
export async function createChannel({ store, numbers, webhooks }: PluginContext, { from_addr, name, endpoint, account }: NewChannel) {
  const isSame = (number: NumberRecord): boolean =>
    number.type === CHANNEL_TYPE && number.address === from_addr && number.account === account;
  const same = (await numbers.list()).find(isSame);
  return store.transaction(async (tx) => {
    const isRemoved = same && !connectorOf(await webhooks.listening(tx, same.uuid, 'channel'));
    const number = isRemoved
      ? await numbers.update(tx, same.uuid, { name })
      : numbers.create(tx, { kind: 'channel', type: CHANNEL_TYPE, address: from_addr, name, account });
    const webhook = { number: number.uuid, url: endpoint, name, subscriptions: ['channel' as const], connector: true };
    return { number, ...webhooks.create(tx, webhook) };
  });
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

/** Selects the connector's webhook among the webhooks subscribed to a channel: the one of `createChannel`, otherwise the first. */
export const connectorOf = (listening: readonly WebhookRecord[]): WebhookRecord | undefined =>
  listening.find(({ connector }) => connector) ?? listening[0];
