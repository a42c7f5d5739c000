import type { Row } from './row.js';

/** Endpoints: sending a flow message, marking a message as read. */
export const endpointsMessages: readonly Row[] = [
  { id: 'endpoints.messages.send', rule: 'POST /v1/messages sends a message.', status: 'absent', route: 'POST /v1/messages' },
  { id: 'endpoints.messages.send.to', rule: 'to is the recipient.', status: 'absent' },
  { id: 'endpoints.messages.send.type', rule: 'type is interactive for a flow message.', status: 'absent' },
  { id: 'endpoints.messages.send.interactive.type', rule: 'interactive.type is flow.', status: 'absent' },
  { id: 'endpoints.messages.send.header', rule: 'interactive.header has type text and text.', status: 'absent' },
  { id: 'endpoints.messages.send.body', rule: 'interactive.body.text is the text.', status: 'absent' },
  { id: 'endpoints.messages.send.footer', rule: 'interactive.footer.text is the footer.', status: 'absent' },
  { id: 'endpoints.messages.send.action', rule: 'interactive.action.name is flow, with parameters.', status: 'absent' },
  { id: 'endpoints.messages.send.flow_id', rule: 'flow_id is the identifier that creation returned.', status: 'absent' },
  { id: 'endpoints.messages.send.flow_cta', rule: 'flow_cta is the text of the button.', status: 'absent' },
  { id: 'endpoints.messages.send.flow_action', rule: 'flow_action, usually navigate, opens the flow at a screen.', status: 'absent' },
  { id: 'endpoints.messages.send.flow_action_payload', rule: 'flow_action_payload.screen names the screen to open.', status: 'absent' },
  { id: 'endpoints.messages.send.flow_message_version', rule: 'flow_message_version is text, for example 3.', status: 'absent' },
  { id: 'endpoints.messages.send.mode.published', rule: 'mode published is for live flows.', status: 'absent' },
  { id: 'endpoints.messages.send.mode.draft', rule: 'mode draft is for tests.', status: 'absent' },
  { id: 'endpoints.messages.send.not-shown.types', rule: 'Not shown: other types of messages.', status: 'absent' },
  { id: 'endpoints.messages.send.not-shown.response', rule: 'Not shown: the response.', status: 'absent' },
  {
    id: 'endpoints.messages.read',
    rule: 'PUT /v1/messages/<message_id> marks an inbound message as read.',
    status: 'absent',
    route: 'PUT /v1/messages/:message_id',
  },
  { id: 'endpoints.messages.read.status', rule: 'status is read.', status: 'absent' },
  { id: 'endpoints.messages.read.typing_indicator', rule: 'typing_indicator, an object with type text, may be given.', status: 'absent' },
  { id: 'endpoints.messages.read.response', rule: 'The body of the answer is {}.', status: 'absent' },
  { id: 'endpoints.messages.read.typing.seconds', rule: 'A typing indicator goes after 25 seconds.', status: 'absent' },
  { id: 'endpoints.messages.read.typing.next-message', rule: 'A typing indicator goes with the next message.', status: 'absent' },
  {
    id: 'endpoints.messages.read.typing.reply-follows',
    rule: 'A typing indicator is meant for messages that will be replied to.',
    status: 'absent',
  },
];
