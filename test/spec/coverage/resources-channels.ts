import type { Row } from './row.js';

/** Resources: channels, and what travels between us and a connector. */
export const resourcesChannels: readonly Row[] = [
  {
    id: 'channels.record.number.uuid',
    rule: 'The answer to a creation has number.uuid.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'channels.record.number.uuid.in-paths',
    rule: 'number.uuid is what stands in /v1/numbers/<number_uuid>/... paths.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/channel-statuses.test.ts > a status is recorded on the message it names',
    ],
  },
  {
    id: 'channels.record.webhook.uuid',
    rule: 'The answer to a creation has webhook.uuid.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'channels.record.webhook.hmac_secret',
    rule: 'The answer to a creation has webhook.hmac_secret.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'channels.record.webhook.hmac_secret.signs',
    rule: 'Deliveries to the connector are signed with that secret.',
    status: 'done',
    tests: ['test/plugins/channel-media.test.ts > every attempt has a link of its own that works, and a signature over the bytes it sends'],
  },
  {
    id: 'channels.record.not-shown.more',
    rule: 'Not shown: anything else in a channel record.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
    note: 'Nothing more: those three fields. What else is known of a channel is in the admin API.',
  },
  {
    id: 'channels.creation.backend_type',
    rule: 'backend_type is channel, as text; anything else is refused.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > what is wrong with a new channel is said field by field',
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'channels.creation.number_type',
    rule: 'number_type is channel_http_api, as text; anything else is refused.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > what is wrong with a new channel is said field by field',
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
    ],
  },
  {
    id: 'channels.creation.from_addr',
    rule: 'from_addr is the address of the channel.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > what is wrong with a new channel is said field by field',
      'test/plugins/interface-channels.test.ts > a channel is exactly what was asked for, and its webhook listens exactly there',
    ],
  },
  {
    id: 'channels.creation.name',
    rule: 'name is the name of the channel that is shown.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > what is wrong with a new channel is said field by field',
      'test/plugins/interface-channels.test.ts > a channel is exactly what was asked for, and its webhook listens exactly there',
    ],
  },
  {
    id: 'channels.creation.endpoint',
    rule: "endpoint is the URL of the connector's webhook.",
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > what is wrong with a new channel is said field by field',
      'test/plugins/interface-channels.test.ts > a channel is exactly what was asked for, and its webhook listens exactly there',
      'test/plugins/interface-channels.test.ts > a message is handed over at the endpoint of its channel, with a POST',
    ],
  },
  {
    id: 'channels.webhook.hmac_digest',
    rule: 'Every webhook has an hmac_digest.',
    status: 'done',
    tests: [
      'test/plugins/interface-channels.test.ts > a channel is exactly what was asked for, and its webhook listens exactly there',
      'test/plugins/webhooks.test.ts > webhooks are made, shown, changed and removed; the secret is shown once',
    ],
  },
  {
    id: 'channels.webhook.hmac_digest.sha256-only',
    rule: 'No digest but sha256 is supported.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a webhook has sha256 and nothing else, and at least one subscription',
      'test/plugins/webhooks.test.ts > what cannot be a webhook is refused',
    ],
  },
  {
    id: 'channels.webhook.hmac_secret',
    rule: 'Every webhook has an hmac_secret.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a channel is made with the token of a network or sandbox number, and the answer has three fields and no more',
      'test/plugins/webhooks.test.ts > webhooks are made, shown, changed and removed; the secret is shown once',
      'test/plugins/webhooks.test.ts > every webhook signs with its own secret',
    ],
  },
  {
    id: 'channels.webhook.subscriptions',
    rule: 'Every webhook has at least one subscription.',
    status: 'done',
    tests: [
      'test/plugins/channels.test.ts > a webhook has sha256 and nothing else, and at least one subscription',
      'test/plugins/webhooks.test.ts > what cannot be a webhook is refused',
    ],
  },
  {
    id: 'channels.reply.context',
    rule: 'Interactive and quoted replies are matched by context.id.',
    status: 'done',
    tests: ['test/plugins/journeys-waits.test.ts > a late reply that names what it replies to goes on from there'],
  },
  {
    id: 'channels.reply.button',
    rule: 'Reply buttons are answered by interactive with button_reply.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > what a contact taps comes back with the id and the title that were sent'],
  },
  {
    id: 'channels.reply.list',
    rule: 'A list is answered by interactive with list_reply.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > what a contact taps comes back with the id and the title that were sent'],
  },
  {
    id: 'channels.reply.echo',
    rule: 'The id and title of a reply are those that were sent.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > what a contact taps comes back with the id and the title that were sent'],
  },
  {
    id: 'channels.status.status',
    rule: 'The body of a status report is the object status, which is needed.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > every field of a status is required, and checked'],
  },
  {
    id: 'channels.status.id',
    rule: 'status.id is needed: the identifier of the message the channel sent.',
    status: 'done',
    tests: [
      'test/plugins/channel-statuses.test.ts > every field of a status is required, and checked',
      'test/plugins/channel-statuses.test.ts > an id that is not of a message this channel has sent is invalid',
    ],
  },
  {
    id: 'channels.status.recipient_id',
    rule: 'status.recipient_id is needed: the user it is about.',
    status: 'done',
    tests: [
      'test/plugins/channel-statuses.test.ts > every field of a status is required, and checked',
      'test/plugins/channel-statuses.test.ts > a recipient that the message did not go to is invalid',
    ],
  },
  {
    id: 'channels.status.status.word',
    rule: 'status.status is needed and one of four words.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > every field of a status is required, and checked'],
  },
  {
    id: 'channels.status.status.sent',
    rule: 'sent is taken.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'channels.status.status.delivered',
    rule: 'delivered is taken.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'channels.status.status.read',
    rule: 'read is taken.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a status is recorded on the message it names'],
  },
  {
    id: 'channels.status.status.failed',
    rule: 'failed is taken.',
    status: 'done',
    tests: ['test/plugins/channel-statuses.test.ts > a message that fails says so'],
  },
  {
    id: 'channels.status.timestamp',
    rule: 'status.timestamp is needed: Unix time of the event, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-statuses.test.ts > every field of a status is required, and checked',
      'test/plugins/channel-statuses.test.ts > a status is recorded on the message it names',
    ],
  },
  {
    id: 'channels.outbound.to',
    rule: 'The payload has to, the address of the recipient.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  {
    id: 'channels.outbound.version',
    rule: 'The payload has version, always 0.0.1-alpha.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  {
    id: 'channels.outbound.block',
    rule: 'The payload has block, the block of the step.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  {
    id: 'channels.outbound.context',
    rule: "The payload has context, the journey's context at the step.",
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  {
    id: 'channels.outbound.resources',
    rule: 'The payload has resources, those needed to show the block.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  {
    id: 'channels.outbound.evaluated_resources',
    rule: 'The payload has evaluated_resources, the same with every expression worked out against the context.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
    ],
  },
  {
    id: 'channels.outbound.waiting_for_user_input',
    rule: 'The payload has waiting_for_user_input, true when the message waits for the user.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key',
      'test/plugins/interface-turns.test.ts > a message that comes from no journey has the same eight keys, with nothing behind it',
    ],
  },
  {
    id: 'channels.outbound.turn',
    rule: 'The payload has turn, the message of the step ready to be delivered.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
      'test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key',
    ],
  },
  {
    id: 'channels.outbound.not-shown.inner',
    rule: 'Not shown: what is inside block, context, resources and evaluated_resources.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a payload has eight keys: the step behind the message as it was written, and with its expressions worked out',
      'test/plugins/interface-turns.test.ts > a message that comes from no journey has the same eight keys, with nothing behind it',
    ],
    note: 'The objects of the flow interoperability format as they were published; null, {} and [] for a message that comes from no journey.',
  },
  {
    id: 'channels.response.messages',
    rule: 'The connector answers with messages, a list with an object that has an id as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-payload.test.ts > the id of the answer names the message, and a reply that quotes it is linked to it',
      'test/plugins/channel-payload.test.ts > a connector that takes a message without naming it has it delivered all the same, with advice',
    ],
  },
  {
    id: 'channels.response.id.stored',
    rule: 'That id is kept with the message.',
    status: 'done',
    tests: ['test/plugins/channel-payload.test.ts > the id of the answer names the message, and a reply that quotes it is linked to it'],
  },
  {
    id: 'channels.response.id.referenced',
    rule: 'Later statuses name the message by that id.',
    status: 'done',
    tests: [
      'test/plugins/channel-statuses.test.ts > a status is recorded on the message it names',
      'test/plugins/channel-statuses.test.ts > an id that is not of a message this channel has sent is invalid',
    ],
  },
];
