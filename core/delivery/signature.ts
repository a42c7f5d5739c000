import { createHmac, timingSafeEqual } from 'node:crypto';
import { task } from '../ports/workers.js';

/** Signs in a worker; calls of one turn of the event loop, or while others are away, share a trip. */
export const signPayload = task<{ secret: string; body: string }, string>('delivery.sign', new URL('./sign.task.js', import.meta.url), {
  weigh: ({ secret, body }) => secret.length + body.length,
  quick: true,
});

/**
 * Whether a delivery was signed with this secret (Authentication, rule 5). Give it the body exactly as it came, before
 * any JSON parsing, and the value of the signature header.
 */
export function verifySignature(secret: string, rawBody: string | Uint8Array, header: string | undefined): boolean {
  return isSameSecret(header ?? '', createHmac('sha256', secret).update(rawBody).digest('base64'));
}

/** Compares secrets and signatures in a time that does not tell where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
