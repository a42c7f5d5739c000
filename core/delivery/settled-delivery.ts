import { crc32 } from 'node:zlib';
import { collection } from '../ports/store.js';
import type { BodyOfMessage, DeliveryContent, DeliveryEntry, DeliveryRecord } from './delivery.js';
import { Delivery, deliveryRecord } from './delivery-record.js';

/** A body that is a string is JSON text, and stored as the value that it describes. */
type StoredContent = DeliveryContent & { readonly json?: unknown };

const SEQ_DIGITS = 12;

export const settledId = (seq: number, number: string): string => `${String(seq).padStart(SEQ_DIGITS, '0')}/${number}`;

const NO_ATTEMPTS: DeliveryEntry['attempts'] = {};
const NO_CONTENT: StoredContent = {};

/** A settled delivery, with its place in the order of creation, its attempts and its content. */
export interface SettledDelivery extends DeliveryRecord {
  /** `<seq>/<number>`: new documents are after all others, so that the store need not look for them on disk. */
  readonly id: string;
  readonly seq: number;
  /** The state, if it was not delivered: few are not, and these are searched for. */
  readonly failed?: 'cancelled' | 'dropped' | undefined;
  readonly tries?: DeliveryEntry['attempts'];
  readonly content?: StoredContent | undefined;
}

/** Settled deliveries. They stay on disk, because the history may have millions. */
export const settledDeliveries = collection<SettledDelivery>({
  key: 'id',
  tenant: { number: 'number' },
  indexes: {
    uuid: ['uuid'],
    age: ['settled_at'],
    all: ['seq'],
    webhook: ['webhook', 'seq'],
    number: ['number', 'seq'],
    message: ['message', 'seq'],
    failed: ['failed', 'seq'],
    'webhook-failed': ['webhook', 'failed', 'seq'],
    'number-failed': ['number', 'failed', 'seq'],
    event: ['event', 'webhook'],
  },
  cold: { after: 0 },
});

/** A settled delivery in the form of an entry of the outbox. */
export class SettledEntry implements DeliveryEntry {
  readonly document: SettledDelivery;
  readonly record: DeliveryRecord;
  readonly held = undefined;

  constructor(document: SettledDelivery) {
    this.document = document;
    this.record = deliveryRecord(document);
  }

  get id(): string {
    return this.document.id;
  }

  get seq(): number {
    return this.document.seq;
  }

  get index(): DeliveryRecord {
    return this.record;
  }

  get content(): DeliveryContent {
    const { json, ...content } = this.document.content ?? NO_CONTENT;
    // The same text again: it is the output of `JSON.stringify`.
    return json === undefined ? content : { ...content, body: JSON.stringify(json) };
  }

  get attempts(): DeliveryEntry['attempts'] {
    return this.document.tries ?? NO_ATTEMPTS;
  }
}

/** A delivery in any state. */
export type AnyDelivery = DeliveryEntry | SettledEntry;

/** A document with all fields, so that V8 has one shape for all of them, see `deliveryRecord`. */
export class SettledDocument extends Delivery {
  readonly id: string;
  readonly seq: number;
  readonly failed: unknown;
  readonly tries: unknown;
  content: unknown;

  constructor(record: DeliveryRecord, seq: number, tries: DeliveryEntry['attempts']) {
    super(record);
    const { number, state } = record;
    this.id = settledId(seq, number);
    this.seq = seq;
    this.failed = state === 'cancelled' || state === 'dropped' ? state : undefined;
    this.tries = tries;
    this.content = undefined;
  }

  /** The document with its content as JSON. */
  toText(content: DeliveryContent | undefined): string {
    if (typeof content?.body !== 'string') {
      this.content = content;
      return JSON.stringify(this);
    }
    const { body, ...others } = content;
    const rest = JSON.stringify(others);
    return `${JSON.stringify(this).slice(0, -1)},"content":{"json":${body}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}}`;
  }
}

/** The content of a settled delivery: without that of its message, if its place is known. */
export function settledContent(content: DeliveryContent): DeliveryContent | undefined {
  const { message_at: place, body, ...others } = content;
  if (others.of_message) return others;
  if (place && typeof body === 'string') return { ...others, of_message: bodyOfMessage(body, place) };
  return Object.keys(content).length === 0 ? undefined : content;
}

/** A body without this part, given its position and length. */
export const bodyOfMessage = (body: string, [at, length]: readonly [number, number]): BodyOfMessage => ({
  before: body.slice(0, at),
  after: body.slice(at + length),
  crc32: crc32(body),
});
