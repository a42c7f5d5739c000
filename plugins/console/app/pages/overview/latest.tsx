import { Link } from 'wouter-preact';
import { outcomeText } from '../../../../../core/events/outcome-text.js';
import { wordOfDeliveryState } from '../../components/outcome.js';
import { Time } from '../../components/time.js';
import { live, type StreamedEvent } from '../../data/live.js';
import { kindOfEvent } from '../deliveries/words.js';
import type { Platform } from './platform.js';
import { texts } from './texts.js';

const SHOWN = 8;
/** Events that are searched for them, newest first. */
const SEARCHED = 200;

/** The newest events, each with a link to what it is about; of each delivery the newest. */
export function Latest({ webhooks }: Pick<Platform, 'webhooks'>) {
  live.version.value;
  const newest = newestOf(live.events);
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
              {event.data?.delivery?.uuid ? (
                <Link href={placeOf(event)}>
                  <bdi>{sentenceOf(event, webhooks)}</bdi>
                </Link>
              ) : (
                <>
                  <Link href={placeOf(event)}>{event.name}</Link>
                  <bdi class="quiet">{summaryOf(event)}</bdi>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function newestOf(events: readonly StreamedEvent[]): readonly StreamedEvent[] {
  const found: StreamedEvent[] = [];
  const deliveries = new Set<string>();
  for (let i = events.length - 1; i >= 0 && i >= events.length - SEARCHED && found.length < SHOWN; i--) {
    const event = events[i]!;
    const delivery = event.data?.delivery?.uuid;
    if (delivery !== undefined && deliveries.has(delivery)) continue;
    if (delivery !== undefined) deliveries.add(delivery);
    found.push(event);
  }
  return found;
}

/** Says how a delivery went, such as `Loans service received: Sent message`. */
function sentenceOf({ data: { delivery, attempt } }: StreamedEvent, webhooks: Platform['webhooks']): string {
  const receiver = webhooks.find(({ uuid }) => uuid === delivery.webhook)?.name ?? delivery.sender ?? texts.webhook;
  const what = kindOfEvent(delivery);
  if (attempt?.result === 'delivered' || delivery.state === 'delivered') return texts.received(receiver, what);
  if (attempt) return texts.didNotReceive(receiver, what, outcomeText(attempt));
  return texts.isToReceive(receiver, what, wordOfDeliveryState(delivery.state));
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
  const { message, report, advice, number } = data ?? {};
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
