import { createCounters as declareCounters } from '#core/messaging';

const DOUBLES = 'Messages that the network accepted twice, because the outcome of the first send was unknown.';
const STRAYS = 'Events of the network that belong to no connected number or no known message.';

/** The counters of the plugin: messages that were accepted twice, calls to the webhook, and parts of them that belong to nothing here. */
export const createCounters = () =>
  declareCounters({
    double: { name: 'cloud_api_doubles_total', help: DOUBLES, labels: ['number_id'] },
    webhook: { name: 'cloud_api_webhooks_total', help: 'Calls of the network to the webhook.', labels: ['result'] },
    stray: { name: 'cloud_api_strays_total', help: STRAYS, labels: ['kind'] },
  });

export type Counters = ReturnType<typeof createCounters>;
