import type { TypeOf } from '#core';
import { type JourneyEvent, type Place, type ReportOptions, readContext, type TurnResult } from '../../journeys/plugin.js';
import type { responseSchema } from '../schemas.js';
import { actionsOf, optionsOf, skillCallsOf, transcriptOf } from './transcript.js';

/** The events that a response without `debug` is built from. */
const SHOWN: readonly JourneyEvent['type'][] = [
  'message_out',
  'wait',
  'handed_over',
  'failure',
  'skill_call',
  'action_routed',
  'http_call',
];

/** Selects the parts of a turn that `responseOf` reads. */
export const reportFor = (debug: boolean): ReportOptions => ({ context: true, ...(!debug && { events: SHOWN }) });

/** Builds the response to a request from the results of its turns (Resources, "Journey simulation"). */
export function responseOf(
  simulation: string,
  results: readonly TurnResult[],
  debug:
    | {
        readonly elapsed_ms: number;
        readonly http_answers: { method: string; url: string; status: number; headers: Record<string, string>; body: string | null }[];
      }
    | undefined,
): TypeOf<typeof responseSchema> {
  const events = results.flatMap((result) => result.events);
  const last = results.at(-1)!;
  return {
    simulation_id: simulation,
    state: last.next.kind === 'wait' ? 'waiting_for_input' : 'end',
    message: transcriptOf(events),
    card: last.head.card,
    options: optionsOf(last.events),
    skill_calls: skillCallsOf(events),
    actions: actionsOf(events),
    http_calls: events.flatMap((event) => (event.type === 'http_call' ? { ...event.call, failures: [...event.call.failures] } : [])),
    contact: last.head.contact,
    context: last.context ?? readContext(last.session),
    ...(debug && { ...detailsOf(events), ...debug }),
  };
}

/** The additional fields of `debug`. */
export const detailsOf = (events: readonly JourneyEvent[]) => ({
  events: events.map((event) => ({ ...event })),
  path: events.flatMap((event) =>
    event.type === 'exit_taken' ? { block: event.at.name, card: event.at.card, exit: event.exit, to: event.to, ...lineOf(event.at) } : [],
  ),
  warnings: events.flatMap((event) =>
    event.type === 'warning' ? { block: event.at.name, expression: event.expression, reason: event.reason, ...lineOf(event.at) } : [],
  ),
  messages: events.flatMap((event) => (event.type === 'message_out' ? { ...event.turn } : [])),
});

/** Where the block begins in the notebook; empty for a journey written as JSON. */
const lineOf = ({ line, column }: Place) => (line !== undefined && column !== undefined ? { line, column } : {});
