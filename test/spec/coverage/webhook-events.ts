import type { Row } from './row.js';

/** Resources: events of sent messages, of statuses and of errors. */
export const webhookEvents: readonly Row[] = [
  {
    id: 'hooks.sent.payload',
    rule: 'A sent-message event has the payload that was posted to the message-sending endpoint.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
      'test/plugins/network/subscriptions.test.ts > media that were sent by id or in a journey are told as they were sent, with a link of two minutes for ours',
    ],
  },
  {
    id: 'hooks.sent.from',
    rule: 'It has from, the business.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.sent.id',
    rule: 'It has the id of the message.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.sent.timestamp',
    rule: 'It has a timestamp: Unix time as text.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.sent.to',
    rule: 'It has to, the recipient.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.sent.recipient_type',
    rule: 'It has recipient_type, such as individual.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.sent.preview_url',
    rule: 'It has preview_url, true or false.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.sent.vnd',
    rule: 'It has _vnd with v1: chat state, author, labels; not part of what was posted.',
    status: 'done',
    tests: [
      'test/plugins/network/subscriptions.test.ts > what was posted is told to svc, with what the service adds and the id of the network',
    ],
  },
  {
    id: 'hooks.status.statuses',
    rule: 'A status event has a list of statuses.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'hooks.status.id',
    rule: 'A status has the id of the message.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'hooks.status.status',
    rule: 'A status has status: sent, delivered, read or failed.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'hooks.status.timestamp',
    rule: 'A status has a timestamp: Unix time as text.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'hooks.status.recipient',
    rule: 'A status has message.recipient_id.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > every status is told, one at a time, with its recipient in both places'],
  },
  {
    id: 'hooks.error.errors',
    rule: 'Errors of a notification are a list.',
    status: 'done',
    tests: ['test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href'],
  },
  {
    id: 'hooks.error.code',
    rule: 'An error has a code.',
    status: 'done',
    tests: ['test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href'],
  },
  {
    id: 'hooks.error.title',
    rule: 'An error has a title.',
    status: 'done',
    tests: ['test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href'],
  },
  {
    id: 'hooks.error.details',
    rule: 'An error has details.',
    status: 'done',
    tests: ['test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href'],
  },
  {
    id: 'hooks.error.href',
    rule: 'An error has href, where it is described.',
    status: 'done',
    tests: ['test/plugins/network/subscriptions.test.ts > a failure is told with code, title, details and href'],
  },
];
