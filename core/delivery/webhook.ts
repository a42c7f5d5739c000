import { subscriptionKindSchema } from '../dialect.js';
import { event } from '../ports/events.js';
import { lanes, queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { array, boolean, integer, number, object, oneOf, record, string, type TypeOf } from '../shape.js';
import { retrySwitches } from './retry.js';

/** `by_hand`: paused through the admin API. `failures`: paused by `pauseAfterFailures`. */
export const pauseReasons = ['by_hand', 'failures'] as const;

export const webhookSchema = object(
  {
    uuid: string(),
    number: string(),
    url: string(),
    name: string(),
    /** Internal kinds; `dialect.subscriptions` maps them to the names in the API. Those of plugins have the same name in both. */
    subscriptions: array(subscriptionKindSchema()),
    hmac_digest: oneOf('sha256'),
    enabled: boolean(),
    /** Additional headers of each request. With `sealed_headers`, their values are secrets, and `…` here. */
    headers: record(string()),
    /** Queue lane of the next deliveries, decided by the response times of the endpoint. */
    lane: oneOf(...lanes),
    created_at: string(),
  },
  {
    /** Whether this is the webhook of a channel's connector, whose responses contain the ids of messages. */
    connector: boolean().valid(true),
    /** The mean of the twenty response times that decided the lane. */
    response_ms: number(),
    /** Overrides of the options `retryAlso` and `strictAnswers` for this webhook. */
    retry_also: array(oneOf(...retrySwitches)),
    strict_answers: boolean(),
    /** `strict`: a delivery waits until the previous one of its conversation is settled, also while that is retried. */
    order: oneOf('first_attempts', 'strict'),
    /** Attempts per second, so that a receiver that comes back does not get all waiting deliveries together. */
    max_per_second: number(),
    /** Whether the webhook, instead of journeys, answers contacts whose messages it receives. At most one of a number. */
    claims: boolean(),
    /** Set while the webhook is paused: the start of the pause, and the reason. */
    paused_at: string(),
    paused_because: oneOf(...pauseReasons),
    /** Failed attempts since the last successful one; counted only with `pauseAfterFailures`. */
    failures_in_a_row: integer(),
    /** True after `resume` until all paused deliveries are queued again. Newer deliveries wait behind them. */
    releasing: boolean().valid(true),
    /** Changes with the values of `headers`. Records of 0.1.0 lack it. */
    sealed_headers: string(),
    /** Until this time a second header has the signature by the previous secret. */
    previous_secret_until: string(),
  },
);

/** An endpoint that receives events of a number. Its secret is stored separately and shown once. */
export type WebhookRecord = TypeOf<typeof webhookSchema>;

export const webhooks = collection<WebhookRecord>({
  key: 'uuid',
  tenant: { number: 'number' },
  indexes: { number: ['number', 'created_at', 'uuid'] },
  audited: [
    'url',
    'name',
    'subscriptions',
    'enabled',
    'headers',
    'retry_also',
    'strict_answers',
    'order',
    'max_per_second',
    'claims',
    'paused_at',
  ],
});

/** Jobs that queue the paused deliveries of a resumed webhook again. */
export const webhookReleases = queue<{ webhook: string }>('core.webhook-releases');

/** Jobs that delete previous secrets when their overlap ends. */
export const secretExpiries = queue<{ webhook: string; until: string }>('core.secret-expiries', ({ webhook }) => ({
  kind: 'secret',
  id: webhook,
  title: `end of the previous secret of webhook ${webhook}`,
}));

/** Emitted when a webhook is paused; `resume` is the admin call that ends the pause. */
export const webhookPaused = event<{
  webhook: string;
  number: string;
  because: (typeof pauseReasons)[number];
  failures: number;
  resume: string;
}>('webhook.paused', 'A webhook was paused; its deliveries wait until it is resumed.', {
  mark: ({ webhook: endpoint, number, because, failures }) => ({
    ...{ kind: 'pause', endpoint, number },
    text: because === 'failures' ? `Paused after ${failures} failed attempts in a row` : 'Paused',
  }),
});
/** Emitted when a webhook is resumed, before its paused deliveries are sent. */
export const webhookResumed = event<{ webhook: string; number: string }>(
  'webhook.resumed',
  'A webhook was resumed; its paused deliveries are sent.',
  { mark: ({ webhook: endpoint, number }) => ({ kind: 'resume', text: 'Resumed', endpoint, number }) },
);
/** Emitted when a webhook has a new secret; `previous_secret_until` is null if the old one stopped signing immediately. */
export const secretRotated = event<{ webhook: string; previous_secret_until: string | null }>(
  'webhook.secret_rotated',
  'A webhook signs with a new secret.',
);
