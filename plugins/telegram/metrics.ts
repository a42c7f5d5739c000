import { createCounters } from '#core/messaging';

const help = 'Calls to the webhook without its secret, messages in groups, and taps on buttons that no message has.';

/** Counts what the plugin did not take: refused calls to the `webhook`, messages in a `group`, and a `tap` on an unknown button. */
export const createRefusals = () => createCounters({ refused: { name: 'telegram_refusals_total', help, labels: ['what'] } });

export type Refusals = ReturnType<typeof createRefusals>;
