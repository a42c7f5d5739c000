import type { Contributions, PluginContext, WebhookRecord } from '#core';

type Source = NonNullable<Contributions['search']>[number];

/** More than a platform has. */
const ALL = 100_000;

/** Lets searches find webhooks: names and URLs. */
export const webhookSearch = ({ webhooks }: Pick<PluginContext, 'webhooks'>): Source => ({
  kind: 'webhook',
  permission: 'webhooks.read',
  async find({ excerptOf }, bounds) {
    const all = await webhooks.list(ALL);
    return bounds.page(
      all.filter((webhook) => bounds.sees(webhook) && excerptOf(`${webhook.name} ${webhook.url}`) !== undefined).map(foundWebhook),
    );
  },
  async byId(id) {
    const webhook = await webhooks.get(id);
    return webhook ? [foundWebhook(webhook)] : [];
  },
});

const foundWebhook = ({ uuid: id, name, url: text, created_at: at, number }: WebhookRecord) => ({
  id,
  title: name || text,
  text,
  at,
  number,
});
