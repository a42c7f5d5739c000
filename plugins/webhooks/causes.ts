import { type Causes, mistake, setting } from '#core';

/** The causes of refusals by the routes of webhooks. */
export const causes: Causes = {
  claimed_by_other: mistake('Another webhook claims the contacts of the number.', 'Set `claims` of that webhook to false first.'),
  claims_off: setting('Webhooks cannot claim contacts on this platform.', 'Set the option `claims` of the plugin `messages`.'),
  connector_webhook: mistake('The webhook belongs to the connector of a channel.', 'Change the URL of the webhook, or remove the channel.'),
};
