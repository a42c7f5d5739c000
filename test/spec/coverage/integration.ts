import type { Row } from './row.js';

/** Resources: what travels between us and an integration. */
export const integration: readonly Row[] = [
  {
    id: 'integration.handshake.version',
    rule: 'A handshake answer has version 1.0.0-alpha.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/handshake.test.ts > what a handshake says too much, too little or twice is passed over',
    ],
  },
  {
    id: 'integration.handshake.actions',
    rule: 'capabilities.actions says whether there are actions.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/panels.test.ts > what a handshake said there is none of is not shown',
    ],
  },
  {
    id: 'integration.handshake.suggested_responses',
    rule: 'capabilities.suggested_responses says whether there are suggestions.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/panels.test.ts > what a handshake said there is none of is not shown',
    ],
  },
  {
    id: 'integration.handshake.context_objects',
    rule: 'capabilities.context_objects is a list.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
    ],
  },
  {
    id: 'integration.handshake.context_objects.title',
    rule: 'A context object has a title.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.handshake.context_objects.code',
    rule: 'A context object has a code, unique, by which updates name it.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > what a handshake says too much, too little or twice is passed over',
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.handshake.context_objects.type.table',
    rule: 'A context object may be of type table.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.handshake.context_objects.type.ordered-list',
    rule: 'A context object may be of type ordered-list.',
    status: 'done',
    tests: [
      'test/plugins/integration/handshake.test.ts > an integration is greeted when it is made: by POST, in the query and in the body, signed',
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.handshake.context_objects.order',
    rule: 'They are shown in the order of the list.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.request.chat.owner',
    rule: 'A request has chat.owner, the phone number.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
  },
  {
    id: 'integration.request.chat.state',
    rule: 'A request has chat.state.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
  },
  {
    id: 'integration.request.messages',
    rule: 'A request has messages, inbound and outbound, of the conversation.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
  },
  {
    id: 'integration.request.messages.ten',
    rule: 'They are the ten most recent ones.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
  },
  {
    id: 'integration.request.not-shown.fields',
    rule: 'Not shown: other fields of chat, and the shape of a message in the history.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > when a conversation is opened its integrations are told of it: the chat, and ten messages, newest first',
    ],
    note: 'chat has ten fields; a message is in the shape of the network, with ours under _vnd.v1; newest first.',
  },
  {
    id: 'integration.update.version',
    rule: 'An update has version 1.0.0-alpha.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'integration.update.context_objects',
    rule: 'context_objects is keyed by the codes of the handshake.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'integration.update.context_objects.ordered-list',
    rule: 'An ordered-list is a flat list of texts, numbered from 1.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'integration.update.context_objects.table',
    rule: 'A table is a dictionary: keys in bold, values as plain text.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'integration.update.actions',
    rule: 'actions is keyed by the names of actions.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.actions.description',
    rule: 'description is the text in the menu.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.actions.url',
    rule: 'url is the path of the action.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > an address may be relative, a path or whole; the API token goes to the configured origin only, the signature everywhere',
    ],
  },
  {
    id: 'integration.update.actions.payload',
    rule: 'payload is posted on a click.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
    ],
  },
  {
    id: 'integration.update.actions.options',
    rule: 'options, a dictionary from key to label, makes a nested menu.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.actions.options.posted',
    rule: 'The chosen key is posted as option.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
      'test/plugins/integration/actions.test.ts > only what is offered in the open conversation can be clicked, about a message of its contact',
    ],
  },
  {
    id: 'integration.update.suggested_responses',
    rule: 'suggested_responses is a list and may be missing.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'integration.update.suggested_responses.type',
    rule: 'A suggestion has a type.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
  },
  {
    id: 'integration.update.suggested_responses.title',
    rule: 'A suggestion has a title.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.suggested_responses.body',
    rule: 'A suggestion has a body.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.suggested_responses.confidence',
    rule: 'A suggestion has a confidence, a number by which the list is ordered.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.suggested_responses.shown',
    rule: 'Suggestions are offered in a select above the reply box.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > what it returns is shown: objects in the order of the handshake, lists numbered, suggestions the surest first',
    ],
  },
  {
    id: 'integration.update.not-shown.types',
    rule: 'Not shown: types of suggestions beside TEXT.',
    status: 'done',
    tests: [
      'test/plugins/integration/panels.test.ts > an answer may leave out everything, and what is unknown or wrong in it is named and passed over',
    ],
    note: 'Only TEXT is shown; what is of another type is passed over with a warning.',
  },
  {
    id: 'integration.markdown.kinds',
    rule: 'Emphasis by asterisks, strike-through by tildes and inline links are rendered in values.',
    status: 'done',
    tests: [
      'test/plugins/integration/markdown.test.ts > strong, emphasis, strike-through, code and links are understood; all else is text',
    ],
  },
  {
    id: 'integration.markdown.excluded',
    rule: 'Images, headings and lists are not rendered.',
    status: 'done',
    tests: [
      'test/plugins/integration/markdown.test.ts > strong, emphasis, strike-through, code and links are understood; all else is text',
    ],
  },
  {
    id: 'integration.markdown.not-shown.kinds',
    rule: 'Not shown: the full list of supported Markdown.',
    status: 'done',
    tests: [
      'test/plugins/integration/markdown.test.ts > strong, emphasis, strike-through, code and links are understood; all else is text',
    ],
    note: 'Strong, emphasis, strike-through, code and links to the web; all else is shown as it is written.',
  },
  {
    id: 'integration.callback.address',
    rule: 'The body of a click has address.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
    ],
  },
  {
    id: 'integration.callback.integration_uuid',
    rule: 'The body of a click has integration_uuid.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
    ],
  },
  {
    id: 'integration.callback.integration_action_uuid',
    rule: 'The body of a click has integration_action_uuid.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
    ],
  },
  {
    id: 'integration.callback.message',
    rule: 'The body of a click has the message that it was made on.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
    ],
  },
  {
    id: 'integration.callback.option',
    rule: 'The body of a click has option only for an action with options.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
      'test/plugins/integration/actions.test.ts > only what is offered in the open conversation can be clicked, about a message of its contact',
    ],
  },
  {
    id: 'integration.callback.payload',
    rule: 'The body of a click has the payload as configured.',
    status: 'done',
    tests: [
      'test/plugins/integration/actions.test.ts > a click tells the integration who, which message, which option and what it had put there',
    ],
  },
];
