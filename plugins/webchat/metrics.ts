import type { Contributions } from '#core';

/** Counts sessions, open streams, and what the plugin refuses. */
export interface WebchatMetrics {
  began: (kind: 'anonymous' | 'user') => void;
  refused: (what: 'session' | 'identity' | 'file') => void;
  readonly define: NonNullable<Contributions['metrics']>;
}

export function createMetrics(openStreams: () => number): WebchatMetrics {
  const metrics: WebchatMetrics = {
    began: () => undefined,
    refused: () => undefined,
    define({ counter, gauge }) {
      const sessions = counter({ name: 'webchat_sessions_total', help: 'Sessions of visitors that began, by kind.', labels: ['kind'] });
      metrics.began = (kind) => sessions({ kind });
      const help = 'Calls with an unknown session, sessions of users without a valid signature, and files of other types.';
      const refusals = counter({ name: 'webchat_refusals_total', help, labels: ['what'] });
      metrics.refused = (what) => refusals({ what });
      gauge({ name: 'webchat_streams', help: 'Streams that widgets have open.' }, (set) => set({}, openStreams()));
    },
  };
  return metrics;
}
