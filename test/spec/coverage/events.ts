import type { Row } from './row.js';

/** Events: the four subscriptions, and rules 1 to 5. */
export const events: readonly Row[] = [
  {
    id: 'events.configured',
    rule: 'Webhooks are configured by the owner, each with at least one subscription.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > webhooks are made, shown, changed and removed; the secret is shown once',
      'test/plugins/webhooks.test.ts > what cannot be a webhook is refused',
    ],
  },
  {
    id: 'events.header',
    rule: 'The type travels in the header X-Svc-Hook-Subscription.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > each webhook hears what it subscribed to, and nothing else',
      'test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted',
    ],
  },
  {
    id: 'events.msgapp.inbound',
    rule: 'msgapp fires for inbound messages.',
    status: 'done',
    event: 'message.received',
    subscription: 'network',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
      'test/plugins/network/inbound.test.ts > a text is told to webhooks, key for key',
    ],
  },
  {
    id: 'events.msgapp.status',
    rule: 'msgapp fires for delivery statuses.',
    status: 'done',
    event: 'message.status',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
      'test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places',
    ],
  },
  {
    id: 'events.msgapp.default',
    rule: 'msgapp is the type of a webhook that names none.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > a webhook that does not say what it listens to listens to the network'],
  },
  {
    id: 'events.msgapp.on-channels',
    rule: 'msgapp fires on channel numbers too.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words',
      'test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places',
    ],
  },
  {
    id: 'events.msgapp.not-connectors',
    rule: 'A connector must not subscribe to msgapp.',
    status: 'done',
    tests: ['test/plugins/channels.test.ts > a channel is never left without a webhook for its connector'],
  },
  {
    id: 'events.svc.fires',
    rule: 'svc fires for messages made through the message-sending endpoint.',
    status: 'done',
    subscription: 'service',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'events.svc.network-only',
    rule: 'svc is for numbers of the network.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
      'test/plugins/network/subscriptions.test.ts > subscriptions that do not go with a number are accepted, with advice',
    ],
  },
  {
    id: 'events.svc.after-acceptance',
    rule: 'svc fires only after the network has taken the message.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
      'test/plugins/network/subscriptions.test.ts > svc is told nothing of what the network refuses',
    ],
  },
  {
    id: 'events.svc.header',
    rule: 'A svc delivery has X-Msgapp-Id, the id the network gave, by which statuses name the message.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'events.journey_outbound.fires',
    rule: 'journey_outbound fires for messages of journeys.',
    status: 'done',
    subscription: 'journey_outbound',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
      'test/plugins/network/subscriptions.test.ts > what a journey says is told to journey_outbound in the form of svc',
    ],
  },
  {
    id: 'events.journey_outbound.ai',
    rule: 'journey_outbound fires for turns of AI agents.',
    status: 'done',
    tests: ['test/plugins/journeys/agents.test.ts > turns of an agent are journey_outbound events'],
  },
  {
    id: 'events.journey_outbound.format',
    rule: 'Its payload is that of svc.',
    status: 'done',
    tests: ['test/plugins/network/subscriptions.test.ts > what a journey says is told to journey_outbound in the form of svc'],
  },
  {
    id: 'events.journey_outbound.on-channels',
    rule: 'journey_outbound fires on channel numbers too.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
    ],
  },
  {
    id: 'events.journey_outbound.not-connectors',
    rule: 'A connector must not subscribe to journey_outbound.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is never left without a webhook for its connector',
      'test/plugins/network/subscriptions.test.ts > subscriptions that do not go with a number are accepted, with advice',
    ],
  },
  {
    id: 'events.channel.outbound',
    rule: 'channel fires for outbound messages of a channel number, in the shape connectors expect.',
    status: 'done',
    subscription: 'channel',
    tests: [
      'test/plugins/channel-payload.test.ts > a connector is given eight keys, whatever the message and wherever it comes from',
      'test/plugins/webhooks.test.ts > each webhook hears what it subscribed to, and nothing else',
    ],
  },
  {
    id: 'events.channel.inbound',
    rule: 'channel fires for inbound events of a channel number.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
      'test/plugins/network/subscriptions.test.ts > an inbound message that is told on channel has the shape in which connectors post',
    ],
    note: 'So only with the option inboundOnChannel of the webhooks plugin. Without it we go against the interface, as a connector that sends what it hears would echo for ever.',
  },
  {
    id: 'events.channel.connectors-only',
    rule: 'A connector subscribes to channel and nothing else.',
    status: 'done',
    tests: [
      'test/plugins/interface-channels.test.ts > a channel is exactly what was asked for, and its webhook listens exactly there',
      'test/plugins/channels.test.ts > a channel is never left without a webhook for its connector',
    ],
  },
  {
    id: 'events.channel.no-svc',
    rule: 'svc never fires on channel numbers.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
    ],
  },
  {
    id: 'events.inbound.body',
    rule: 'An inbound event has the body of the resource.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'events.reaction.body',
    rule: 'A reaction has the body of the resource.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
    ],
  },
  {
    id: 'events.sent.body',
    rule: 'A sent-message event has the body of the resource.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'events.status.body',
    rule: 'A status event has the body of the resource.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'events.errors.body',
    rule: 'Errors of a notification have the body of the resource.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href',
      'test/plugins/network/inbound.test.ts > a message with an error has errors, and others have none',
    ],
  },
  {
    id: 'events.rule-1',
    rule: 'Rule 1: a delivery may come twice; the id of its message tells.',
    status: 'done',
    tests: [
      'test/core/delivery/restarts.test.ts > a crash between sending and writing down what came of it sends the same body again',
      'test/iso/delivery-kill.test.ts > a process that is killed between sending and writing down what came of it sends the same again, and loses nothing',
    ],
  },
  {
    id: 'events.rule-2.opt-in',
    rule: 'Rule 2: reactions are delivered for numbers where that is switched on.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
    ],
  },
  {
    id: 'events.rule-2.off',
    rule: 'Rule 2: before that no reaction is delivered.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
      'test/plugins/network/subscriptions.test.ts > every subscription fires for what it is for, on a number of each kind, and nowhere else',
    ],
  },
  {
    id: 'events.rule-3',
    rule: 'Rule 3: status notifications are sent, delivered, read and failed.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'events.rule-4',
    rule: 'Rule 4: an error in sending or receiving gives a list of errors.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href',
      'test/plugins/network/inbound.test.ts > a message with an error has errors, and others have none',
      'test/plugins/network/inbound.test.ts > what the network cannot pass on is told with its errors, and has no contact',
    ],
  },
  {
    id: 'events.rule-5',
    rule: 'Rule 5: an integration is refreshed later through notify/finish and no webhook.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > later, the integration says that it is done, and the conversation that is still open is refreshed, once',
    ],
  },
];
