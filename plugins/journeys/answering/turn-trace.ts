import type { HttpCall, JourneyEvent } from '#core/areas';

const MAX = 20;

/** What an author wants to know of a turn beside what was said: what was wrong, and what was asked of services. */
export interface TurnTrace {
  readonly warnings: readonly { readonly block: string; readonly expression: string; readonly reason: string }[];
  readonly http_calls: readonly (Pick<HttpCall, 'method' | 'url' | 'status' | 'failures'> & { readonly block: string })[];
}

/** The first of each, so that a turn that goes wrong again and again is told of in a few lines. */
export function traceOf(events: readonly JourneyEvent[]): TurnTrace {
  const warnings = events.flatMap((event) =>
    event.type === 'warning' ? { block: event.at.name, expression: event.expression, reason: event.reason } : [],
  );
  const calls = events.flatMap((event) => {
    if (event.type !== 'http_call') return [];
    const { method, url, status, failures } = event.call;
    return { block: event.at.name, method, url, status, failures };
  });
  return { warnings: warnings.slice(0, MAX), http_calls: calls.slice(0, MAX) };
}
