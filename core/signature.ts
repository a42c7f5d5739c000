import { createHmac, timingSafeEqual } from 'node:crypto';
import { task } from './ports/workers.js';

/** Signs on a worker thread; calls of one event-loop turn, or while the worker is busy, are sent to it as one batch. */
export const signPayload = task<{ secret: string; body: string | Uint8Array }, string>(
  'delivery.sign',
  new URL('./sign.task.js', import.meta.url),
  {
    weigh: ({ secret, body }) => secret.length + body.length,
    quick: true,
  },
);

/**
 * Whether a delivery was signed with this secret (Authentication, rule 5). Pass the raw body, before any JSON parsing, and the value
 * of the signature header. Compares in constant time.
 */
export function verifySignature(secret: string, rawBody: string | Uint8Array, header: string | undefined): boolean {
  return isSameSecret(header ?? '', createHmac('sha256', secret).update(rawBody).digest('base64'));
}

/** Compares secrets and signatures in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
