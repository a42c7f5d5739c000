import type { JourneyEvent, JourneyPosition, StepReport } from './session.js';

/** The `step` of a message for a caller that does not read it. */
export const NO_DETAILS = { block: {}, context: {}, resources: [], evaluated_resources: [] };

/** An event as text: its place is a position in the places of the report. */
type TextEvent = Omit<JourneyEvent, 'at'> & { readonly at?: JourneyPosition | number; readonly step?: object };

/** Leaves out events of other types, and the `step` of messages. */
export const onlyOf = (events: readonly JourneyEvent[], types: readonly JourneyEvent['type'][]): readonly JourneyEvent[] =>
  events.flatMap((event) => {
    if (!types.includes(event.type)) return [];
    return event.type === 'message_out' && event.step !== NO_DETAILS ? { ...event, step: NO_DETAILS } : event;
  });

/** Converts a report to JSON text. Each place, half of the text of an event, is in it once, and an empty `step` is not. */
export function reportText({ events, ...report }: StepReport): string {
  const places: JourneyPosition[] = [];
  const short = events.map((event) => {
    if (!('at' in event) || !event.at) return event;
    const known = places.indexOf(event.at);
    const at = known < 0 ? places.push(event.at) - 1 : known;
    return 'step' in event && event.step === NO_DETAILS ? { ...event, at, step: undefined } : { ...event, at };
  });
  return JSON.stringify({ ...report, places, events: short });
}

/** Reads the text of `reportText`. */
export function readReport(text: string): StepReport {
  const { places, events, ...report } = JSON.parse(text) as Omit<StepReport, 'events'> & { places: JourneyPosition[]; events: TextEvent[] };
  for (const event of events as { -readonly [K in keyof TextEvent]: TextEvent[K] }[]) {
    if (typeof event.at === 'number') event.at = places[event.at]!;
    if (event.type === 'message_out') event.step ??= NO_DETAILS;
  }
  return { ...report, events: events as unknown as readonly JourneyEvent[] };
}
