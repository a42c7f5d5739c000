import type { Row } from './row.js';

/** Limits, and the law of webhook timing and retries. */
export const limits: readonly Row[] = [
  {
    id: 'limits.flow-json-version',
    rule: 'flow_json has version 7.2 or higher at creation.',
    status: 'done',
    tests: [
      'test/plugins/flows/validate-cases.test.ts > every refused flow gets exactly the errors that are expected, with their codes, paths and ranges',
      'test/plugins/flows/validate-cases.test.ts > flows that are sound have no errors',
    ],
    note: 'A lower version is the one error of the flow: it is taken and cannot be published. A version above 7.3 is checked by the rules of 7.3, with a hint.',
  },
  {
    id: 'limits.flow-json-size',
    rule: 'A flow JSON file has at most 10 MB.',
    status: 'done',
    tests: ['test/plugins/flows/sizes.test.ts > a file has at most 10 MB'],
  },
  {
    id: 'limits.preview-lifetime',
    rule: 'A preview URL lives 30 days.',
    status: 'done',
    tests: [
      'test/plugins/flows/api.test.ts > the address of a preview is kept for 30 days, or until another is asked for',
      'test/plugins/flows/preview-page.test.ts > the address is good for 30 days, or until there is another, and for its flow alone',
    ],
  },
  {
    id: 'limits.throttled-flow',
    rule: 'A THROTTLED flow sends 10 messages an hour.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a throttled flow is sent ten times within any hour'],
  },
  {
    id: 'limits.media-url',
    rule: 'A signed media URL in an outbound channel payload lives 2 minutes.',
    status: 'done',
    tests: ['test/plugins/channel-media.test.ts > a medium that a turn names is sent as a link that anybody can follow for two minutes'],
  },
  {
    id: 'limits.simulation-id.min',
    rule: 'A simulation_id has at least 6 characters.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/plugins/simulation/refusals.test.ts > an id of 6 to 64 characters is taken, a UUID too',
    ],
  },
  {
    id: 'limits.simulation-id.max',
    rule: 'A simulation_id has at most 64 characters.',
    status: 'done',
    tests: [
      'test/plugins/simulation/refusals.test.ts > every refusal has exactly the words of the interface',
      'test/plugins/simulation/refusals.test.ts > an id of 6 to 64 characters is taken, a UUID too',
    ],
  },
  {
    id: 'limits.context-history',
    rule: 'A context refresh has the 10 most recent messages.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
  },
  {
    id: 'limits.typing-indicator',
    rule: 'A typing indicator lasts 25 seconds or until the next message.',
    status: 'done',
    tests: [
      'test/plugins/messages/mark.test.ts > a typing indicator goes after 25 seconds',
      'test/plugins/messages/mark.test.ts > a typing indicator goes with the next message',
    ],
  },
  {
    id: 'limits.parked-session',
    rule: 'A parked journey session lives 5 minutes, or interaction_timeout of the journey.',
    status: 'done',
    tests: [
      'test/plugins/interface-parked.test.ts > a journey that does not say how long it waits for a reply waits five minutes',
      'test/plugins/journeys-waits.test.ts > a journey waits five minutes for a reply, or as long as it says',
    ],
  },
  {
    id: 'limits.devices',
    rule: 'Flows are promised for Android 6.0 and iOS 12 and newer only.',
    status: 'partial',
    tests: ['test/browser/flow-preview.test.ts > it can be tried in a frame of 430 by 800 on another origin, and on a phone'],
    note: 'A promise of the network about its own client. The preview runs in current browsers of both.',
  },
  {
    id: 'limits.endpoint-flows',
    rule: 'Flows with endpoints are not supported: no data is exchanged on the way.',
    status: 'done',
    tests: ['test/browser/flow-preview-play.test.ts > every flow is opened, played to its end, and completed with what was filled in'],
    note: 'Such flows are validated and kept; no endpoint is ever called, and the preview shows what it would be asked.',
  },
  {
    id: 'limits.rule-1.timeout',
    rule: 'Rule 1: a webhook that does not answer within 5 seconds has failed.',
    status: 'done',
    tests: [
      'test/core/delivery/faults.test.ts > an endpoint that',
      'test/core/delivery/deliveries.test.ts > what an endpoint does, and what becomes of the delivery',
    ],
  },
  {
    id: 'limits.rule-1.retries',
    rule: 'Rule 1: after a time-out it is tried up to 5 times more, with growing delay.',
    status: 'done',
    tests: [
      'test/core/delivery/deliveries.test.ts > what an endpoint does, and what becomes of the delivery',
      'test/core/delivery/deliveries.test.ts > retries come 17, 36, 60, 91 and 138 seconds after the first failure, however long each attempt takes',
    ],
  },
  {
    id: 'limits.rule-2.queued',
    rule: 'Rule 2: events are queued before they are delivered.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an event that is accepted has its deliveries, and one that is not has none'],
  },
  {
    id: 'limits.rule-2.lanes',
    rule: 'Rule 2: there are the priorities low, default and high.',
    status: 'done',
    tests: [
      'test/core/delivery/fairness.test.ts > when the high lane has more work than slots, the others still get theirs: six to three to one',
      'test/core/delivery/fairness.test.ts > a dead and a slow endpoint do not make eight fast ones wait',

      'test/core/delivery/lanes.test.ts > the mean of twenty response times decides the lane, unrounded',
      'test/core/delivery/deliveries.test.ts > twenty response times decide the lane of what comes then',
    ],
  },
  {
    id: 'limits.rule-2.twenty',
    rule: 'Rule 2: every 20 deliveries the response time decides the priority of the next events.',
    status: 'done',
    tests: [
      'test/core/delivery/lanes.test.ts > the mean of twenty response times decides the lane, unrounded',
      'test/core/delivery/deliveries.test.ts > twenty response times decide the lane of what comes then',
    ],
  },
  {
    id: 'limits.rule-2.high',
    rule: 'Rule 2: 200 ms or less is high.',
    status: 'done',
    tests: [
      'test/core/delivery/lanes.test.ts > the mean of twenty response times decides the lane, unrounded',
      'test/core/delivery/deliveries.test.ts > twenty response times decide the lane of what comes then',
    ],
  },
  {
    id: 'limits.rule-2.default',
    rule: 'Rule 2: more than 200 ms and less than 1 second is default.',
    status: 'done',
    tests: ['test/core/delivery/lanes.test.ts > the mean of twenty response times decides the lane, unrounded'],
  },
  {
    id: 'limits.rule-2.low',
    rule: 'Rule 2: 1 second or more is low.',
    status: 'done',
    tests: [
      'test/core/delivery/lanes.test.ts > the mean of twenty response times decides the lane, unrounded',
      'test/core/delivery/deliveries.test.ts > twenty response times decide the lane of what comes then',
    ],
  },
  {
    id: 'limits.rule-2.moves',
    rule: 'Rule 2: the priority moves by itself when the speed changes.',
    status: 'done',
    tests: [
      'test/core/delivery/order.test.ts > a conversation keeps its order when its endpoint moves to another lane',

      'test/core/delivery/lanes.test.ts > every twenty count anew',
      'test/core/delivery/deliveries.test.ts > twenty response times decide the lane of what comes then',
    ],
  },
  {
    id: 'limits.rule-3.4xx',
    rule: 'Rule 3: any 4XX ends retries.',
    status: 'done',
    tests: [
      'test/core/delivery/faults.test.ts > an endpoint that',

      'test/core/delivery/retry.test.ts > what an outcome means',
      'test/core/delivery/deliveries.test.ts > what an endpoint does, and what becomes of the delivery',
    ],
  },
  {
    id: 'limits.rule-3.unresolvable',
    rule: 'Rule 3: a domain that cannot be resolved, or 502, ends retries.',
    status: 'done',
    tests: [
      'test/core/delivery/faults.test.ts > an endpoint that',

      'test/core/delivery/retry.test.ts > what an outcome means',
      'test/core/delivery/deliveries.test.ts > what an endpoint does, and what becomes of the delivery',
    ],
  },
  {
    id: 'limits.rule-3.network',
    rule: 'Rule 3: a temporary network error, or 504, is retried.',
    status: 'done',
    tests: [
      'test/core/delivery/faults.test.ts > an endpoint that',

      'test/core/delivery/retry.test.ts > what an outcome means',
      'test/core/delivery/deliveries.test.ts > what an endpoint does, and what becomes of the delivery',
    ],
  },
  {
    id: 'limits.rule-3.other',
    rule: 'Rule 3: other errors, such as 500, are retried.',
    status: 'done',
    tests: [
      'test/core/delivery/faults.test.ts > an endpoint that',

      'test/core/delivery/retry.test.ts > what an outcome means',
      'test/core/delivery/deliveries.test.ts > what an endpoint does, and what becomes of the delivery',
    ],
  },
  {
    id: 'limits.rule-4.five',
    rule: 'Rule 4: there are at most 5 retries.',
    status: 'done',
    tests: [
      'test/core/delivery/faults.test.ts > an endpoint that',

      'test/core/delivery/deliveries.test.ts > retries come 17, 36, 60, 91 and 138 seconds after the first failure, however long each attempt takes',
      'test/core/delivery/retry.test.ts > what follows from an attempt',
    ],
  },
  {
    id: 'limits.rule-4.first',
    rule: 'Rule 4: the first retry comes about 17 seconds after the first failure.',
    status: 'done',
    tests: [
      'test/core/delivery/retry.test.ts > retries are due about 17, 36, 60, 91 and 138 seconds after the first failure',
      'test/core/delivery/deliveries.test.ts > retries come 17, 36, 60, 91 and 138 seconds after the first failure, however long each attempt takes',
    ],
  },
  {
    id: 'limits.rule-4.following',
    rule: 'Rule 4: the next ones come about 19, 24, 31 and 47 seconds later.',
    status: 'done',
    tests: [
      'test/core/delivery/wall-clock.test.ts > a wall clock that is set back while retries wait makes nobody wait longer than the law says',

      'test/core/delivery/retry.test.ts > retries are due about 17, 36, 60, 91 and 138 seconds after the first failure',
      'test/core/delivery/deliveries.test.ts > retries come 17, 36, 60, 91 and 138 seconds after the first failure, however long each attempt takes',
    ],
  },
  {
    id: 'limits.rule-4.random',
    rule: 'Rule 4: the times vary a little at random.',
    status: 'done',
    tests: [
      'test/core/delivery/retry.test.ts > retries are due about 17, 36, 60, 91 and 138 seconds after the first failure',
      'test/core/delivery/deliveries.test.ts > retries vary a little by chance',
    ],
  },
  {
    id: 'limits.rule-4.dropped',
    rule: 'Rule 4: a message is dropped when its endpoint stays offline longer than 140 seconds.',
    status: 'done',
    tests: [
      'test/core/delivery/retry.test.ts > a retry has 140 seconds to join the queue, and 30 more to wait in it; a first try has all the time',
      'test/core/delivery/wall-clock.test.ts > a wall clock that is set on leaves what is overdue by less than the window, and drops the rest as expired',

      'test/core/delivery/retry.test.ts > what follows from an attempt',
      'test/core/delivery/restarts.test.ts > retries that became due while the platform was down come at once, or never when the window is over',
    ],
  },
  {
    id: 'limits.not-shown.rate',
    rule: 'Not shown: rate limits of the API.',
    status: 'done',
    tests: [
      'test/core/kernel/rate-limits.test.ts > a number may make 60 calls a minute',
      'test/core/kernel/rate-limits.test.ts > each bucket and each number has a count of its own',
      'test/core/kernel/rate-limits.test.ts > what a channel reports is not limited, nor are the admin API and routes that say so',
      'test/core/kernel/throttling.test.ts > a call that asks for it is held until the next window instead of being refused',
    ],
    note: '60 calls a minute for each number in each of the buckets general, text and media; what a channel reports is not limited. One too many is answered 429 with Retry-After; with `X-throttling: 1` it is held until the next minute, at most as many of them as the minute has calls.',
  },
  {
    id: 'limits.not-shown.simulation-idle',
    rule: 'Not shown: after what idle time a simulation expires.',
    status: 'done',
    tests: ['test/paths/simulation-turn.test.ts > after half an hour without a request a simulation is over'],
    note: '30 minutes, an option of the plugin; the memory that it was there goes a day later.',
  },
];
