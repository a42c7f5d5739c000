import type { HttpCall, JourneyEvent } from '#core/areas';

const MAX_ENTRIES = 20;

/** The warnings and HTTP calls of a turn, for the author who debugs the journey. */
export interface TurnTrace {
  readonly warnings: readonly { readonly block: string; readonly expression: string; readonly reason: string }[];
  readonly http_calls: readonly (Pick<HttpCall, 'method' | 'url' | 'status' | 'failures'> & { readonly block: string })[];
}

/** The first 20 warnings and the first 20 HTTP calls of a turn. */
export function traceOf(events: readonly JourneyEvent[]): TurnTrace {
  const warnings = events.flatMap((event) =>
    event.type === 'warning' ? { block: event.at.name, expression: event.expression, reason: event.reason } : [],
  );
  const calls = events.flatMap((event) => {
    if (event.type !== 'http_call') return [];
    const { method, url, status, failures } = event.call;
    return { block: event.at.name, method, url, status, failures };
  });
  return { warnings: warnings.slice(0, MAX_ENTRIES), http_calls: calls.slice(0, MAX_ENTRIES) };
}
