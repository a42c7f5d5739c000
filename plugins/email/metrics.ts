import type { Contributions } from '#core';

/** Counts mails by kind, and those that were not taken. */
export interface EmailMetrics {
  received: (kind: string) => void;
  refused: (what: string) => void;
  readonly define: NonNullable<Contributions['metrics']>;
}

export function createMetrics(): EmailMetrics {
  const counts: EmailMetrics = {
    received: () => undefined,
    refused: () => undefined,
    define(metrics) {
      const received = metrics.counter({ name: 'email_received_total', help: 'Mails that were received, by kind.', labels: ['kind'] });
      const help = 'Mails that the listener refused, and that had no sender.';
      const refused = metrics.counter({ name: 'email_refusals_total', help, labels: ['what'] });
      counts.received = (kind) => received({ kind });
      counts.refused = (what) => refused({ what });
    },
  };
  return counts;
}
