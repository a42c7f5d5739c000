import { useEffect, useState } from 'preact/hooks';
import { live, type StreamedEvent } from './live.js';
import { type Query, useQuery } from './query.js';
import type { AttemptRecord, DeliveryRecord } from './records.js';

/** Deliveries that are read once; later ones arrive as events. */
const READ = 200;

/** The last attempt at a webhook, with its delivery. `attempt` is missing if it ended before the oldest known event. */
export interface Outcome {
  readonly delivery: DeliveryRecord;
  readonly attempt: AttemptRecord | undefined;
}

/** The last outcome of every webhook with recent deliveries, by the uuid of the webhook; undefined while it is loaded. */
export function useOutcomes(): ReadonlyMap<string, Outcome> | undefined {
  const { data } = useQuery<{ deliveries: readonly DeliveryRecord[] }>(`/deliveries?limit=${READ}`, ['state.']);
  const [attempted, setAttempted] = useState<ReadonlyMap<string, Outcome>>(() => withAttempts(new Map(), live.events));
  useEffect(
    () =>
      live.listen((batch) => {
        if (batch.some(({ name }) => name === 'state.reset')) setAttempted(new Map());
        if (batch.some(isAttempt)) setAttempted((before) => withAttempts(before, batch));
      }),
    [],
  );
  if (!data) return undefined;
  const all = new Map(attempted);
  for (const delivery of data.deliveries)
    if (delivery.last_status !== undefined && !all.has(delivery.webhook)) all.set(delivery.webhook, { delivery, attempt: undefined });
  return all;
}

const isAttempt = ({ name }: StreamedEvent): boolean => name === 'delivery.attempted';

function withAttempts(before: ReadonlyMap<string, Outcome>, batch: readonly StreamedEvent[]): ReadonlyMap<string, Outcome> {
  const next = new Map(before);
  for (const event of batch) if (isAttempt(event)) next.set(event.data.delivery.webhook, event.data);
  return next;
}

/** The newest attempts at a webhook, newest first. */
export function useAttempts(webhook: string | undefined, limit: number): Query<readonly AttemptRecord[]> {
  const path = webhook === undefined ? undefined : `/attempts?webhook=${webhook}&limit=${limit}`;
  const { data, error, reload } = useQuery<{ attempts: readonly AttemptRecord[] }>(path, ['state.']);
  const [newer, setNewer] = useState<{ webhook: string | undefined; attempts: readonly AttemptRecord[] }>({ webhook, attempts: [] });
  useEffect(() => {
    setNewer({ webhook, attempts: [] });
    return live.listen((batch) => {
      const found = batch.filter((event) => isAttempt(event) && event.data.delivery.webhook === webhook).map((event) => event.data.attempt);
      if (found.length > 0) setNewer(({ attempts }) => ({ webhook, attempts: [...found.reverse(), ...attempts].slice(0, limit) }));
    });
  }, [webhook, limit]);
  if (!data) return { data: undefined, error, reload };
  const first = newer.webhook === webhook ? newer.attempts : [];
  const known = new Set(first.map(({ uuid }) => uuid));
  return { data: [...first, ...data.attempts.filter(({ uuid }) => !known.has(uuid))].slice(0, limit), error, reload };
}
