import { Link } from 'wouter-preact';
import { CopyText } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { JsonView } from '../../components/json-view.js';
import { kindOf, RecordLink } from '../../components/record-link.js';
import { Empty } from '../../components/status.js';
import type { LiveEvent } from '../../data/live-event.js';
import { EventTime, summaryOf } from './event-row.js';
import { texts } from './texts.js';

interface EventDetailProps {
  /** Undefined if it is no longer, or not yet, in memory. */
  readonly event: LiveEvent | undefined;
  readonly close: () => void;
  /** The query of the page. */
  readonly search: string;
  readonly isPinned: boolean;
  readonly togglePin: () => void;
}

/** An event with its data, and links to the records in it. */
export function EventDetail({ event, close, search, isPinned, togglePin }: EventDetailProps) {
  return (
    <article class="detail" aria-label={texts.event}>
      <button type="button" class="back button plain" onClick={close}>
        <Draw name="back" turns /> {texts.events}
      </button>
      {event ? (
        <Known event={event} search={search} isPinned={isPinned} togglePin={togglePin} />
      ) : (
        <Empty title={texts.notAvailable}>
          <p>{texts.exportToKeep}</p>
        </Empty>
      )}
    </article>
  );
}

function Known({ event, isPinned, togglePin }: Omit<EventDetailProps, 'event' | 'close'> & { readonly event: LiveEvent }) {
  const records = recordsIn(event);
  const message = records.find(({ kind }) => kind === 'message')?.id;
  const conversation = records.find(({ kind }) => kind === 'conversation')?.id;
  return (
    <>
      <header class="detail-head">
        <h2>{event.name}</h2>
        <div class="buttons">
          <button type="button" class="button plain" aria-pressed={isPinned} onClick={togglePin}>
            {isPinned ? texts.unpin : texts.pin}
          </button>
          <CopyText text={event.line} label={texts.theEventAsJson} shown="JSON" />
        </div>
      </header>
      <p dir="auto" class="event-text">
        {cut(summaryOf(event))}
      </p>
      {(message ?? conversation) !== undefined && (
        <div class="buttons">
          {message !== undefined && (
            <Link class="button outlined" href={`/events?about=${message}`}>
              {texts.everythingAboutThisMessage}
            </Link>
          )}
          {conversation !== undefined && (
            <Link class="button outlined" href={`/events?about=${conversation}`}>
              {texts.thisConversation}
            </Link>
          )}
          {message !== undefined && (
            <Link class="button plain" href={`/why?message=${message}`}>
              {texts.why}
            </Link>
          )}
        </div>
      )}
      <dl class="facts">
        <dt>{texts.time}</dt>
        <dd>
          <EventTime at={event.at} />
        </dd>
        <dt>{texts.id}</dt>
        <dd>
          <CopyText text={event.id} label={texts.theIdOfTheEvent} />
        </dd>
        {records.map(({ kind, key, id }) => (
          <div key={key} class="fact">
            <dt>{key}</dt>
            <dd>
              <RecordLink kind={kind} id={id} />
            </dd>
          </div>
        ))}
      </dl>
      <JsonView key={event.id} value={event.data} label={texts.dataOfTheEvent} />
    </>
  );
}

interface EventRecord {
  readonly key: string;
  readonly kind: string;
  readonly id: string;
}

const MAX_TEXT = 2_000;
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** The records in the data of an event: those at its top, and those that its message, delivery or session names. */
function recordsIn({ name: eventName, data }: LiveEvent): EventRecord[] {
  const found = new Map<string, EventRecord>();
  const add = (key: string, id: unknown): void => {
    const kind = kindOf(key);
    if (kind && typeof id === 'string' && id !== '' && !found.has(key)) found.set(key, { key, kind, id });
  };
  if (eventName === 'call.answered') found.set('call', { key: 'call', kind: 'call', id: String(data.id) });
  const top = Object.entries((data ?? {}) as Readonly<Record<string, unknown>>);
  for (const [key, value] of top) add(key, typeof value === 'string' ? value : (value as { uuid?: unknown } | null)?.uuid);
  for (const key of ['message', 'delivery', 'session']) {
    const inner = top.find(([name]) => name === key)?.[1];
    if (inner === null || typeof inner !== 'object') continue;
    for (const [name, value] of Object.entries(inner))
      add(name, typeof value === 'string' ? value : (value as { uuid?: unknown } | null)?.uuid);
  }
  return [...found.values()];
}
