import type { DeliveryRecord } from './delivery.js';

/** The changes of a record; undefined removes a field. */
export type RecordChanges = { readonly [K in keyof DeliveryRecord]?: DeliveryRecord[K] | undefined };

/**
 * A delivery with all fields, so that V8 has one shape for all of them: copies with spread and rest cost a third of a delivery's time.
 * Absent fields are undefined.
 */
export class Delivery {
  uuid: unknown;
  number: unknown;
  webhook: unknown;
  kind: unknown;
  subscription: unknown;
  event: unknown;
  state: unknown;
  run: unknown;
  attempts: unknown;
  created_at: unknown;
  body_bytes: unknown;
  kept_bytes: unknown;
  message: unknown;
  conversation: unknown;
  order: unknown;
  recipient: unknown;
  reason: unknown;
  last_status: unknown;
  last_no_response: unknown;
  last_error: unknown;
  first_failed_at: unknown;
  due_at: unknown;
  started_at: unknown;
  resent: unknown;
  no_retry: unknown;
  lane: unknown;
  held_at: unknown;
  interruptions: unknown;
  settled_at: unknown;
  redelivered_at: unknown;
  trace: unknown;
  replay_of: unknown;
  replay_url: unknown;
  sender: unknown;

  constructor(from: RecordChanges) {
    this.uuid = from.uuid;
    this.number = from.number;
    this.webhook = from.webhook;
    this.kind = from.kind;
    this.subscription = from.subscription;
    this.event = from.event;
    this.state = from.state;
    this.run = from.run;
    this.attempts = from.attempts;
    this.created_at = from.created_at;
    this.body_bytes = from.body_bytes;
    this.kept_bytes = from.kept_bytes;
    this.message = from.message;
    this.conversation = from.conversation;
    this.order = from.order;
    this.recipient = from.recipient;
    this.reason = from.reason;
    this.last_status = from.last_status;
    this.last_no_response = from.last_no_response;
    this.last_error = from.last_error;
    this.first_failed_at = from.first_failed_at;
    this.due_at = from.due_at;
    this.started_at = from.started_at;
    this.resent = from.resent;
    this.no_retry = from.no_retry;
    this.lane = from.lane;
    this.held_at = from.held_at;
    this.interruptions = from.interruptions;
    this.settled_at = from.settled_at;
    this.redelivered_at = from.redelivered_at;
    this.trace = from.trace;
    this.replay_of = from.replay_of;
    this.replay_url = from.replay_url;
    this.sender = from.sender;
  }
}

/** Makes a record. It is frozen, because listeners of events receive it, and the outbox keeps it. */
export const deliveryRecord = (fields: RecordChanges): DeliveryRecord => Object.freeze(new Delivery(fields)) as DeliveryRecord;

/** The next record of a delivery, after `changes` and then `more`. */
export function changedRecord(before: RecordChanges, changes: RecordChanges, more?: RecordChanges): DeliveryRecord {
  const next = new Delivery(before);
  for (const field in changes) next[field as keyof Delivery] = changes[field as keyof RecordChanges];
  if (more) for (const field in more) next[field as keyof Delivery] = more[field as keyof RecordChanges];
  return Object.freeze(next) as DeliveryRecord;
}
