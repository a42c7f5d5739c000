import Joi from 'joi';
import type { SubscriptionKind } from '../dialect.js';
import { queue } from '../ports/queue.js';
import { collection } from '../ports/store.js';
import { anyString, dateTime, named, object, oneOf, record, string, type TypeOf } from '../shape.js';

/** From the least severe on. */
export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

/** Where alerts are posted. */
export interface AlertTarget {
  readonly url: string;
  /** The least severe alerts that it receives; `warning` if not given. */
  readonly from?: Severity;
  /** Signs the requests, as the secret of a webhook does; they have no signature if not given. */
  readonly secret?: string;
}

export const alertTargetsSchema = Joi.array()
  .items(
    Joi.object({
      url: Joi.string()
        .uri({ scheme: ['http', 'https'] })
        .required(),
      from: Joi.valid(...severities).default('warning'),
      secret: Joi.string().min(16),
    }),
  )
  .max(10)
  .unique('url')
  .default([]);

/** The subscription of alerts in deliveries and in the header of their requests. */
export const ALERTS = 'core.alerts' as SubscriptionKind;

/** An alert is about this. No text of it names a contact. */
const condition = {
  /** The same from when the alert is raised until it is resolved, and when it is raised again. */
  id: string(),
  /** The kind of problem, such as `webhook_paused`. */
  name: string(),
  severity: oneOf(...severities),
  /** One or two sentences: the problem, then how to solve it. */
  text: anyString(),
  /** The ids of the records that it is about, by their kind, such as `number` and `webhook`. */
  about: record(string()),
};

/** The body of a request. */
export const alertSchema = named(
  'Alert',
  object({ ...condition, state: oneOf('raised', 'resolved'), at: dateTime() }).example({
    id: 'webhook_paused/5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
    name: 'webhook_paused',
    severity: 'warning',
    text: "Webhook 'Loan desk' was paused after 20 failed attempts in a row. When its endpoint works: POST /admin/v1/webhooks/5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90/resume",
    about: { number: '8f1d7c52-1f0c-4f2a-a8a5-3d8a3c1b5e77', webhook: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90' },
    state: 'raised',
    at: '2027-03-01T02:00:00.000Z',
  }),
);
export type Alert = TypeOf<typeof alertSchema>;

/** A problem, and the number that it belongs to: `PLATFORM` if it belongs to none. */
export interface Condition extends Omit<Alert, 'state' | 'at'> {
  readonly number: string;
  /** `advice.dismissed` names it when the problem is solved. */
  readonly cause?: string | undefined;
}

/** Stands for a number in what belongs to none. */
export const PLATFORM = 'platform';

/** A raised alert, so that a restart does not raise it again. Deleted when it is resolved. */
export interface AlertRecord extends Condition {
  readonly posted_at: string;
}

export const alertRecords = collection<AlertRecord>({
  key: 'id',
  tenant: { number: 'number' },
  indexes: { cause: ['cause'], posted: ['posted_at', 'id'] },
});

/** Jobs that post that an alert is resolved, a minute after its problem has ended. */
export const alertRecoveries = queue<{ alert: string; number: string }>('core.alert-recoveries', ({ alert }) => ({
  kind: 'alert',
  id: alert,
  title: `recovery message of alert ${alert}`,
}));
