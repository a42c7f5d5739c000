import type { LogFields } from '../ports/logger.js';

const NOUNS = ['delivery', 'webhook', 'message', 'conversation', 'number'] as const;

/** Extracts log fields from an event's payload: the ids of its objects, and of the webhook and event of its delivery. */
export function idsOf(payload: unknown): LogFields {
  const fields = recordOf(payload);
  const { webhook, event } = recordOf(fields.delivery);
  const ids = NOUNS.map((noun) => [`${noun}_id`, idOf(fields[noun])]);
  return Object.fromEntries([['webhook_id', idOf(webhook)], ['event_id', idOf(event)], ...ids].filter(([, id]) => id !== undefined));
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : (recordOf(value).uuid as string | undefined));
