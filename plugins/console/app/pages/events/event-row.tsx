import { eventSummary } from '../../../../../core/events/event-summary.js';
import { Status, type Tone } from '../../components/status.js';
import { isGap, type LiveEvent, type StreamedEvent } from '../../data/live-event.js';

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

const format = new Intl.DateTimeFormat('en', {
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

/** A row of a list of events. `depth` indents it below the event that caused it. */
export function EventRow({ event, depth = 0, isPinned }: { event: LiveEvent; depth?: number; isPinned: boolean }) {
  if (isGap(event)) {
    return (
      <span class="gap-row">
        <Status tone="warn">Events are missing here: {summaryOf(event)}</Status>
      </span>
    );
  }
  const tone = toneOf(event);
  const indent = { paddingInlineStart: `${Math.min(depth, MAX_INDENT) * INDENT_PX}px` };
  return (
    <>
      <span style={indent}>
        {tone && <Status tone={tone}>{''}</Status>}
        <b class="grow">{event.name}</b>
        {isPinned && <small>pinned</small>}
        <EventTime at={event.at} />
      </span>
      <span style={indent}>
        <small class="grow" dir="auto">
          {summaryOf(event)}
        </small>
      </span>
    </>
  );
}

const INDENT_PX = 16;
const MAX_INDENT = 8;
