import type { Contributions } from '#core';

/** Counts segments, which gateways charge for, and what the plugin did not take. */
export interface SmsMetrics {
  segments: (encoding: string, count: number) => void;
  refused: (what: 'signature' | 'status' | 'form') => void;
  readonly define: NonNullable<Contributions['metrics']>;
}

export function createMetrics(): SmsMetrics {
  const counts: SmsMetrics = {
    segments: () => undefined,
    refused: () => undefined,
    define(metrics) {
      const sent = metrics.counter({ name: 'sms_segments_total', help: 'Segments that gateways have accepted.', labels: ['encoding'] });
      const help =
        'Callbacks without the signature of their gateway, with a status that is not known, and without the fields of a message.';
      const refused = metrics.counter({ name: 'sms_refusals_total', help, labels: ['what'] });
      counts.segments = (encoding, count) => {
        for (let n = 0; n < count; n++) sent({ encoding });
      };
      counts.refused = (what) => refused({ what });
    },
  };
  return counts;
}
