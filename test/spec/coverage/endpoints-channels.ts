import { rowsOf } from './row.js';

/** Endpoints: the Channel API. */
// biome-ignore format: a row has two lines: the rule, and the tests that prove it
export const endpointsChannels = rowsOf([
  ['endpoints.channels.create', 'POST /v1/numbers creates a channel and returns number.uuid, webhook.uuid and webhook.hmac_secret.',
    ['test/plugins/channels/channels.test.ts > a channel is created with the token of a network or sandbox number, and the response has exactly three fields'], { route: 'POST /v1/numbers' }],
  ['endpoints.channels.create.fields', 'The request has backend_type, number_type, from_addr, name and endpoint.',
    ['test/plugins/channels/channels.test.ts > the errors of a new channel name each invalid field', 'test/plugins/channels/channels.test.ts > a channel is created with the token of a network or sandbox number, and the response has exactly three fields']],
  ['endpoints.channels.create.token', 'The request needs the token of an existing network or sandbox number.',
    ['test/plugins/channels/channels.test.ts > a channel is created with the token of a network or sandbox number, and the response has exactly three fields', 'test/plugins/channels/channels.test.ts > without a valid token nothing is created']],
  ['endpoints.channels.messages', 'POST /v1/numbers/<number_uuid>/messages accepts contact and message and returns success true.',
    ['test/plugins/channels/channel-messages.test.ts > a message of every type is accepted, recorded unchanged, and answered with success'], { route: 'POST /v1/numbers/:number_uuid/messages' }],
  ['endpoints.channels.statuses', 'POST /v1/numbers/<number_uuid>/statuses accepts status and returns success true.',
    ['test/plugins/channels/channel-statuses.test.ts > a status is recorded on the message with its id'], { route: 'POST /v1/numbers/:number_uuid/statuses' }],
  ['endpoints.channels.delivery', 'The platform POSTs the outbound payload to the endpoint given at creation.',
    ['test/plugins/channels/interface-channels.test.ts > a message is delivered to the endpoint of its channel with a POST']],
  ['endpoints.channels.delivery.signed', 'The delivery is signed.',
    ['test/plugins/channels/channel-media.test.ts > every attempt has a fresh link that works, and a signature over the bytes it sends']],
  ['endpoints.channels.delivery.answer', 'The connector responds with 200 and JSON: messages, with an id.',
    ['test/plugins/channels/channel-payload.test.ts > the id in the response becomes the message\'s id, and a reply that quotes it is linked to it', 'test/plugins/channels/channel-payload.test.ts > a message whose response has no id is delivered all the same, with advice']],
  ['endpoints.channels.not-shown.statuses', 'Not shown: the HTTP status of a success.',
    ['test/plugins/channels/channels.test.ts > a channel is created with the token of a network or sandbox number, and the response has exactly three fields', 'test/plugins/channels/channel-messages.test.ts > a message of every type is accepted, recorded unchanged, and answered with success', 'test/plugins/channels/channel-statuses.test.ts > a status is recorded on the message with its id'], { note: '201 for a new channel, 200 for a message or a status.' }],
]);
