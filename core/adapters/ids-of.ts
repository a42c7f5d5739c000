import type { LogFields } from '../ports/logger.js';

const NOUNS = ['delivery', 'webhook', 'message', 'conversation', 'number'] as const;

/** Extracts log fields from an event's payload: ids only, of its own objects and of a delivery's webhook and event. */
export function idsOf(payload: unknown): LogFields {
  const about = recordOf(payload);
  const { webhook, event } = recordOf(about.delivery);
  const ids = NOUNS.map((noun) => [`${noun}_id`, idOf(about[noun])]);
  return Object.fromEntries([['webhook_id', idOf(webhook)], ['event_id', idOf(event)], ...ids].filter(([, id]) => id !== undefined));
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const idOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : (recordOf(value).uuid as string | undefined));
