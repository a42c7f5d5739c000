import { Link } from 'wouter-preact';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { wordOfDeliveryState } from '../../components/outcome.js';
import { Time } from '../../components/time.js';
import { live, type StreamedEvent } from '../../data/live.js';
import { texts } from './texts.js';

const SHOWN = 8;

/** The newest events, each with a link to what it is about. */
export function Latest() {
  live.version.value;
  const newest = live.events.slice(-SHOWN).reverse();
  return (
    <section class="card" aria-labelledby="latest">
      <div class="head">
        <h2 id="latest">{texts.latestEvents}</h2>
        <Link href="/events">{texts.allEvents}</Link>
      </div>
      {newest.length === 0 ? (
        <p class="quiet">{texts.noEvents}</p>
      ) : (
        <ol class="latest">
          {newest.map((event) => (
            <li key={event.id}>
              <Time at={event.at} />
              <Link href={placeOf(event)}>{event.name}</Link>
              <bdi class="quiet">{summaryOf(event)}</bdi>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** The page of what an event is about. */
function placeOf({ id, name, data }: StreamedEvent): string {
  const { delivery, message, advice, number, webhook } = data ?? {};
  if (delivery?.uuid) return `/deliveries/${delivery.uuid}`;
  if (message?.conversation) return `/inbox/${message.conversation}`;
  if (advice?.id) return `/advice/${advice.id}`;
  if (name.startsWith('call.') && data?.id) return `/calls/${data.id}`;
  if (name.startsWith('webhook.') && typeof webhook === 'string') return `/webhooks/${webhook}`;
  if (name === 'number.created' && number?.uuid) return `/numbers/${number.uuid}`;
  return `/events/${encodeURIComponent(id)}`;
}

function summaryOf({ name, data }: StreamedEvent): string {
  const { delivery, attempt, message, report, advice, number } = data ?? {};
  if (attempt)
    return (attempt.result === 'delivered' ? texts.attemptTo : texts.failedAttemptTo)(outcomeText(attempt), delivery.subscription);
  if (delivery) return `${delivery.subscription}, ${wordOfDeliveryState(delivery.state)}`;
  if (report) return `${report.status} · ${message.to}`;
  if (message?.direction) return `${message.direction === 'inbound' ? message.from : message.to}: ${textIn(message)}`;
  if (advice) return advice.message;
  if (name.startsWith('call.')) return `${data.status} ${data.method} ${data.path}`;
  if (number?.name) return number.name;
  return data?.name ?? data?.title ?? data?.state ?? '';
}

/** The text of a message, or its type. */
const textIn = ({ type, content }: { type: string; content?: Record<string, { body?: unknown }> }): string => {
  const body = content?.[type]?.body;
  return typeof body === 'string' ? body.slice(0, 80) : type;
};
