import type { Row } from './row.js';

/** Conventions: the two words that stand in for brand names, and how bodies travel. */
export const conventions: readonly Row[] = [
  {
    id: 'conventions.service-word.headers',
    rule: "The service's word is svc, in headers such as X-Svc-Hook-Signature and X-Svc-Hook-Subscription.",
    status: 'done',
    tests: ['test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted'],
  },
  {
    id: 'conventions.service-word.subscription',
    rule: 'The subscription for sent messages has the value svc.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > webhooks are made, shown, changed and removed; the secret is shown once'],
  },
  {
    id: 'conventions.network-word.subscription',
    rule: "The network's word is msgapp; it is the value of the subscription for the network's events.",
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'conventions.network-word.header',
    rule: "The header with the network's identifier of a message is X-Msgapp-Id.",
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'conventions.network-word.contact-field',
    rule: "The contact field with the network's identifier is msgapp_id.",
    status: 'done',
    tests: [
      'test/plugins/simulation/interface.test.ts > a simulated contact has the attributes of the request, and null clears a reserved field',
    ],
  },
  {
    id: 'conventions.json',
    rule: 'Bodies are JSON unless something else is said.',
    status: 'done',
    tests: ['test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted'],
  },
];
