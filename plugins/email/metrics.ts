import { createCounters } from '#core/messaging';

/** Counts mails by kind, and those that were not taken. */
export const createMetrics = () =>
  createCounters({
    received: { name: 'email_received_total', help: 'Mails that were received, by kind.', labels: ['kind'] },
    refused: { name: 'email_refusals_total', help: 'Mails that the listener refused, and that had no sender.', labels: ['what'] },
  });

export type EmailMetrics = ReturnType<typeof createMetrics>;
