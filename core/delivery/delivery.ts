import { subscriptionKindSchema } from '../dialect.js';
import type { ChunkedText } from '../memory/chunks.js';
import { event } from '../ports/events.js';
import type { Outbox, OutboxEntry } from '../ports/outbox.js';
import { lanes } from '../ports/queue.js';
import type { Transaction } from '../ports/transaction.js';
import { anyString, boolean, integer, named, nullable, number, object, oneOf, record, string, type TypeOf } from '../shape.js';
import { ALERTS } from './alert.js';
import { noResponses } from './no-response.js';

/** The states of a delivery; the last three are final. */
export const deliveryStates = ['queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'] as const;

const settled = { delivered: true, cancelled: true, dropped: true, queued: false, sending: false, retry_wait: false };
export const isSettled = (state: (typeof deliveryStates)[number]): boolean => settled[state];

const requiredFields = {
  uuid: string(),
  number: string(),
  webhook: string(),
  kind: subscriptionKindSchema(),
  /** The subscription by its name in the API, which is also the value of the subscription header. */
  subscription: string(),
  /** Idempotency key within the webhook: posting the same event again changes nothing. */
  event: string(),
  state: oneOf(...deliveryStates),
  /** 1 for the run that the event started; each redelivery adds one. */
  run: integer(),
  attempts: integer(),
  created_at: string(),
};
const optionalFields = {
  body_bytes: integer(),
  /**
   * Approximate bytes of the body and the endpoint's responses in the store. Chunks that are shared with other records count in full.
   */
  kept_bytes: integer(),
  message: string(),
  conversation: string(),
  /** Its conversation's next delivery to the webhook waits until this one is settled. */
  order: oneOf('strict'),
  recipient: string(),
  reason: string(),
  /** Like `status` and `no_response` of its newest attempt. */
  last_status: integer(),
  last_no_response: oneOf(...noResponses),
  last_error: string(),
  first_failed_at: string(),
  /** When the next attempt is due. */
  due_at: string(),
  started_at: string(),
  /** Attempts of this run that sent their request twice, because the endpoint had closed an idle connection. Each replaces a retry. */
  resent: integer(),
  /** This run makes one attempt and no retries. */
  no_retry: boolean().valid(true),
  /** The lane in which the delivery was last queued. */
  lane: oneOf(...lanes),
  /** Set while the webhook is paused: the time since which the pause delays the delivery. */
  held_at: string(),
  /** Number of starts of the current attempt without an outcome, because the platform stopped or failed. */
  interruptions: integer(),
  settled_at: string(),
  /** Time at which a redelivery started this run. */
  redelivered_at: string(),
  /** The span that caused the delivery, as a W3C `traceparent`; only if the platform has tracing. */
  trace: string(),
  /** The delivery that this one repeats with changes; only our records say so, and no header. */
  replay_of: string(),
  /** The URL that receives it instead of the webhook's. */
  replay_url: string(),
  /** The sender of a plugin that sends this delivery. Absent for deliveries to webhooks; otherwise `webhook` is the sender's destination. */
  sender: string(),
};

export const deliverySchema = named('Delivery', object(requiredFields, optionalFields));

/**
 * A delivery as the admin API lists and shows it; `duration_ms` is that of its newest attempt, `number_address` the address of its number,
 * and `contact` that of the contact whose message it is about.
 */
export const shownDeliverySchema = named(
  'ShownDelivery',
  object(requiredFields, { ...optionalFields, duration_ms: number(), number_address: string(), contact: string() }),
);
/** A delivery as the admin API shows it. */
export type ShownDelivery = TypeOf<typeof shownDeliverySchema>;

/** One event that is delivered to one webhook. */
export type DeliveryRecord = TypeOf<typeof deliverySchema>;

/** Returns a delivery as the admin API shows it: the state of a due retry is `queued`, although its record still has `retry_wait`. */
export function withCurrentState<D extends DeliveryRecord>(delivery: D, now: Date): D {
  const { due_at: dueAt, held_at: heldAt, ...rest } = delivery;
  // A retry that was paused has lost its `due_at` and is due as soon as its webhook is resumed.
  const isDue = delivery.state === 'retry_wait' && heldAt === undefined && (dueAt === undefined || Date.parse(dueAt) <= now.getTime());
  return isDue ? ({ ...rest, state: 'queued' } as D) : delivery;
}

/** When a delivery was queued, in Unix seconds, as its receiver reads it. */
export const queuedAt = ({ created_at: at }: Pick<DeliveryRecord, 'created_at'>): string => String(Math.floor(Date.parse(at) / 1_000));

/** Whether a delivery is in one of the states as the admin API shows them. Reads the record of a pending one only. */
export const hasState = (entry: DeliveryEntry, states: readonly DeliveryRecord['state'][], now: Date): boolean =>
  states.includes(isSettled(entry.index.state) ? entry.index.state : withCurrentState(entry.record, now).state);

/** Positions in the body where each attempt inserts a new signed link to a media file. */
export interface MediaLink {
  readonly path: readonly (string | number)[];
  readonly media: string;
}

/** A body without the content of its message, which is stored with the message: the text before and after it, and the CRC-32 of the body. */
export interface BodyOfMessage {
  readonly before: string;
  readonly after: string;
  readonly crc32: number;
}

