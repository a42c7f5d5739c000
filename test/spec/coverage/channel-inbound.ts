import type { Row } from './row.js';

/** Resources: what a connector posts of a contact. */
export const channelInbound: readonly Row[] = [
  {
    id: 'channels.inbound.contact',
    rule: 'An inbound body needs contact, an object.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a missing object is reported by its required fields, and all that is wrong is reported at once',
    ],
  },
  {
    id: 'channels.inbound.message',
    rule: 'An inbound body needs message, an object.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a missing object is reported by its required fields, and all that is wrong is reported at once',
    ],
  },
  {
    id: 'channels.inbound.contact.id',
    rule: 'contact.id names the user and is needed.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.contact.profile',
    rule: 'contact.profile, an object, is needed.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.contact.profile.name',
    rule: "contact.profile.name is the user's name.",
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      "test/plugins/channel-messages.test.ts > the contact's profile name is kept up to date, but a name that was given here stays until the profile changes",
    ],
  },
  {
    id: 'channels.inbound.type',
    rule: 'message.type is needed and one of eight words.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-messages.test.ts > a type that does not exist, a time that is none and a reply of another kind are invalid',
    ],
  },
  {
    id: 'channels.inbound.type.text',
    rule: 'A message of type text is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.video',
    rule: 'A message of type video is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.audio',
    rule: 'A message of type audio is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.button',
    rule: 'A message of type button is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.image',
    rule: 'A message of type image is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.document',
    rule: 'A message of type document is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.sticker',
    rule: 'A message of type sticker is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.type.interactive',
    rule: 'A message of type interactive is taken.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.from',
    rule: 'message.from names the user and is needed.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
    ],
  },
  {
    id: 'channels.inbound.from.reply-address',
    rule: 'Replies go to message.from.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > replies go to where the message came from'],
  },
  {
    id: 'channels.inbound.id',
    rule: 'message.id names the message and is needed.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-ids.test.ts > the same message id again is a success that changes nothing and tells nobody',
    ],
  },
  {
    id: 'channels.inbound.timestamp',
    rule: "message.timestamp is needed: Unix time, as text, at which the user's message came.",
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-messages.test.ts > a type that does not exist, a time that is none and a reply of another kind are invalid',
    ],
  },
  {
    id: 'channels.inbound.context',
    rule: 'message.context may be missing.',
    status: 'done',
    tests: ['test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success'],
  },
  {
    id: 'channels.inbound.context.id',
    rule: 'message.context.id, as text, names the outbound message that is replied to.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > what a message replies to is recorded, with who said it where that is known',
      'test/plugins/channel-messages.test.ts > a type that does not exist, a time that is none and a reply of another kind are invalid',
    ],
  },
  {
    id: 'channels.inbound.context.id.as-returned',
    rule: 'context.id is the messages[0].id with which the connector answered that delivery.',
    status: 'done',
    tests: ['test/plugins/journeys-waits.test.ts > a late reply that names what it replies to goes on from there'],
  },
  {
    id: 'channels.inbound.context.id.not-invented',
    rule: 'An identifier that no delivery was answered with correlates with nothing.',
    status: 'done',
    tests: [
      'test/plugins/journeys-waits.test.ts > a late reply finds no way back to what asked somebody else, asked nothing, or is not there any more',
    ],
  },
  {
    id: 'channels.inbound.text',
    rule: 'The object text is needed with type text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.text.body',
    rule: 'text.body is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.audio',
    rule: 'The object audio is needed with type audio.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.audio.id',
    rule: 'audio.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.audio.mime_type',
    rule: 'audio.mime_type is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.image',
    rule: 'The object image is needed with type image.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.image.id',
    rule: 'image.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.image.mime_type',
    rule: 'image.mime_type is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.image.link',
    rule: 'image.link is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.image.sha256',
    rule: 'image.sha256 is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
];
