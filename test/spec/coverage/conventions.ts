import { rowsOf } from './row.js';

/** Conventions: the words that replace two brand names, and the format of bodies. */
// biome-ignore format: a row has two lines: the rule, and the tests that prove it
export const conventions = rowsOf([
  ['conventions.service-word.headers', "The service's word is svc, in headers such as X-Svc-Hook-Signature and X-Svc-Hook-Subscription.",
    ['test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted']],
  ['conventions.service-word.subscription', 'The subscription for sent messages has the value svc.',
    ['test/plugins/webhooks/webhooks.test.ts > webhooks are created, shown, changed and deleted; the secret is shown once']],
  ['conventions.network-word.subscription', "The network's word is msgapp; it is the value of the subscription for the network's events.",
    ['test/plugins/webhooks/webhooks.test.ts > webhooks with the subscription msgapp receive an inbound message in the network\'s shape']],
  ['conventions.network-word.header', "The header with the network's identifier of a message is X-Msgapp-Id.",
    ['test/plugins/network/subscriptions.test.ts > svc receives what was posted, with the service\'s fields and the network\'s id']],
  ['conventions.network-word.contact-field', "The contact field with the network's identifier is msgapp_id.",
    ['test/plugins/simulation/interface.test.ts > a simulated contact has the attributes of the request, and null clears a reserved field']],
  ['conventions.json', 'Bodies are JSON unless an endpoint specifies another format.',
    ['test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted']],
]);
