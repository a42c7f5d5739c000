import type { ComponentChildren } from 'preact';
import { eventSummary } from '../../../../../core/events/event-summary.js';
import { locale } from '../../../../../core/web/language.js';
import { Status, type Tone } from '../../components/status.js';
import { isGap, type LiveEvent, type StreamedEvent } from '../../data/live-event.js';
import { texts } from './texts.js';

const FIRST_ERROR = 400;

/** One line about an event. */
export function summaryOf(event: StreamedEvent): string {
  try {
    return eventSummary(event);
  } catch {
    // An event of a plugin may have the name of another one, and other data.
    return JSON.stringify(event.data)?.slice(0, 160) ?? '';
  }
}

/** Whether an event reports a failure, or something that is probably a mistake. */
export function toneOf({ name, data }: StreamedEvent): Tone | undefined {
  if (name === 'gap' || name === 'advice' || name === 'webhook.paused' || name === 'fault.fired') return 'warn';
  if (name === 'message.undeliverable' || name === 'store.failed') return 'bad';
  if (name === 'call.answered') return data?.status >= FIRST_ERROR ? 'warn' : undefined;
  if (name === 'delivery.attempted') return data?.attempt?.result === 'delivered' ? undefined : 'warn';
  if (name === 'delivery.settled') return data?.delivery?.state === 'delivered' ? undefined : 'bad';
  if (name === 'message.status') return data?.report?.status === 'failed' ? 'bad' : undefined;
  return data?.failure ? 'bad' : undefined;
}

const format = new Intl.DateTimeFormat(locale ?? 'en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});

/** The time of day with milliseconds: events of one call are that close. */
export const EventTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={at}>
    {format.format(new Date(at))}
  </time>
);

interface EventRowProps {
  readonly event: LiveEvent;
  /** Indents it below the event that caused it. */
  readonly depth?: number;
  readonly sign?: ComponentChildren;
  readonly isPinned: boolean;
}

/** The cells of a row of a list of events. */
export function EventRow({ event, depth = 0, sign, isPinned }: EventRowProps) {
  if (isGap(event)) {
    return (
      <span class="gap-row">
        <Status tone="warn">{texts.gap(summaryOf(event))}</Status>
      </span>
    );
  }
  const tone = toneOf(event);
  return (
    <>
      <span class="cell" style={{ paddingInlineStart: `${Math.min(depth, MAX_INDENT) * INDENT_PX}px` }}>
        <span>
          {tone && <Status tone={tone}>{''}</Status>} <b>{event.name}</b>
        </span>
        <small dir="auto">
          {sign} {summaryOf(event)}
        </small>
      </span>
      <span class="cell">
        <EventTime at={event.at} />
        {isPinned && <small>{texts.pinned}</small>}
      </span>
    </>
  );
}

const INDENT_PX = 16;
const MAX_INDENT = 8;
