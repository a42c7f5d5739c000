import { anyString, anyValue, array, boolean, type Dialect, named, number, object, oneOf, type Payload, record, string } from '#core';
import { chatSchema, vendorSchema } from '#core/messaging';
import { examplesOf } from '#core/schemas';
import { contextObjectTypes } from './schemas.js';

/** The requests to integrations and their responses (Integration context objects). Responses have no required fields. */

const VERSION = oneOf('1.0.0-alpha');

const historyMessage = named(
  'HistoryMessage',
  object({ from: string(), id: string(), timestamp: string(), type: string(), _vnd: object({ v1: vendorSchema }) })
    .unknown()
    .example({
      from: '27611111111',
      id: 'in-1',
      timestamp: '1767600000',
      type: 'text',
      text: { body: 'When is my loan due?' },
      _vnd: {
        v1: { ...(examplesOf(vendorSchema).example as object), direction: 'inbound', author: { id: '', name: 'Ann Lee', type: 'OWNER' } },
      },
    }),
);

const handshakeBody = object({ handshake: boolean().valid(true), name: string() }).example({ handshake: true, name: 'Loan desk' });

const handshakeAnswer = named(
  'HandshakeAnswer',
  object(
    {
      capabilities: object(
        {},
        {
          actions: boolean(),
          suggested_responses: boolean(),
          context_objects: array(object({ code: string(), type: oneOf(...contextObjectTypes) }, { title: string() }).unknown()),
        },
      ).unknown(),
    },
    { version: VERSION },
  )
    .unknown()
    .example({
      version: '1.0.0-alpha',
      capabilities: {
        actions: true,
        suggested_responses: true,
        context_objects: [
          { title: 'Member', code: 'member', type: 'table' },
          { title: 'Loans', code: 'loans', type: 'ordered-list' },
        ],
      },
    }),
);

const contextBody = named(
  'ContextRequest',
  object({ chat: chatSchema, messages: array(historyMessage).max(10) }).example({
    chat: examplesOf(chatSchema).example,
    messages: [examplesOf(historyMessage).example],
  }),
);

const contextAnswer = named(
  'ContextAnswer',
  object(
    {},
    {
      version: VERSION,
      context_objects: record(anyValue()).description('By `code`: a list of texts for `ordered-list`, an object of texts for `table`.'),
      actions: record(object({ url: string() }, { description: anyString(), payload: anyValue(), options: record(anyString()) }).unknown()),
      suggested_responses: array(object({ title: anyString(), body: anyString() }, { type: string(), confidence: number() }).unknown()),
    },
  )
    .unknown()
    .example({
      version: '1.0.0-alpha',
      context_objects: { member: { Name: 'Ann Lee', Since: '2019' }, loans: ['The Old Man and the Sea, due on *5 March*'] },
      actions: {
        renew: {
          description: 'Renew the loan',
          url: '/actions/renew',
          payload: { loan: 'L-1' },
          options: { '14': 'By two weeks', '28': 'By four weeks' },
        },
      },
      suggested_responses: [{ type: 'TEXT', title: 'Due date', body: 'Your loan is due on 5 March.', confidence: 0.92 }],
    }),
);

const actionBody = named(
  'ActionCallback',
  object(
    { address: string(), integration_uuid: string(), integration_action_uuid: string(), message: historyMessage },
    { option: anyString(), payload: anyValue() },
  ).example({
    address: '27611111111',
    integration_uuid: '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90',
    integration_action_uuid: '0c9d2d3a-4a0b-4c1e-8f43-6d1f7a0e5b21',
    message: examplesOf(historyMessage).example,
    option: '14',
    payload: { loan: 'L-1' },
  }),
);

const refused = {
  '3XX': { description: 'The call fails: redirects are not followed.' },
  default: { description: 'The call fails, and is not repeated by itself. The panel of the conversation says why.' },
};

const AUTHORIZATION =
  'An integration with an API token also receives `Authorization: <scheme> <token>`; addresses of another origin than its own do not.';

/** The calls to integrations (Endpoints, "Integration context"). */
export const integrationPayloads = ({ headers }: Dialect): Payload[] => {
  return [
    {
      name: 'integrationHandshake',
      summary: 'Asks an integration what it offers, after it was configured.',
      description: AUTHORIZATION,
      query: object({ handshake: boolean().valid(true) }),
      body: handshakeBody,
      answers: { '2XX': { description: 'What the integration offers.', body: handshakeAnswer }, ...refused },
    },
    {
      name: 'integrationContext',
      summary: 'Asks an integration for context, actions and suggested responses when a conversation is opened.',
      description: AUTHORIZATION,
      body: contextBody,
      answers: { '2XX': { description: 'What the panel shows.', body: contextAnswer }, ...refused },
    },
    {
      name: 'integrationAction',
      summary: 'Posts a click on an action to the `url` that the integration offered.',
      description: AUTHORIZATION,
      body: actionBody,
      answers: {
        '2XX': {
          description: 'The integration accepted the click. The body is not read.',
          headers: { [headers.integrationRefresh]: '`true` reloads the panel immediately.' },
        },
        ...refused,
      },
    },
  ];
};
