import { subscriptionKinds } from '../dialect.js';
import type { ChunkedText } from '../memory/chunks.js';
import { event } from '../ports/events.js';
import { lanes, queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { anyString, boolean, integer, nullable, number, object, oneOf, record, string, type TypeOf } from '../shape.js';

/** Where a delivery can be; the last three are final. */
const deliveryStates = ['queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'] as const;

const settled = { delivered: true, cancelled: true, dropped: true, queued: false, sending: false, retry_wait: false };
export const isSettled = (state: (typeof deliveryStates)[number]): boolean => settled[state];

/** A delivery as the admin API shows it. */
export const deliverySchema = object(
  {
    uuid: string(),
    number: string(),
    webhook: string(),
    kind: oneOf(...subscriptionKinds),
    /** The kind in the words of the dialect, as the receiver's header has it. */
    subscription: string(),
    /** Names the event within its webhook: the same event is delivered once. */
    event: string(),
    state: oneOf(...deliveryStates),
    /** Counts the times it was started, by the event or by hand. */
    run: integer(),
    /** Attempts made in this run. */
    attempts: integer(),
    created_at: string(),
  },
  {
    body_bytes: integer(),
    /** About what its body and the answers of the endpoint take where they are kept; long values that others use too count in full. */
    kept_bytes: integer(),
    message: string(),
    conversation: string(),
    recipient: string(),
    /** Why it was cancelled or dropped. */
    reason: string(),
    last_status: integer(),
    last_error: string(),
    first_failed_at: string(),
    /** When it is tried next. */
    due_at: string(),
    /** When the try that is going on began. */
    started_at: string(),
    /** This run is a single try. */
    no_retry: boolean().valid(true),
    /** Where it waits, or waited last, by how fast its endpoint answered when it was queued. */
    lane: oneOf(...lanes),
    /** Since when it waits for its webhook to be resumed. */
    held_at: string(),
    /** How often the present attempt was begun without an end, because the platform stopped or failed. */
    interruptions: integer(),
    settled_at: string(),
    /** When this run was started by hand. */
    redelivered_at: string(),
    /** What caused it, as the header `traceparent` of W3C Trace Context; only where the platform is traced. */
    trace: string(),
  },
);

/** One event on its way to one webhook. */
export type DeliveryRecord = TypeOf<typeof deliverySchema>;

/** With the state that it is in by now: a retry whose time has come, or whose pause is over, waits for its turn like any other delivery. */
export function atMoment(delivery: DeliveryRecord, now: Date): DeliveryRecord {
  const { due_at: dueAt, held_at: heldAt, ...rest } = delivery;
  // What a pause had held is due from then on, and has no time of its own any more.
  const isDue = delivery.state === 'retry_wait' && heldAt === undefined && (dueAt === undefined || Date.parse(dueAt) <= now.getTime());
  return isDue ? { ...rest, state: 'queued' } : delivery;
}

/** Where a signed media link belongs in the body; it is made when an attempt starts. */
export interface MediaLink {
  readonly path: readonly (string | number)[];
  readonly media: string;
}

/**
 * What is sent, frozen when the event happens. Kept apart, so that a change of state does not write it again; its long values are
 * chunks, which never change, so that every attempt sends the same bytes.
 */
export interface DeliveryBody {
  readonly delivery: string;
  readonly body: ChunkedText;
  readonly headers: Readonly<Record<string, string>>;
  readonly media_links: readonly MediaLink[];
}

/** An attempt as the admin API shows it. */
export const attemptSchema = object({
  uuid: string(),
  delivery: string(),
  run: integer(),
  /** 0 for the first try. */
  n: integer(),
  /** `interrupted`: the try before was begun and never ended, so it is made again. */
  trigger: oneOf('auto', 'manual', 'interrupted'),
  lane: oneOf(...lanes),
  started_at: string(),
  /** Null when the platform stopped meanwhile. */
  duration_ms: nullable(number()),
  result: oneOf('delivered', 'cancel', 'retry', 'interrupted'),
  /** The endpoint's HTTP status, or the one that stands for a failure of the network; 0 when nothing was sent. */
  status: integer(),
  /** For machines: `timeout`, `tls`, `network_error`, `dns_not_found`, `http_500`, ...; null when it was delivered. */
  error_code: nullable(string()),
  /** In plain words; null when it was delivered. */
  error: nullable(anyString()),
  /** The first 4 KB of the response as text; null when there was none. */
  response: nullable(anyString()),
  response_headers: record(anyString()),
});
/** One try of a delivery, and what came of it. */
export type AttemptRecord = TypeOf<typeof attemptSchema>;

export const deliveryRecords = collection<DeliveryRecord>({
  key: 'uuid',
  unique: { event: ['webhook', 'event'] },
  indexes: {
    created: ['created_at', 'uuid'],
    webhook: ['webhook', 'created_at', 'uuid'],
    number: ['number', 'created_at', 'uuid'],
    message: ['message', 'created_at', 'uuid'],
    settled: ['settled_at', 'uuid'],
  },
});

export const deliveryBodies = collection<DeliveryBody>({ key: 'delivery' });

export const attempts = collection<AttemptRecord>({ key: 'uuid', indexes: { delivery: ['delivery', 'run', 'n', 'started_at', 'uuid'] } });

export interface DeliveryJob {
  readonly delivery: string;
  readonly run: number;
  /** Its place among those that its webhook held while it was paused, and now lets go. */
  readonly released?: number;
}
export const deliveryJobs = queue<DeliveryJob>('core.deliveries');

/** What a delivery came to, with the answer for those who asked something. */
export interface DeliverySettled {
  readonly delivery: DeliveryRecord;
  /** The endpoint's answer to the attempt that settled it; null when there was none, or the delivery was settled by hand. */
  readonly response: { readonly status: number; readonly body: string; readonly cut: boolean } | null;
}

/** Announced when a delivery waits for its first attempt, also when it was started again by hand. */
export const deliveryQueued = event<{ delivery: DeliveryRecord }>('delivery.queued', 'An event waits for its delivery to a webhook.');
/** Announced when an attempt is over, before `deliverySettled` where it was the last. */
export const deliveryAttempted = event<{ delivery: DeliveryRecord; attempt: AttemptRecord }>(
  'delivery.attempted',
  'A delivery was tried once.',
);
/** Announced when a run of a delivery is over. Handlers are given the answer of the endpoint; the event stream is not. */
export const deliverySettled = event<DeliverySettled>('delivery.settled', 'A delivery was delivered, cancelled or dropped.', {
  shows: ({ delivery }) => ({ delivery }),
});
