import { createCounters } from '#core/messaging';

const help = 'Callbacks without the signature of their gateway, with a status that is not known, and without the fields of a message.';

/** Counts segments, which gateways charge for, and what the plugin did not take: `signature`, `status`, `form`. */
export const createMetrics = () =>
  createCounters({
    segment: { name: 'sms_segments_total', help: 'Segments that gateways have accepted.', labels: ['encoding'] },
    refused: { name: 'sms_refusals_total', help, labels: ['what'] },
  });

export type SmsMetrics = ReturnType<typeof createMetrics>;
