import { event } from '../ports/events.js';
import type { HttpOutcome } from '../ports/http-client.js';
import type { Lane } from '../ports/queue.js';
import { pagesOf, StoreUnavailable } from '../ports/store.js';
import type { Database, Transaction } from '../ports/transaction.js';
import type { RetryPolicy } from './retry-policy.js';
import { type WebhookRecord, webhooks } from './webhook.js';

/** Response times that decide a lane. */
export const SAMPLES = 20;
export const HIGH_UP_TO_MS = 200;
export const LOW_FROM_MS = 1000;

/** Emitted when twenty response times move a webhook to another lane; `response_ms` is their mean. */
export const laneChanged = event<{ webhook: string; lane: Lane; response_ms: number }>(
  'webhook.lane_changed',
  'The queue priority of a webhook changed.',
);

/** Response times of one endpoint since its lane was last decided. */
export interface LaneSamples {
  readonly count: number;
  readonly sumMs: number;
}

/** A lane, and the mean of the twenty response times that decided it. */
export interface LaneDecision {
  readonly lane: Lane;
  readonly meanMs: number;
}

export const noSamples: LaneSamples = { count: 0, sumMs: 0 };

/**
 * Adds a response time. After every twentieth the mean, not rounded, decides the lane of the next events: up to 200 ms `high`, below
 * one second `default`, otherwise `low` (Limits, "Webhook timing and retries", rule 2).
 */
export function sample({ count, sumMs }: LaneSamples, elapsedMs: number): { samples: LaneSamples; decision?: LaneDecision } {
  const samples = { count: count + 1, sumMs: sumMs + elapsedMs };
  if (samples.count < SAMPLES) return { samples };
  const meanMs = samples.sumMs / SAMPLES;
  return { samples: noSamples, decision: { meanMs, lane: meanMs <= HIGH_UP_TO_MS ? 'high' : meanMs < LOW_FROM_MS ? 'default' : 'low' } };
}

/** The lanes of all webhooks. A lane is stored with its webhook; the samples since then are lost with the process. */
export type Lanes = ReturnType<typeof createLanes>;

export function createLanes({ store, policy }: { store: Database; policy: RetryPolicy }) {
  const samples = new Map<string, LaneSamples>();
  const lanes = new Map<string, Lane>();
  /** Milliseconds between the attempts of webhooks with a limit. */
  const gaps = new Map<string, number>();

  return {
    /** Reads the lanes and limits of stored webhooks. Call it before the queue starts. */
    async load(): Promise<void> {
      for await (const page of pagesOf(store, webhooks)) {
        for (const webhook of page) {
          lanes.set(webhook.uuid, webhook.lane);
          limit(webhook);
        }
      }
    },

    /** Milliseconds between the starts of attempts of a webhook; undefined without a limit. */
    gapOf: (webhook: string): number | undefined => gaps.get(webhook),

    /** Call when a webhook is stored or deleted; a deleted one is not `enabled`. */
    limit,

    /** The current lane of a webhook; undefined for one created since `load` without a decision yet. */
    of: (webhook: string): Lane | undefined => lanes.get(webhook),

    /**
     * Counts a response time; a failure without a response counts with the whole deadline, so that an unreachable endpoint does not count
     * as fast.
     */
    add(webhook: string, outcome: HttpOutcome): LaneDecision | undefined {
      const next = sample(samples.get(webhook) ?? noSamples, outcome.kind === 'response' ? outcome.elapsedMs : policy.deadlineMs);
      samples.set(webhook, next.samples);
      return next.decision;
    },

    /** The response times of a webhook since its lane was last decided. */
    since: (webhook: string): LaneSamples => samples.get(webhook) ?? noSamples,

    /** Stores a decision, and emits `webhook.lane_changed` if the lane changes. */
    async decide(tx: Transaction, uuid: string, { lane, meanMs }: LaneDecision): Promise<void> {
      const webhook = await tx.in(webhooks).get(uuid);
      if (!webhook) return;
      tx.in(webhooks).put({ ...webhook, lane, response_ms: meanMs });
      if (webhook.lane !== lane) tx.emit(laneChanged, { webhook: uuid, lane, response_ms: meanMs });
      tx.afterCommit(() => void lanes.set(uuid, lane));
    },

    /** Frees the memory of deleted webhooks; later, if the store cannot be read at the moment. */
    async clean(): Promise<void> {
      const records = store.open(webhooks);
      try {
        for (const known of [samples, lanes, gaps]) {
          for (const uuid of known.keys()) if (!(await records.get(uuid))) known.delete(uuid);
        }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
      }
    },
  };

  function limit({ uuid, enabled, max_per_second: perSecond }: Pick<WebhookRecord, 'uuid' | 'enabled' | 'max_per_second'>): void {
    // The deliveries of a disabled or deleted webhook are cancelled, which needs no limit.
    if (perSecond === undefined || !enabled) gaps.delete(uuid);
    else gaps.set(uuid, 1_000 / perSecond);
  }
}
