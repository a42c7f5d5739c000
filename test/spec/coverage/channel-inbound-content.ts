import type { Row } from './row.js';

/** Resources: what a connector posts of a contact, its content. */
export const channelInboundContent: readonly Row[] = [
  {
    id: 'channels.inbound.image.caption',
    rule: 'image.caption is text and may be missing.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/interface-channels.test.ts > captions and descriptions are text, where there are any',
    ],
  },
  {
    id: 'channels.inbound.video',
    rule: 'The object video is needed with type video.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.video.id',
    rule: 'video.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.video.mime_type',
    rule: 'video.mime_type is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.video.link',
    rule: 'video.link is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.video.sha256',
    rule: 'video.sha256 is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.video.filename',
    rule: 'video.filename is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.video.caption',
    rule: 'video.caption is text and may be missing.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/interface-channels.test.ts > captions and descriptions are text, where there are any',
    ],
  },
  {
    id: 'channels.inbound.document',
    rule: 'The object document is needed with type document.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.document.id',
    rule: 'document.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.document.mime_type',
    rule: 'document.mime_type is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.document.link',
    rule: 'document.link is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.document.sha256',
    rule: 'document.sha256 is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.document.filename',
    rule: 'document.filename is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.document.caption',
    rule: 'document.caption is text and may be missing.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/interface-channels.test.ts > captions and descriptions are text, where there are any',
    ],
  },
  {
    id: 'channels.inbound.sticker',
    rule: 'The object sticker is needed with type sticker.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.sticker.id',
    rule: 'sticker.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.sticker.mime_type',
    rule: 'sticker.mime_type is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.sticker.link',
    rule: 'sticker.link is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.sticker.sha256',
    rule: 'sticker.sha256 is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.sticker.filename',
    rule: 'sticker.filename is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.sticker.caption',
    rule: 'sticker.caption is text and may be missing.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/interface-channels.test.ts > captions and descriptions are text, where there are any',
    ],
  },
  {
    id: 'channels.inbound.interactive',
    rule: 'The object interactive is needed with type interactive.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.type',
    rule: 'interactive.type is button_reply or list_reply.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
      'test/plugins/channel-messages.test.ts > a type that does not exist, a time that is none and a reply of another kind are invalid',
      'test/plugins/flows/conversation.test.ts > where nfmReplies is off a connector cannot',
    ],
    note: 'The answer to a flow, `nfm_reply`, may come as well, unless the option `nfmReplies` of the channels plugin is off.',
  },
  {
    id: 'channels.inbound.interactive.button_reply',
    rule: 'With button_reply the object of that name is needed.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.button_reply.id',
    rule: 'button_reply.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.button_reply.title',
    rule: 'button_reply.title is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.list_reply',
    rule: 'With list_reply the object of that name is needed.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.list_reply.id',
    rule: 'list_reply.id is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.list_reply.title',
    rule: 'list_reply.title is needed, as text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
  },
  {
    id: 'channels.inbound.interactive.list_reply.description',
    rule: 'list_reply.description is text.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/interface-channels.test.ts > captions and descriptions are text, where there are any',
    ],
  },
  {
    id: 'channels.inbound.not-shown.button',
    rule: 'Not shown: what a message of type button looks like.',
    status: 'done',
    tests: [
      'test/plugins/channel-messages.test.ts > a message of every type is taken, recorded as it came, and answered with success',
      'test/plugins/channel-messages.test.ts > a required field that is missing, empty, blank, null or of another kind is named with what is wrong with it',
    ],
    note: 'button is an object with text, which is needed, and payload, which may be missing or null.',
  },
];
