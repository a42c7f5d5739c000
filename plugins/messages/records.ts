import { collection, type JsonObject, type WebhookClaim } from '#core';

/** A typing indicator that the contact sees `until` this time. */
export interface TypingRecord {
  readonly conversation: string;
  readonly number: string;
  readonly contact: string;
  readonly until: string;
}

export const typings = collection<TypingRecord>({ key: 'conversation', tenant: { number: 'number' } });

/** Says that a webhook answers a contact. The record stays when the claim has ended, for messages that are handed back later. */
export interface ClaimRecord extends WebhookClaim {
  readonly contact: string;
  readonly number: string;
  /** Messages that were delivered with a claim and not handed back, newest last. */
  readonly claimed: readonly string[];
}

export const claims = collection<ClaimRecord>({ key: 'contact', tenant: { number: 'number' }, cold: { after: 0 } });

/** The response to a call with an `Idempotency-Key`. */
export interface IdempotencyKey {
  /** `<number> <key>` */
  readonly key: string;
  readonly number: string;
  /** Counts the keys of a number. */
  readonly n: number;
  readonly at: string;
  /** A hash of what the call asked for. */
  readonly asked: string;
  readonly status: number;
  readonly body: JsonObject;
}

export const idempotencyKeys = collection<IdempotencyKey>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { order: ['number', 'n'] },
});
