import type { Row } from './row.js';

/** Endpoints: the Channel API. */
export const endpointsChannels: readonly Row[] = [
  {
    id: 'endpoints.channels.create',
    rule: 'POST /v1/numbers makes a channel and answers number.uuid, webhook.uuid and webhook.hmac_secret.',
    status: 'done',
    route: 'POST /v1/numbers',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'endpoints.channels.create.fields',
    rule: 'It takes backend_type, number_type, from_addr, name and endpoint.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > what is wrong with a new channel is said field by field',
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'endpoints.channels.create.token',
    rule: 'The token of an existing number or sandbox number makes it.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
      'test/plugins/channels.test.ts > without a token, or with a wrong one, nothing is made',
    ],
  },
  {
    id: 'endpoints.channels.messages',
    rule: 'POST /v1/numbers/<number_uuid>/messages takes contact and message and answers success true.',
    status: 'done',
    route: 'POST /v1/numbers/:number_uuid/messages',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'endpoints.channels.statuses',
    rule: 'POST /v1/numbers/<number_uuid>/statuses takes status and answers success true.',
    status: 'done',
    route: 'POST /v1/numbers/:number_uuid/statuses',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'endpoints.channels.delivery',
    rule: 'We POST the outbound payload to the endpoint given at creation.',
    status: 'done',
    tests: ['test/plugins/interface-channels.test.ts > a message is handed over at the endpoint of its channel, with a POST'],
  },
  {
    id: 'endpoints.channels.delivery.signed',
    rule: 'The delivery is signed.',
    status: 'done',
    tests: ['test/plugins/channel-media.test.ts > every attempt has a link of its own that works, and a signature over the bytes it sends'],
  },
  {
    id: 'endpoints.channels.delivery.answer',
    rule: 'The connector answers 200 with JSON, messages with an id.',
    status: 'done',
    tests: [
      'test/plugins/channel-payload.test.ts > the id of the answer names the message, and a reply that quotes it is linked to it',
      'test/plugins/channel-payload.test.ts > a connector that takes a message without naming it has it delivered all the same, with advice',
    ],
  },
  {
    id: 'endpoints.channels.not-shown.statuses',
    rule: 'Not shown: the HTTP statuses of success.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/channel-statuses.test.ts > a status is recorded on the message it names',
    ],
    note: '201 for a channel, 200 for a message or a status.',
  },
];
