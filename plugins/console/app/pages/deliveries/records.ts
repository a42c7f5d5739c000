import type { DeliveryDetail, ShownDelivery } from '#core';
import type { AttemptRecord, DeliveryRecord } from '../../data/records.js';

export type { AttemptRecord, DeliveryDetail, DeliveryRecord, ShownDelivery };

/** Milliseconds. */
export interface RetryPolicy {
  readonly deadline_ms: number;
  readonly gaps_ms: readonly number[];
  readonly window_ms: number;
}

/** `GET /admin/v1/deliveries/{uuid}`. */
export interface DeliveryAnswer {
  readonly delivery: ShownDelivery;
  readonly body: string;
  readonly attempts: readonly AttemptRecord[];
  /** Of the newest attempts; missing if deliveries are not recorded. */
  readonly details?: readonly DeliveryDetail[];
  readonly retry_policy?: RetryPolicy;
  /** Why the response that accepted the message is of no use, and what to do. */
  readonly answer_fault?: string;
}

export const states = ['queued', 'sending', 'retry_wait', 'delivered', 'cancelled', 'dropped'] as const;
