import type { Row } from './row.js';

/** Resources: the event of an inbound message. */
export const webhookInbound: readonly Row[] = [
  {
    id: 'hooks.inbound.contacts',
    rule: 'An inbound event has a list of contacts.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.contacts.profile.name',
    rule: 'A contact has profile.name.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words',
      'test/plugins/webhooks.test.ts > the name of an event is the name of the profile, whatever the contact is called here',
    ],
  },
  {
    id: 'hooks.inbound.contacts.wa_id',
    rule: 'A contact has wa_id.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.messages',
    rule: 'An inbound event has a list of messages.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.from',
    rule: 'A message has from, its sender.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.id',
    rule: 'A message has an id.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.timestamp',
    rule: 'A message has a timestamp.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.type',
    rule: 'A message has a type.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words',
      'test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type',
    ],
  },
  {
    id: 'hooks.inbound.type.audio',
    rule: 'An event of type audio is sent.',
    status: 'done',
    tests: ['test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type'],
  },
  {
    id: 'hooks.inbound.type.document',
    rule: 'An event of type document is sent.',
    status: 'done',
    tests: ['test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type'],
  },
  {
    id: 'hooks.inbound.type.image',
    rule: 'An event of type image is sent.',
    status: 'done',
    tests: ['test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type'],
  },
  {
    id: 'hooks.inbound.type.location',
    rule: 'An event of type location is sent.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a place is told with address, name, latitude and longitude'],
  },
  {
    id: 'hooks.inbound.type.system',
    rule: 'An event of type system is sent.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a system message is told with its body, and has no contact'],
  },
  {
    id: 'hooks.inbound.type.text',
    rule: 'An event of type text is sent.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.type.video',
    rule: 'An event of type video is sent.',
    status: 'done',
    tests: ['test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type'],
  },
  {
    id: 'hooks.inbound.type.voice',
    rule: 'An event of type voice is sent.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256'],
  },
  {
    id: 'hooks.inbound.type.contacts',
    rule: 'An event of type contacts is sent.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.type.reaction',
    rule: 'An event of type reaction is sent.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
    ],
  },
  {
    id: 'hooks.inbound.context',
    rule: 'A reply has context; other messages have none.',
    status: 'done',
    tests: [
      'test/plugins/webhooks.test.ts > a reply says what it replies to',
      'test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words',
    ],
  },
  {
    id: 'hooks.inbound.context.from',
    rule: 'context.from is the sender of the message replied to.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a reply names the message it quotes and who sent that'],
  },
  {
    id: 'hooks.inbound.context.id',
    rule: 'context.id is the message replied to.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > a reply says what it replies to'],
  },
  {
    id: 'hooks.inbound.errors',
    rule: 'errors is there in case of an error only, with elements as in notification errors.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a message with an error has errors, and others have none',
      'test/plugins/network/inbound.test.ts > what the network cannot pass on is told with its errors, and has no contact',
    ],
  },
  {
    id: 'hooks.inbound.media.file',
    rule: 'audio, voice and video have file, an absolute path on the core application.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256',
      'test/plugins/network/inbound.test.ts > file is a path on the application, below the prefix under which it is mounted',
    ],
    note: 'The path of GET /v1/media/:id, for media of the network; a channel gives links of its own, and no file.',
  },
  {
    id: 'hooks.inbound.media.id',
    rule: 'audio, voice and video have id.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256',
      'test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type',
    ],
  },
  {
    id: 'hooks.inbound.media.link',
    rule: 'audio, voice and video have link.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256',
      'test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type',
    ],
  },
  {
    id: 'hooks.inbound.media.mime_type',
    rule: 'audio, voice and video have mime_type.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256',
      'test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type',
    ],
  },
  {
    id: 'hooks.inbound.media.sha256',
    rule: 'audio, voice and video have sha256.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256',
      'test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type',
    ],
  },
  {
    id: 'hooks.inbound.picture.media',
    rule: 'document and image have the same five fields.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > media of every type are told with file, id, link, mime_type and sha256',
      'test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type',
    ],
    note: 'Media of channels have what the connector gives, which is no file.',
  },
  {
    id: 'hooks.inbound.picture.caption',
    rule: 'document and image have caption.',
    status: 'done',
    tests: ['test/plugins/interface-webhooks.test.ts > media are told to webhooks as they came, under the name of their type'],
  },
  {
    id: 'hooks.inbound.location.address',
    rule: 'location.address is text.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a place is told with address, name, latitude and longitude'],
  },
  {
    id: 'hooks.inbound.location.name',
    rule: 'location.name is text.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a place is told with address, name, latitude and longitude'],
  },
  {
    id: 'hooks.inbound.location.latitude',
    rule: 'location.latitude is a number.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a place is told with address, name, latitude and longitude'],
  },
  {
    id: 'hooks.inbound.location.longitude',
    rule: 'location.longitude is a number.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a place is told with address, name, latitude and longitude'],
  },
  {
    id: 'hooks.inbound.system.body',
    rule: 'system.body is text.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > a system message is told with its body, and has no contact'],
  },
  {
    id: 'hooks.inbound.text.body',
    rule: 'text.body is text.',
    status: 'done',
    tests: ['test/plugins/webhooks.test.ts > an inbound message is told to those who listen to the network, in its words'],
  },
  {
    id: 'hooks.inbound.contacts-card.addresses',
    rule: 'A contact card has addresses with city, country, country_code, state, street, type and zip.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.birthday',
    rule: 'A contact card has a birthday as text.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.contact_image',
    rule: 'A contact card has contact_image, a picture in base64.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.emails',
    rule: 'A contact card has emails with email and type.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.ims',
    rule: 'A contact card has ims with service and user_id.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.name',
    rule: 'A contact card has name with first_name, formatted_name and last_name.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.org',
    rule: 'A contact card has org with company.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.phones',
    rule: 'A contact card has phones with phone, type and perhaps wa_id.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.contacts-card.urls',
    rule: 'A contact card has urls with url and type.',
    status: 'done',
    tests: ['test/plugins/network/inbound.test.ts > cards of contacts are told with everything on them'],
  },
  {
    id: 'hooks.inbound.reaction.message_id',
    rule: 'reaction.message_id names the message reacted to.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
    ],
  },
  {
    id: 'hooks.inbound.reaction.emoji',
    rule: 'reaction.emoji is the reaction.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
    ],
  },
  {
    id: 'hooks.inbound.reaction.removed',
    rule: 'When a reaction is taken back emoji is missing.',
    status: 'done',
    tests: [
      'test/plugins/network/inbound.test.ts > a reaction is told where that is switched on: with its emoji, and without when it is taken back',
    ],
  },
];
