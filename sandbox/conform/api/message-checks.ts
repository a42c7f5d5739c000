import type { Check } from '../check.js';
import { buttonsTurn, listTurn } from '../turns.js';
import { type Api, type CallCheck, calls, type Json } from './api.js';

const SENDING = 'Endpoints, message-sending endpoint';
const CREATION = 'Endpoints, Channel API';

const hasId = ({ messages }: Json): boolean => typeof messages?.[0]?.id === 'string' && messages[0].id !== '';

/** A check that sends a message to the contact of the run. */
const sends = (id: string, what: string, content: object, more: Partial<CallCheck> = {}): Check<Api> =>
  calls({
    id,
    section: SENDING,
    title: `sends ${what}`,
    status: [2],
    needs: ['A-01'],
    fix: `Accept ${what} on POST /v1/messages, and respond with messages[0].id.`,
    call: ({ to }) => ({ path: '/v1/messages', payload: { to, ...content } }),
    body: 'a text messages[0].id',
    is: hasId,
    ...more,
  });

const newChannel = (api: Api) => ({
  backend_type: 'channel',
  number_type: 'channel_http_api',
  from_addr: api.name(),
  name: 'Posthorn conformance',
  endpoint: 'https://posthorn-conformance.invalid/hook',
});

/** The checks of the message-sending endpoint, of the creation of channels, and of the end of actions. */
export const messageChecks: readonly Check<Api>[] = [
  sends('A-35', 'a text', { type: 'text', text: { body: 'Conformance' } }),
  sends('A-36', 'a text without type', { text: { body: 'Conformance without type' } }, { level: 'SHOULD' }),
  sends('A-37', 'reply buttons', buttonsTurn('Conformance')),
  sends('A-38', 'a list', listTurn('Conformance')),
  calls({
    id: 'A-39',
    section: SENDING,
    title: 'refuses a message without a recipient',
    needs: ['A-01'],
    fix: 'Respond 400 with an errors array when to is missing.',
    call: () => ({ path: '/v1/messages', payload: { type: 'text', text: { body: 'Conformance' } } }),
    status: [400, 422],
  }),
  calls({
    id: 'A-40',
    level: 'SHOULD',
    section: SENDING,
    title: 'describes the errors of a refused message',
    needs: ['A-39'],
    fix: 'Respond with errors[0].details: clients read it.',
    call: () => ({ path: '/v1/messages', payload: { type: 'text', text: { body: 'Conformance' } } }),
    status: [400, 422],
    body: 'a text errors[0].details',
    is: ({ errors }) => typeof errors?.[0]?.details === 'string',
  }),
  calls({
    id: 'A-41',
    section: 'Endpoints, marking an inbound message as read',
    title: 'refuses to mark an unknown message as read',
    needs: ['A-01'],
    fix: 'Respond 404 or 400 to PUT /v1/messages/<id> of a message that does not exist.',
    call: () => ({ method: 'PUT', path: '/v1/messages/posthorn-conformance', payload: { status: 'read' } }),
    status: [4],
  }),
  calls({
    id: 'A-42',
    section: CREATION,
    title: 'creates a channel',
    needs: ['A-01'],
    fix: 'Respond to POST /v1/numbers with number.uuid, webhook.uuid and webhook.hmac_secret.',
    call: (api) => ({ path: '/v1/numbers', payload: newChannel(api) }),
    status: [2],
    body: 'texts number.uuid, webhook.uuid and webhook.hmac_secret',
    is: ({ number, webhook }) =>
      [number?.uuid, webhook?.uuid, webhook?.hmac_secret].every((text) => typeof text === 'string' && text !== ''),
  }),
  calls({
    id: 'A-43',
    section: 'Errors, Channel API',
    title: 'refuses a channel without an endpoint',
    needs: ['A-42'],
    fix: 'Respond 400 when a field of the new channel is missing.',
    call: (api) => ({ path: '/v1/numbers', payload: { ...newChannel(api), endpoint: undefined } }),
    status: [400, 422],
  }),
  calls({
    id: 'A-44',
    level: 'SHOULD',
    section: 'Endpoints, integration context, refresh rules, 2',
    title: 'refuses the end of an unknown action',
    needs: ['A-01'],
    fix: 'Respond 404 to notify/finish unless both uuids are those of an action that was clicked.',
    call: () => ({
      path: '/api/integrations/00000000-0000-4000-8000-000000000000/notify/finish',
      payload: { integration_action_uuid: '00000000-0000-4000-8000-000000000000' },
      token: null,
    }),
    status: [4],
  }),
];
