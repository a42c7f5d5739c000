import { useQuery } from './query.js';

export interface Tally {
  readonly ok: number;
  readonly failed: number;
}

/** How the calls to a webhook or an integration, or to the service of a number, went in the last day. */
export interface Endpoint {
  readonly endpoint: string;
  readonly state: 'working' | 'unstable' | 'failing';
  readonly last_at: string;
  readonly failures_in_a_row: number;
  readonly last_15_min: Tally;
  readonly last_24_h: Tally;
  readonly last_error: {
    readonly at: string;
    readonly text: string;
    readonly details: string | null;
    readonly delivery: string | null;
  } | null;
  readonly next_attempt_at: string | null;
}

/** By uuid of the webhook, integration or number; undefined while it is loaded. Endpoints without a call in the last day have none. */
export function useEndpoints(): ReadonlyMap<string, Endpoint> | undefined {
  const { data } = useQuery<{ endpoints: readonly Endpoint[] }>('/endpoints', [
    'delivery.',
    'integration.',
    'webhook.',
    'clock.',
    'state.',
  ]);
  return data && new Map(data.endpoints.map((one) => [one.endpoint, one]));
}
