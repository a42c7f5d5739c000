import type { Row } from './row.js';

/** Resources: turns of text, choices and templates. */
export const turnKinds: readonly Row[] = [
  {
    id: 'turns.text.type',
    rule: 'A text turn has type text.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.text.body',
    rule: 'A text turn has text.body.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.text.markdown',
    rule: 'Markdown and emoji of a body arrive as they were written.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.card.shape',
    rule: 'A content card has the shape of a text turn.',
    status: 'done',
    tests: [
      'test/plugins/interface-journey-turns.test.ts > a content card reaches a connector as a text; its media follow as texts, and the block has everything about it',
    ],
  },
  {
    id: 'turns.card.media',
    rule: 'Media of a content card are not in its turn; they follow as text messages of their own.',
    status: 'done',
    tests: [
      'test/plugins/interface-journey-turns.test.ts > a content card reaches a connector as a text; its media follow as texts, and the block has everything about it',
    ],
  },
  {
    id: 'turns.card.block',
    rule: 'The block of the payload holds everything about the card.',
    status: 'done',
    tests: [
      'test/plugins/interface-journey-turns.test.ts > a content card reaches a connector as a text; its media follow as texts, and the block has everything about it',
    ],
  },
  {
    id: 'turns.template.no-type',
    rule: 'A template turn has no type key.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.template.name',
    rule: 'template.name is text.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.template.namespace',
    rule: 'template.namespace is text.',
    status: 'done',
    tests: [
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.template.language',
    rule: 'template.language.code is text.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.template.components',
    rule: 'template.components is a list of objects with a type, such as body.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.template.parameters',
    rule: 'A component has parameters, a list of objects with type and text.',
    status: 'done',
    tests: [
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      'test/plugins/interface-turns.test.ts > a channel carries a template without a type, and a flow message with all its parameters',
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.template.block',
    rule: 'The block of the payload holds everything about the template.',
    status: 'done',
    tests: [
      'test/plugins/interface-journey-turns.test.ts > a template of a journey reaches a connector without a type, key for key, and its block has everything about it',
    ],
  },
  {
    id: 'turns.buttons.type',
    rule: 'Quick replies have type interactive.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.buttons.interactive.type',
    rule: 'Quick replies have interactive.type button.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.buttons.body',
    rule: 'Quick replies have interactive.body.text.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.buttons.buttons',
    rule: 'interactive.action.buttons is a list of objects of type reply.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.buttons.reply.id',
    rule: 'A button has reply.id.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.buttons.reply.title',
    rule: 'A button has reply.title.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.type',
    rule: 'A list has type interactive.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.interactive.type',
    rule: 'A list has interactive.type list.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.body',
    rule: 'A list has interactive.body.text.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.button',
    rule: 'interactive.action.button is the label that opens the list.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.sections',
    rule: 'interactive.action.sections is a list of objects with rows.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.row.id',
    rule: 'A row has an id.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
  {
    id: 'turns.list.row.title',
    rule: 'A row has a title.',
    status: 'done',
    tests: ['test/plugins/interface-turns.test.ts > a connector gets every message of a journey as a turn of its kind, key for key'],
  },
];
