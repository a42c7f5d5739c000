import type { Contributions } from '#core';

/** Counts what the plugin did not take: refused calls to the webhook, messages in groups, taps on unknown buttons. */
export interface Refusals {
  count: (what: 'webhook' | 'group' | 'tap') => void;
  readonly define: NonNullable<Contributions['metrics']>;
}

export function createRefusals(): Refusals {
  const refusals: Refusals = {
    count: () => undefined,
    define(metrics) {
      const help = 'Calls to the webhook without its secret, messages in groups, and taps on buttons that no message has.';
      const counted = metrics.counter({ name: 'telegram_refusals_total', help, labels: ['what'] });
      refusals.count = (what) => counted({ what });
    },
  };
  return refusals;
}
