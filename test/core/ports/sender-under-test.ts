import type { Worker } from 'node:worker_threads';
import { RealClock } from '../../../core/adapters/clock/real-clock.js';
import type { TargetOptions } from '../../../core/adapters/http/target-rules.js';
import { InlineSender } from '../../../core/adapters/outbound/inline-sender.js';
import { ThreadSender, type ThreadSenderOptions } from '../../../core/adapters/outbound/thread-sender.js';
import { InlinePool } from '../../../core/adapters/workers/inline-pool.js';
import type { OutboundRequest, OutboundSender, SigningKey } from '../../../core/ports/outbound.js';
import type { Tap } from '../../../core/testing/tap.js';
import { clientOf } from './http-under-test.js';

export const SECRET = 'a secret with ü and 🔑, used as UTF-8';

/** The request of a delivery. */
export const delivery = (url: string, fields: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"text":"héllo 👋"}',
  signatures: [{ header: 'x-hook-signature', key: signingKey(SECRET) }],
  deadlineMs: 5000,
  maxResponseBytes: 10_000,
  bodyMatters: false,
  ...fields,
});

const clockOf = (t: Tap) => new RealClock({ onError: (error) => t.fail(String(error)) });

/** A sender on the main thread, with a worker pool and an HTTP client as a host application brings them. */
export const inlineSenderOf = (t: Tap, targets: TargetOptions = { guard: false }): InlineSender =>
  new InlineSender({ http: clientOf(t, targets), workers: new InlinePool(), clock: clockOf(t) });

/** A sender with its thread, without an address guard. */
export function threadSenderOf(t: Tap, options: Partial<ThreadSenderOptions> = {}): ThreadSender {
  const sender = new ThreadSender({ clock: clockOf(t), targets: { guard: false }, ...options });
  t.teardown(() => sender.stop());
  return sender;
}

/** A function for each sender that creates it. */
export const senders: Readonly<Record<string, (t: Tap, targets?: TargetOptions) => OutboundSender>> = {
  'the inline sender': inlineSenderOf,
  'the thread sender': (t, targets) => threadSenderOf(t, targets && { targets }),
};

/** The worker threads that start from now on. */
export function startedWorkers(t: Tap): Worker[] {
  const workers: Worker[] = [];
  const add = (worker: Worker) => void workers.push(worker);
  process.on('worker', add);
  t.teardown(() => void process.off('worker', add));
  return workers;
}

/** A key whose secret is in memory. */
export const signingKey = (secret: string): SigningKey => ({ id: `key of ${secret}`, read: async () => secret });
