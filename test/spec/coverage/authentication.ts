import type { Row } from './row.js';

/** Authentication, rules 1 to 9. */
export const authentication: readonly Row[] = [
  {
    id: 'authentication.rule-1.bearer',
    rule: 'Rule 1: every /v1 endpoint needs Authorization: Bearer <token>.',
    status: 'done',
    tests: [
      'test/core/kernel/number-kinds.test.ts > the mounted routes support the kinds of numbers they should, every one of them',
      'test/core/messaging/tokens.test.ts > a token that is missing, unknown, expired, revoked or garbage gets the same 401 in JSON',
    ],
  },
  {
    id: 'authentication.rule-1.issued',
    rule: 'Rule 1: the token is one that was issued.',
    status: 'done',
    tests: [
      'test/core/messaging/tokens.test.ts > a token is opaque, and shown once',
      'test/core/messaging/tokens.test.ts > a token that is missing, unknown, expired, revoked or garbage gets the same 401 in JSON',
    ],
  },
  {
    id: 'authentication.rule-2',
    rule: 'Rule 2: the number a call acts on comes from the token.',
    status: 'done',
    tests: ['test/core/messaging/tokens.test.ts > the number a call acts on comes from its token'],
  },
  {
    id: 'authentication.rule-3.creation',
    rule: 'Rule 3: a channel is made with the token of a network or sandbox number of the account.',
    status: 'done',
    tests: [
      'test/core/kernel/number-kinds.test.ts > a token of each kind of number opens what the table says, and is refused the rest',
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
      'test/plugins/channels.test.ts > a channel belongs to the business account of the number that made it',
    ],
  },
  {
    id: 'authentication.rule-3.channel-token',
    rule: 'Rule 3: messages and statuses are posted with a token of the channel itself.',
    status: 'done',
    tests: ["test/plugins/channel-messages.test.ts > only a channel's own token opens it"],
  },
  {
    id: 'authentication.rule-3.requested',
    rule: 'Rule 3: a token for the channel is requested in the user interface.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
    note: 'The admin API stands for the user interface.',
  },
  {
    id: 'authentication.rule-4',
    rule: 'Rule 4: an endpoint that the kind of number does not support answers 403 not_supported.',
    status: 'done',
    tests: [
      'test/core/kernel/number-kinds.test.ts > a token of each kind of number opens what the table says, and is refused the rest',
      'test/core/kernel/number-kinds.test.ts > the mounted routes support the kinds of numbers they should, every one of them',
    ],
  },
  {
    id: 'authentication.rule-5.signature',
    rule: "Rule 5: X-Svc-Hook-Signature is the base64 of the HMAC of the payload with the webhook's secret.",
    status: 'done',
    tests: [
      'test/core/delivery/signature.test.ts > a body is signed with base64 of HMAC-SHA256, on this thread and on a worker',
      'test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted',
      'test/plugins/webhooks.test.ts > every webhook signs with its own secret',
    ],
  },
  {
    id: 'authentication.rule-5.digest',
    rule: 'Rule 5: the digest is sha256, and no other.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a webhook has sha256 and nothing else, and at least one subscription',
      'test/core/delivery/signature.test.ts > a body is signed with base64 of HMAC-SHA256, on this thread and on a worker',
    ],
  },
  {
    id: 'authentication.rule-5.subscription',
    rule: 'Rule 5: X-Svc-Hook-Subscription is the type of the subscription.',
    status: 'done',
    tests: [
      'test/core/delivery/deliveries.test.ts > a delivery is a signed POST of exactly the bytes that were posted',
      'test/plugins/channel-payload.test.ts > a connector is given eight keys, whatever the message and wherever it comes from',
      'test/plugins/webhooks.test.ts > each webhook hears what it subscribed to, and nothing else',
    ],
  },
  {
    id: 'authentication.rule-5.all-subscriptions',
    rule: 'Rule 5: deliveries of every subscription are signed.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > every webhook signs with its own secret',
      'test/plugins/network/signatures.test.ts > deliveries of every subscription are signed with the secret of their webhook, and of no other',
    ],
  },
  {
    id: 'authentication.rule-5.receiver',
    rule: 'Rule 5: a receiver can check the signature against the payload and refuse others.',
    status: 'done',
    tests: ['test/core/delivery/signature.test.ts > a receiver checks the bytes as they came'],
  },
  {
    id: 'authentication.rule-6',
    rule: 'Rule 6: simulations are kept apart by the number of the token.',
    status: 'done',
    tests: ["test/paths/simulation-turn.test.ts > another number's token never reaches a simulation, nor the journey"],
  },
  {
    id: 'authentication.rule-7.not-shown',
    rule: 'Rule 7, not shown: how notify/finish is authenticated.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > whoever says that an action is done has to know both names; a token has to be good, and of the number',
    ],
    note: 'The two uuids are what has to be known; a token is optional, and has to be of the number.',
  },
  {
    id: 'authentication.rule-8.not-shown',
    rule: 'Rule 8, not shown: how an integration knows that it is us.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/handshake.test.ts > an API token travels as Bearer or as Token, and is shown to nobody',
    ],
    note: 'By the signature with a secret of the integration, and by an API token as Bearer or Token when it has one.',
  },
  {
    id: 'authentication.rule-9.not-shown.lifetime',
    rule: 'Rule 9, not shown: how long a token lives.',
    status: 'done',
    tests: ['test/core/messaging/tokens.test.ts > a token lives a year unless it is told otherwise'],
    note: 'A year unless another moment is given; revocable at once.',
  },
  {
    id: 'authentication.rule-9.not-shown.scopes',
    rule: 'Rule 9, not shown: scopes of tokens.',
    status: 'done',
    tests: [
      'test/core/messaging/tokens.test.ts > a token is opaque, and shown once',
      'test/core/messaging/tokens.test.ts > the number a call acts on comes from its token',
    ],
    note: 'None: a token is good for everything its number may do.',
  },
];
