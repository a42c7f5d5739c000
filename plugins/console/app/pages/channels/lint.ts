import type { AboutChannel } from './about-channel.js';

/** The subscription of connectors, which has this name in every dialect. */
const CHANNEL = 'channel';

interface Finding {
  readonly text: string;
  readonly fix: string;
  readonly href?: string;
}

/** Finds subscriptions that are allowed and probably a mistake. */
export function lintOf({ channel, webhooks, connector }: AboutChannel): Finding[] {
  const [first, ...others] = channel.webhooks;
  if (!first)
    return [
      {
        text: 'No webhook receives the messages of this channel, so they fail.',
        fix: 'Create a webhook with the subscription “channel”.',
      },
    ];
  const findings: Finding[] = [];
  const own = connector?.subscriptions ?? [];
  const extra = own.filter((name) => name !== CHANNEL);
  if (extra.length > 0)
    findings.push({
      text: `The connector also subscribes to ${listOf(extra)}.`,
      fix: 'It receives what it posted itself, and may answer its own messages in a loop. A connector needs “channel” only.',
      href: `/webhooks/${first.uuid}`,
    });
  const place = placeOf(first.url);
  for (const { uuid, name, url, subscriptions } of webhooks) {
    if (uuid === first.uuid || subscriptions.includes(CHANNEL) || placeOf(url) !== place) continue;
    findings.push({
      text: `The webhook “${name}” sends ${listOf(subscriptions)} to the endpoint of the connector.`,
      fix: 'A connector that handles them like messages to contacts answers its own messages. Use another path.',
      href: `/webhooks/${uuid}`,
    });
  }
  if (others.length > 0)
    findings.push({
      text: `${others.length + 1} webhooks receive the messages of this channel.`,
      fix: 'Each contact gets every message from each of them. Only the connector decides the statuses.',
      href: `/webhooks/${others[0]!.uuid}`,
    });
  return findings;
}

const listOf = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(' and ');

/** A URL without its query. */
function placeOf(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return origin + pathname;
  } catch {
    return url;
  }
}
