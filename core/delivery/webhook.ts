import { subscriptionKinds } from '../dialect.js';
import { event } from '../ports/events.js';
import { lanes, queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { array, boolean, integer, number, object, oneOf, record, string, type TypeOf } from '../shape.js';
import { retrySwitches } from './retry.js';

/** `by_hand`: requested through the admin API. `failures`: too many attempts in a row did not deliver. */
export const pauseReasons = ['by_hand', 'failures'] as const;

/** A webhook as it is kept. */
const webhookSchema = object(
  {
    uuid: string(),
    number: string(),
    url: string(),
    name: string(),
    /** In our own words; the dialect has the words that travel. */
    subscriptions: array(oneOf(...subscriptionKinds)),
    hmac_digest: oneOf('sha256'),
    enabled: boolean(),
    /** Extra headers of every delivery. */
    headers: record(string()),
    /** Where its next events queue, by how fast it answers. */
    lane: oneOf(...lanes),
    created_at: string(),
  },
  {
    /** It was made with a channel, and its connector listens on it: what it answers names messages. */
    connector: boolean().valid(true),
    /** The mean of the twenty response times that decided the lane. */
    response_ms: number(),
    /** Its own choice of what is tried again though the interface ends retries, and of whether answers are taken strictly. */
    retry_also: array(oneOf(...retrySwitches)),
    strict_answers: boolean(),
    /** Since when its deliveries wait, and why. */
    paused_at: string(),
    paused_because: oneOf(...pauseReasons),
    /** Attempts that did not deliver since one did; counted when it is paused after so many of them. */
    failures_in_a_row: integer(),
    /** It is resumed, and what it has held goes first. */
    releasing: boolean().valid(true),
    /** Until then deliveries are signed with its previous secret as well, in a header of its own. */
    previous_secret_until: string(),
  },
);

/** An endpoint that hears of a number's events. Its secret is kept apart and shown once. */
export type WebhookRecord = TypeOf<typeof webhookSchema>;

export const webhooks = collection<WebhookRecord>({ key: 'uuid', indexes: { number: ['number', 'created_at', 'uuid'] } });

/** A delivery that waits for its webhook to be resumed. */
export interface PausedDelivery {
  readonly delivery: string;
  readonly run: number;
  readonly webhook: string;
  /** Its place among those the webhook holds. */
  readonly order: number;
  /** From when the pause has held it up. */
  readonly since: string;
}
export const pausedDeliveries = collection<PausedDelivery>({ key: 'delivery', indexes: { webhook: ['webhook', 'order'] } });

/** Webhooks that let go of what they have held. */
export const webhookReleases = queue<{ webhook: string }>('core.webhook-releases');

/** Previous secrets whose time is over. */
export const secretExpiries = queue<{ webhook: string; until: string }>('core.secret-expiries');

/** Announced when deliveries to a webhook begin to wait; `resume` is the call that ends the pause. */
export const webhookPaused = event<{ webhook: string; because: (typeof pauseReasons)[number]; failures: number; resume: string }>(
  'webhook.paused',
  'Deliveries to a webhook wait until it is resumed.',
);
/** Announced when a webhook is resumed, before what it has held is sent. */
export const webhookResumed = event<{ webhook: string }>('webhook.resumed', 'A webhook was resumed; what waited for it is sent.');
/** Announced when a webhook has a new secret; `previous_secret_until` is null where the old one is over at once. */
export const secretRotated = event<{ webhook: string; previous_secret_until: string | null }>(
  'webhook.secret_rotated',
  'A webhook signs with a new secret.',
);
