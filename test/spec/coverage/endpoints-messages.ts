import type { Row } from './row.js';

const send = (sentence: string) => `test/plugins/messages/send.test.ts > ${sentence}`;
const mark = (sentence: string) => `test/plugins/messages/mark.test.ts > ${sentence}`;
const media = (sentence: string) => `test/plugins/messages/media.test.ts > ${sentence}`;
const contacts = (sentence: string) => `test/plugins/messages/contacts.test.ts > ${sentence}`;

const claims = (sentence: string) => `test/plugins/messages/claims.test.ts > ${sentence}`;

const EVERY_TYPE = send('every type of message is sent, with the part of its name as it was posted');
const REFUSED = send('what does not fit is refused with the errors of the network, and nothing of it is recorded');
const ANSWER = send('a message that is sent is answered with the id by which the network knows it');
const FLOW = [EVERY_TYPE, REFUSED];

/** Endpoints: sending a flow message, marking a message as read; and those beside them that the interface does not show. */
export const endpointsMessages: readonly Row[] = [
  {
    id: 'endpoints.messages.send',
    rule: 'POST /v1/messages sends a message.',
    status: 'done',
    route: 'POST /v1/messages',
    tests: [ANSWER],
  },
  {
    id: 'endpoints.messages.send.to',
    rule: 'to is the recipient.',
    status: 'done',
    tests: [send('a text may come without its type, and a recipient with or without a plus'), REFUSED],
  },
  { id: 'endpoints.messages.send.type', rule: 'type is interactive for a flow message.', status: 'done', tests: FLOW },
  { id: 'endpoints.messages.send.interactive.type', rule: 'interactive.type is flow.', status: 'done', tests: FLOW },
  { id: 'endpoints.messages.send.header', rule: 'interactive.header has type text and text.', status: 'done', tests: FLOW },
  { id: 'endpoints.messages.send.body', rule: 'interactive.body.text is the text.', status: 'done', tests: FLOW },
  { id: 'endpoints.messages.send.footer', rule: 'interactive.footer.text is the footer.', status: 'done', tests: FLOW },
  { id: 'endpoints.messages.send.action', rule: 'interactive.action.name is flow, with parameters.', status: 'done', tests: FLOW },
  {
    id: 'endpoints.messages.send.flow_id',
    rule: 'flow_id is the identifier that creation returned.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > a flow that nobody made, or another account, is not sent',
      'test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow',
    ],
  },
  { id: 'endpoints.messages.send.flow_cta', rule: 'flow_cta is the text of the button.', status: 'done', tests: FLOW },
  {
    id: 'endpoints.messages.send.flow_action',
    rule: 'flow_action, usually navigate, opens the flow at a screen.',
    status: 'done',
    tests: FLOW,
  },
  {
    id: 'endpoints.messages.send.flow_action_payload',
    rule: 'flow_action_payload.screen names the screen to open.',
    status: 'done',
    tests: [
      'test/plugins/flows/life-cycle.test.ts > data that the screen does not declare, and a screen that is not the first, raise named hints when sent',
      REFUSED,
    ],
  },
  {
    id: 'endpoints.messages.send.flow_message_version',
    rule: 'flow_message_version is text, for example 3.',
    status: 'done',
    tests: FLOW,
  },
  {
    id: 'endpoints.messages.send.mode.published',
    rule: 'mode published is for live flows.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow'],
  },
  {
    id: 'endpoints.messages.send.mode.draft',
    rule: 'mode draft is for tests.',
    status: 'done',
    tests: ['test/plugins/flows/life-cycle.test.ts > a flow is sent as its status and the mode of the message allow'],
  },
  {
    id: 'endpoints.messages.send.not-shown.types',
    rule: 'Not shown: other types of messages.',
    status: 'done',
    tests: [
      EVERY_TYPE,
      REFUSED,
      send('a template is sent when the number has it, approved, and all its blanks are filled in'),
      'test/plugins/messages/send-on-channel.test.ts > on a channel a message reaches the connector in the shape of a turn',
      send('the header of a reply names the message it replies to'),
    ],
    note: 'Those of the network, with its limits: text (also without a type), image, audio, video, document, sticker, location, contacts, reaction, template, its older form hsm, and interactive buttons, lists and flows.',
  },
  {
    id: 'endpoints.messages.send.not-shown.response',
    rule: 'Not shown: the response.',
    status: 'done',
    tests: [ANSWER, REFUSED, send('calls without a valid token are refused in the shape of messages')],
    note: '200 with messages[0].id and meta; errors are a list of code, title and details.',
  },
  {
    id: 'endpoints.messages.send.not-shown.slash',
    rule: 'Not shown: whether the path may end with a slash.',
    status: 'done',
    route: 'POST /v1/messages/',
    tests: [send('a path that ends with a slash is the same endpoint')],
    note: 'It may, as there are clients that send it so.',
  },
  {
    id: 'endpoints.messages.send.not-shown.limits',
    rule: 'Not shown: rate limits of sending.',
    status: 'done',
    tests: [send('texts, media and the rest are counted apart')],
    note: 'Texts, media and the other calls have 60 a minute each.',
  },
  {
    id: 'endpoints.messages.read',
    rule: 'PUT /v1/messages/<message_id> marks an inbound message as read.',
    status: 'done',
    route: 'PUT /v1/messages/:message_id',
    tests: [
      mark('a message is marked as read, and the answer is empty'),
      mark('what is not an inbound message of the number cannot be marked'),
    ],
  },
  {
    id: 'endpoints.messages.read.status',
    rule: 'status is read.',
    status: 'done',
    tests: [mark('what is not an inbound message of the number cannot be marked')],
  },
  {
    id: 'endpoints.messages.read.typing_indicator',
    rule: 'typing_indicator, an object with type text, may be given.',
    status: 'done',
    tests: [mark('a typing indicator goes after 25 seconds'), mark('what is not an inbound message of the number cannot be marked')],
  },
  {
    id: 'endpoints.messages.read.response',
    rule: 'The body of the answer is {}.',
    status: 'done',
    tests: [mark('a message is marked as read, and the answer is empty')],
  },
  {
    id: 'endpoints.messages.read.typing.seconds',
    rule: 'A typing indicator goes after 25 seconds.',
    status: 'done',
    tests: [mark('a typing indicator goes after 25 seconds'), mark('a typing indicator that is sent again lasts 25 seconds from then')],
  },
  {
    id: 'endpoints.messages.read.typing.next-message',
    rule: 'A typing indicator goes with the next message.',
    status: 'done',
    tests: [mark('a typing indicator goes with the next message')],
  },
  {
    id: 'endpoints.messages.read.typing.reply-follows',
    rule: 'A typing indicator is meant for messages that will be replied to.',
    status: 'done',
    tests: [mark('a typing indicator goes after 25 seconds'), mark('a typing indicator goes with the next message')],
    note: 'It is shown when asked for, and goes by itself when no reply follows.',
  },
  {
    id: 'endpoints.media.not-shown.upload',
    rule: 'Not shown: how media get in. POST /v1/media takes the bytes.',
    status: 'done',
    route: 'POST /v1/media',
    tests: [
      media('a file is uploaded as raw bytes and comes back as it was'),
      media('files of other types, empty ones and those too large are refused'),
    ],
    note: 'As recorded of the service: raw body, media[0].id and meta. Types and sizes are those of the network.',
  },
  {
    id: 'endpoints.media.not-shown.download',
    rule: 'Not shown: how media are fetched. GET /v1/media/:id gives the bytes.',
    status: 'done',
    route: 'GET /v1/media/:id',
    tests: [
      media('a file is uploaded as raw bytes and comes back as it was'),
      media('a file is found by its own number only, and by nothing that looks like a path'),
    ],
    note: 'For the number whose media they are.',
  },
  {
    id: 'endpoints.messages.not-shown.labels',
    rule: 'Not shown: POST /v1/messages/:message_id/labels puts labels on a message.',
    status: 'done',
    route: 'POST /v1/messages/:message_id/labels',
    tests: [send('a message of either direction is labelled, each label once, and webhooks and history show them')],
    note: 'Of the answer nothing is known; here it has all labels of the message.',
  },
  {
    id: 'endpoints.contacts.not-shown.check',
    rule: 'Not shown: POST /v1/contacts says who can be reached.',
    status: 'done',
    route: 'POST /v1/contacts',
    tests: [contacts('contacts are checked: numbers that are numbers have an id on the network')],
    note: 'As recorded: input, status and wa_id. The local network reaches every international phone number.',
  },
  {
    id: 'endpoints.contacts.not-shown.profile',
    rule: 'Not shown: GET /v1/contacts/:contact/profile shows a profile.',
    status: 'done',
    route: 'GET /v1/contacts/:contact/profile',
    tests: [contacts('the profile of a contact has every reserved field, null where it is unset')],
    note: 'As recorded: schema, uuid, updated_at, generation and fields.',
  },
  {
    id: 'endpoints.contacts.not-shown.change',
    rule: 'Not shown: PATCH /v1/contacts/:contact/profile changes a profile.',
    status: 'done',
    route: 'PATCH /v1/contacts/:contact/profile',
    tests: [contacts('fields of a contact are set and cleared; numbers of your own come back as text')],
    note: 'As recorded: 201 with the profile.',
  },
  {
    id: 'endpoints.contacts.not-shown.messages',
    rule: 'Not shown: GET /v1/contacts/:contact/messages shows a conversation.',
    status: 'done',
    route: 'GET /v1/contacts/:contact/messages',
    tests: [contacts('a conversation is shown newest first, with its chat and what the service adds')],
    note: 'chat and the 50 newest messages, newest first, each with _vnd.v1.',
  },
  {
    id: 'endpoints.stacks.not-shown.start',
    rule: 'Not shown: POST /v1/stacks/:uuid/start starts a journey with a contact.',
    status: 'done',
    route: 'POST /v1/stacks/:uuid/start',
    tests: [
      claims('a journey is started with a contact from outside, and waits for five minutes'),
      claims('a journey that cannot be started is refused in a sentence'),
      'test/plugins/journeys/started-at-once.test.ts > a journey that was started is there for the next request',
      'test/plugins/journeys/started-at-once.test.ts > a start behind a conversation in progress is answered at once, as one that comes later',
    ],
    note: 'As recorded: 201 with success true, when the journey has taken its first turn; 202 while that takes longer. While another journey waits for the contact, that one comes first.',
  },
  {
    id: 'endpoints.contacts.not-shown.claim',
    rule: 'Not shown: GET /v1/contacts/:contact/claim shows which journey waits for a contact.',
    status: 'done',
    route: 'GET /v1/contacts/:contact/claim',
    tests: [claims('a journey is started with a contact from outside, and waits for five minutes')],
    note: 'As recorded; without one 404 and a sentence.',
  },
  {
    id: 'endpoints.contacts.not-shown.release',
    rule: 'Not shown: DELETE /v1/contacts/:contact/claim ends that wait.',
    status: 'done',
    route: 'DELETE /v1/contacts/:contact/claim',
    tests: [claims('a claim that is given up ends the wait; without one the answer says so in a sentence')],
    note: 'As recorded: claim_uuid.',
  },
];
