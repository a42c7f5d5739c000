import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { live, type StreamedEvent } from '../../data/live.js';
import type { NumberRecord, ShownWebhook } from '../../data/records.js';
import { eventsOf, type SubscriptionName } from './form.js';
import { texts } from './texts.js';

/** Events of a number that its webhook does not receive, and how many of them happened lately. */
export function NotSent({
  webhook,
  number,
  subscriptions,
}: {
  webhook: ShownWebhook;
  number: NumberRecord | undefined;
  subscriptions: readonly SubscriptionName[];
}) {
  const counts = useCounts(webhook.number);
  const missing = subscriptions.filter(({ kind, name }) => {
    if (webhook.subscriptions.includes(name)) return false;
    // Only channels have a connector, and messages of other numbers alone are sent through the network.
    return kind === 'channel' ? number?.kind === 'channel' : !(kind === 'service' && number?.kind === 'channel');
  });
  const receivesMessages = subscriptions.some(({ kind, name }) => kind === 'network' && webhook.subscriptions.includes(name));
  const hasNoReactions = receivesMessages && number !== undefined && !number.reactions;
  if (missing.length === 0 && !hasNoReactions) return null;
  return (
    <section class="card" aria-label={texts.notSent}>
      <h3>{texts.notSent}</h3>
      <ul class="not-sent">
        {missing.map(({ kind, name }) => (
          <li key={name}>
            <span class="subscription">{name}</span> {eventsOf[kind]}
            {counts[kind] > 0 && <strong> {texts.lately(counts[kind])}</strong>}
          </li>
        ))}
        {hasNoReactions && (
          <li>
            <span class="subscription">{texts.reactions}</span>{' '}
            {texts.turnedOffFor(<Link href={`/numbers/${webhook.number}`}>{texts.thisNumber}</Link>)}
            {counts.reaction > 0 && <strong> {texts.lately(counts.reaction)}</strong>}
          </li>
        )}
      </ul>
      <p class="quiet">{texts.messageIsMissing(<Link href="/why">{texts.findOutWhy}</Link>)}</p>
    </section>
  );
}

type Counts = Readonly<Record<SubscriptionName['kind'] | 'reaction', number>>;

/** Counts events of a number in the stream by the subscription that sends them. */
function useCounts(number: string): Counts {
  const [counts, setCounts] = useState(() => counted(number, live.events));
  useEffect(() => {
    setCounts(counted(number, live.events));
    return live.listen((batch) => setCounts((before) => added(before, counted(number, batch))));
  }, [number]);
  return counts;
}

function counted(number: string, events: readonly StreamedEvent[]): Counts {
  const counts = { network: 0, service: 0, journey_outbound: 0, channel: 0, reaction: 0 };
  for (const { name, data } of events) {
    if (data?.number?.uuid !== number) continue;
    if (name === 'message.received') {
      if (data.message?.type === 'reaction') counts.reaction++;
      counts.network++;
    } else if (name === 'message.status') counts.network++;
    else if (name === 'message.accepted') {
      if (data.message?.posted) counts.service++;
      if (data.message?.journey) counts.journey_outbound++;
    } else if (name === 'message.queued') counts.channel++;
  }
  return counts;
}

const added = (a: Counts, b: Counts): Counts => ({
  network: a.network + b.network,
  service: a.service + b.service,
  journey_outbound: a.journey_outbound + b.journey_outbound,
  channel: a.channel + b.channel,
  reaction: a.reaction + b.reaction,
});
