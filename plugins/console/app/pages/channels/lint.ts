import type { AboutChannel } from './about-channel.js';
import { texts } from './texts.js';

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
        text: texts.noWebhookReceivesThe2,
        fix: texts.createAWebhookWithThe,
      },
    ];
  const findings: Finding[] = [];
  const own = connector?.subscriptions ?? [];
  const extra = own.filter((name) => name !== CHANNEL);
  if (extra.length > 0)
    findings.push({
      text: texts.theConnectorAlsoSubscribes(listOf(extra)),
      fix: texts.itReceivesWhatItPosted,
      href: `/webhooks/${first.uuid}`,
    });
  const place = placeOf(first.url);
  for (const { uuid, name, url, subscriptions } of webhooks) {
    if (uuid === first.uuid || subscriptions.includes(CHANNEL) || placeOf(url) !== place) continue;
    findings.push({
      text: texts.theWebhookSendsToThe(name, listOf(subscriptions)),
      fix: texts.aConnectorThatHandlesThem,
      href: `/webhooks/${uuid}`,
    });
  }
  if (others.length > 0)
    findings.push({
      text: texts.webhooksReceiveTheMessages(others.length + 1),
      fix: texts.eachContactGetsEvery,
      href: `/webhooks/${others[0]!.uuid}`,
    });
  return findings;
}

const listOf = (names: readonly string[]): string => names.map((name) => `“${name}”`).join(texts.and);

/** A URL without its query. */
function placeOf(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return origin + pathname;
  } catch {
    return url;
  }
}
