import type { HttpCall } from '../engine/effect.js';
import type { JourneyEvent, JourneyPosition } from '../engine/session.js';

const MAX_ENTRIES = 20;

/** The name of a block, and where it begins in the notebook; a journey written as JSON has no lines. */
interface Traced extends Pick<JourneyPosition, 'line' | 'column'> {
  readonly block: string;
}

/** The warnings and HTTP calls of a turn, for the author who debugs the journey. */
export interface TurnTrace {
  readonly warnings: readonly (Traced & { readonly expression: string; readonly reason: string })[];
  readonly http_calls: readonly (Traced & Pick<HttpCall, 'method' | 'url' | 'status' | 'failures'>)[];
}

/** The first 20 warnings and the first 20 HTTP calls of a turn. */
export function traceOf(events: readonly JourneyEvent[]): TurnTrace {
  const warnings = events.flatMap((event) =>
    event.type === 'warning' ? { ...tracedAt(event.at), expression: event.expression, reason: event.reason } : [],
  );
  const calls = events.flatMap((event) => {
    if (event.type !== 'http_call') return [];
    const { method, url, status, failures } = event.call;
    return { ...tracedAt(event.at), method, url, status, failures };
  });
  return { warnings: warnings.slice(0, MAX_ENTRIES), http_calls: calls.slice(0, MAX_ENTRIES) };
}

const tracedAt = ({ name, line, column }: JourneyPosition): Traced => ({
  block: name,
  ...(line !== undefined && column !== undefined && { line, column }),
});
