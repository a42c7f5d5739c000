import type { Row } from './row.js';

/** Resources: turns with media. */
export const turnMedia: readonly Row[] = [
  {
    id: 'turns.flow.type',
    rule: 'A flow message has type interactive.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.interactive.type',
    rule: 'A flow message has interactive.type flow.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.header',
    rule: 'A flow message has interactive.header with type text and text.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.body',
    rule: 'A flow message has interactive.body.text.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.footer',
    rule: 'A flow message has interactive.footer.text.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.action.name',
    rule: 'A flow message has interactive.action.name flow.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.flow_action',
    rule: 'parameters.flow_action is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.flow_action_payload',
    rule: 'parameters.flow_action_payload.screen is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.flow_cta',
    rule: 'parameters.flow_cta is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.flow_id',
    rule: 'parameters.flow_id is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.flow_message_version',
    rule: 'parameters.flow_message_version is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.flow_token',
    rule: 'parameters.flow_token is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.flow.parameters.mode',
    rule: 'parameters.mode is given.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a form of a journey reaches a connector with all its parameters, key for key',
    ],
  },
  {
    id: 'turns.video.type',
    rule: 'A video turn has type video.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.video.link',
    rule: 'video.link is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.video.mime_type',
    rule: 'video.mime_type is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.video.caption',
    rule: 'video.caption is there when there is a caption.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.audio.type',
    rule: 'An audio turn has type audio.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.audio.link',
    rule: 'audio.link is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.audio.mime_type',
    rule: 'audio.mime_type is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.document.type',
    rule: 'A document turn has type document.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.document.link',
    rule: 'document.link is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.document.mime_type',
    rule: 'document.mime_type is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.document.filename',
    rule: 'document.filename is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.document.caption',
    rule: 'document.caption is there when there is a caption.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.image.type',
    rule: 'An image turn has type image.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.image.link',
    rule: 'image.link is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.image.mime_type',
    rule: 'image.mime_type is given.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.image.caption',
    rule: 'image.caption is there when there is a caption.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.media.signed-link',
    rule: 'A media link is a signed URL that needs no token.',
    status: 'done',
    route: 'GET /v1/media/:id/content',
    tests: [
      'test/plugins/channel-media.test.ts > a medium that a turn names is sent as a link that anybody can follow for two minutes',
      'test/plugins/channel-media.test.ts > a link that was tampered with leads nowhere',
      'test/plugins/channel-media.test.ts > wherever a turn has a link it may name a medium',
    ],
  },
  {
    id: 'turns.media.two-minutes',
    rule: 'A media link is good for two minutes.',
    status: 'done',
    tests: ['test/plugins/channel-media.test.ts > a medium that a turn names is sent as a link that anybody can follow for two minutes'],
  },
];