/** The content of a delivery, frozen when the event happens: every attempt sends the same bytes. Empty fields are absent. */
export interface DeliveryContent {
  /** Long values are chunks, which are immutable. Absent with `of_message` after a restart, and when the delivery cannot be sent any more. */
  readonly body?: ChunkedText;
  /** Stored instead of the body. */
  readonly of_message?: BodyOfMessage;
  readonly headers?: Readonly<Record<string, string>>;
  readonly media_links?: readonly MediaLink[];
  /** The body of an edited redelivery, byte by byte; `body` is absent then. */
  readonly edited?: string;
  /** In records of format 5: where `body` has the content of its message, position and length in characters. */
  readonly message_at?: readonly [at: number, length: number];
  /** Whether `headers` has the signature to send: that of the body before it was edited. */
  readonly keeps_signature?: true;
}

export const attemptSchema = named(
  'Attempt',
  object({
    uuid: string(),
    delivery: string(),
    run: integer(),
    /** 0 for the first attempt of the run, 1 for the first retry. */
    n: integer(),
    /** `manual`: the first attempt of a redelivery. `interrupted`: repeats an attempt without an outcome. */
    trigger: oneOf('auto', 'manual', 'interrupted'),
    lane: oneOf(...lanes),
    started_at: string(),
    /** Null if the platform stopped during the attempt. */
    duration_ms: nullable(number()),
    result: oneOf('delivered', 'cancel', 'retry', 'interrupted'),
    /** The endpoint's HTTP status; 502 or 504 for a network failure; 0 if no request was sent. */
    status: integer(),
    /** Why the endpoint sent no status: `refused`, `timed_out`, `unknown_host`, `tls`, ...; null if it responded. */
    no_response: nullable(oneOf(...noResponses)),
    /** Error code, such as `timeout`, `tls`, `network_error`, `dns_not_found`, `http_500`; null when delivered. */
    error_code: nullable(string()),
    /** The error as a sentence; null when delivered. */
    error: nullable(anyString()),
    /** The first 4 KB of the response as text; null without a response. */
    response: nullable(anyString()),
    response_headers: record(anyString()),
  }),
);
/** One attempt, an HTTP request of a delivery, with its outcome. */
export type AttemptRecord = TypeOf<typeof attemptSchema>;

/** An attempt in the outbox, without the fields that are null and those that follow from its delivery. */
export type StoredAttempt = {
  readonly [K in Exclude<keyof AttemptRecord, 'uuid' | 'delivery' | 'run' | 'n'>]: Exclude<AttemptRecord[K], null> | undefined;
} & Pick<AttemptRecord, 'started_at'>;

/** A delivery in the outbox. */
export type DeliveryEntry = OutboxEntry<DeliveryRecord, DeliveryContent, StoredAttempt>;
export type DeliveryOutbox = Outbox<DeliveryEntry, Transaction>;

/** A settled delivery, with the response that contains a connector's message id. */
export interface DeliverySettled {
  readonly delivery: DeliveryRecord;
  /** The response to the attempt that settled it; null without a response, or if the delivery was cancelled. */
  readonly response: { readonly status: number; readonly body: string; readonly cut: boolean } | null;
}

/** A response that arrived after the deadline of its attempt. The attempt has failed, and is retried. */
export interface LateAnswer {
  /** As it was when the attempt started. */
  readonly delivery: DeliveryRecord;
  readonly response: NonNullable<DeliverySettled['response']>;
}

/** Whether a delivery says how its endpoint is. A copy to another URL does not, and the targets of alerts belong to no number. */
export const isOfEndpoint = ({ kind, replay_url: url }: DeliveryRecord): boolean => url === undefined && kind !== ALERTS;

/** The heap of a record, of which the event stream keeps the newest few thousand. */
const RECORD_BYTES = 500;

/** Emitted when a delivery is queued for its first attempt, also by a redelivery. */
export const deliveryQueued = event<{ delivery: DeliveryRecord }>('delivery.queued', 'A delivery to a webhook was queued.', {
  immutableBytes: () => RECORD_BYTES,
});
/** Emitted after each attempt; for the last attempt, before `deliverySettled`. */
export const deliveryAttempted = event<{ delivery: DeliveryRecord; attempt: AttemptRecord }>(
  'delivery.attempted',
  'An attempt of a delivery ended.',
  {
    immutableBytes: ({ attempt: { response } }) => 2 * RECORD_BYTES + (response?.length ?? 0),
    outcome({ delivery, attempt: { result, status, no_response, error_code, duration_ms, lane } }) {
      if (!isOfEndpoint(delivery)) return undefined;
      const { uuid, webhook, number } = delivery;
      const about = { endpoint: webhook, number, lane, ms: no_response === null ? (duration_ms ?? undefined) : undefined };
      if (result === 'delivered') return { ...about, ok: true };
      const code = no_response ?? error_code ?? undefined;
      return { ...about, ok: false, code, status: no_response === null ? status : undefined, delivery: uuid };
    },
  },
);
/** Emitted when an endpoint responds up to 25 seconds after the deadline of an attempt; for messages to connectors only. */
export const deliveryAnsweredLate = event<LateAnswer>(
  'delivery.answered_late',
  'A connector responded to an attempt after its deadline. The attempt has failed, and is retried.',
  { shows: ({ delivery, response: { status } }) => ({ delivery, status }), immutableBytes: () => RECORD_BYTES },
);
/**
 * Emitted when a run of a delivery ends. Listeners in the process receive the response of the endpoint; the event stream does not show it.
 */
export const deliverySettled = event<DeliverySettled>('delivery.settled', 'A delivery was delivered, cancelled or dropped.', {
  shows: ({ delivery }) => ({ delivery }),
  immutableBytes: () => RECORD_BYTES,
});
