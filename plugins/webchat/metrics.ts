import { createCounters } from '#core/messaging';

const help = 'Calls with an unknown session, sessions of users without a valid signature, and files of other types.';

/** Counts sessions by `kind`, `anonymous` or `user`, and what the plugin refuses: `session`, `identity`, `file`. */
export const createMetrics = () =>
  createCounters({
    began: { name: 'webchat_sessions_total', help: 'Sessions of visitors that began, by kind.', labels: ['kind'] },
    refused: { name: 'webchat_refusals_total', help, labels: ['what'] },
  });

export type WebchatMetrics = ReturnType<typeof createMetrics>;
