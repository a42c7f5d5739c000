import { CONFORMANCE_MARK as MARK } from '../../../core/events/conformance-mark.js';
import type { Check } from '../check.js';
import { type Api, type Call, type CallCheck, calls, type Json } from './api.js';

const INBOUND = 'Resources, inbound channel message';
const ERRORS = 'Errors, Channel API';
const CONTACT = `${MARK}-contact`;
const BLANK = "can't be blank";
const INVALID = 'is invalid';

const file = { id: 'conformance', mime_type: 'image/png', link: 'https://a.invalid/1', sha256: '9f86d081', filename: 'a.png' };

/** Every type of message that a connector may post (Resources, "Inbound channel message"). */
const types: readonly (readonly [id: string, type: string, content: object])[] = [
  ['A-45', 'text', { text: { body: 'Conformance' } }],
  ['A-46', 'image', { image: { ...file, caption: 'A picture' } }],
  ['A-47', 'audio', { audio: { id: 'conformance', mime_type: 'audio/ogg' } }],
  ['A-48', 'video', { video: { ...file, mime_type: 'video/mp4' } }],
  ['A-49', 'document', { document: { ...file, mime_type: 'application/pdf' } }],
  ['A-50', 'sticker', { sticker: { ...file, mime_type: 'image/webp' } }],
  ['A-51', 'button', { button: { text: 'Yes', payload: 'yes' } }],
  ['A-52', 'interactive', { interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'The first' } } }],
];

const message = (api: Api, content: object) => ({
  contact: { id: CONTACT, profile: { name: 'Conformance' } },
  message: { from: CONTACT, id: api.name(), timestamp: String(Math.floor(Date.now() / 1000)), type: 'text', ...content },
});
const status = (api: Api, change: object) => ({
  status: { id: api.name(), recipient_id: CONTACT, status: 'sent', timestamp: String(Math.floor(Date.now() / 1000)), ...change },
});

/** Whether a field has an error, in a body with message Bad Request. */
const hasError =
  (object: string, field: string, error: string) =>
  ({ message, errors }: Json): boolean =>
    message === 'Bad Request' && Array.isArray(errors?.[object]?.[field]) && errors[object][field].includes(error);

const refuses = (
  id: string,
  title: string,
  call: (api: Api) => Call,
  [object, field, error]: readonly [string, string, string],
  more: Partial<CallCheck> = {},
): Check<Api> =>
  calls({
    id,
    section: ERRORS,
    title: `refuses ${title}`,
    call,
    status: [400],
    needs: ['channel', 'A-45'],
    fix: `Respond 400 with message Bad Request, and "${error}" in errors.${object}.${field}.`,
    body: `message Bad Request, and "${error}" in errors.${object}.${field}`,
    is: hasError(object, field, error),
    ...more,
  });

/** The checks of what connectors post. */
export const channelChecks: readonly Check<Api>[] = [
  ...types.map(([id, type, content]) =>
    calls({
      id,
      section: INBOUND,
      title: `takes messages of type ${type}`,
      needs: id === 'A-45' ? ['channel', 'A-01'] : ['channel', 'A-45'],
      fix: `Accept type ${type} with the object ${type}, and respond with success true.`,
      call: (api) => api.asConnector('messages', message(api, { type, ...content })),
      status: [2],
      body: 'success true',
      is: ({ success }) => success === true,
    }),
  ),
  calls({
    id: 'A-53',
    section: INBOUND,
    title: 'takes replies to buttons, with context',
    needs: ['channel', 'A-52'],
    fix: 'Accept button_reply, and context.id of a message that the connector sent, also if it is unknown.',
    call: (api) =>
      api.asConnector(
        'messages',
        message(api, {
          type: 'interactive',
          context: { id: 'posthorn-conformance-0' },
          interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
        }),
      ),
    status: [2],
  }),
  {
    ...calls({
      id: 'A-54',
      section: 'Events, rule 1',
      title: 'takes a message twice',
      needs: ['channel', 'A-45'],
      fix: 'Respond with success true to a message that was received before, and drop it.',
      async call(api) {
        const call = api.asConnector('messages', await api.once('message', async () => message(api, { text: { body: 'Twice' } })));
        await api.call(call);
        return call;
      },
      status: [2],
    }),
    sends: 'the same message of a contact twice',
  },
  calls({
    id: 'A-55',
    section: 'Endpoints, marking an inbound message as read',
    title: 'marks a message as read, with a typing indicator',
    needs: ['channel', 'A-45'],
    fix: 'Respond 200 with {} to PUT /v1/messages/<id> with status read; typing_indicator is optional.',
    async call(api) {
      const inbound = message(api, { text: { body: 'Read this' } });
      await api.call(api.asConnector('messages', inbound));
      const payload = { status: 'read', typing_indicator: { type: 'text' } };
      return { method: 'PUT', path: `/v1/messages/${inbound.message.id}`, payload, token: api.channel!.token };
    },
    status: [200],
    body: 'the body {}',
    is: (json) => JSON.stringify(json) === '{}',
  }),
  refuses(
    'A-56',
    'a message without its contact',
    (api) => api.asConnector('messages', { message: message(api, { text: { body: 'hi' } }).message }),
    ['contact', 'id', BLANK],
  ),
  refuses('A-57', 'a message of an unknown type', (api) => api.asConnector('messages', message(api, { type: 'fax', fax: {} })), [
    ...(['message', 'type', INVALID] as const),
  ]),
  calls({
    id: 'A-58',
    level: 'SHOULD',
    section: ERRORS,
    title: 'refuses an empty text',
    needs: ['channel', 'A-45'],
    fix: 'Respond 400 to a text whose body is empty or null.',
    call: (api) => api.asConnector('messages', message(api, { text: { body: '' } })),
    status: [400],
  }),
  refuses('A-59', 'a status without a recipient', (api) => api.asConnector('statuses', status(api, { recipient_id: undefined })), [
    ...(['status', 'recipient_id', BLANK] as const),
  ]),
  refuses('A-60', 'an unknown status', (api) => api.asConnector('statuses', status(api, { status: 'lost' })), [
    'status',
    'status',
    INVALID,
  ]),
  refuses('A-61', 'a status of an unknown message', (api) => api.asConnector('statuses', status(api, {})), ['status', 'id', INVALID]),
  calls({
    id: 'A-62',
    section: 'Errors, Flows API',
    title: 'refuses flows with the token of a channel',
    needs: ['channel', 'A-01'],
    fix: 'Respond 403 with error.code not_supported and error.type NotSupported to numbers that have no flows.',
    call: (api) => ({ method: 'GET', path: '/v1/flows', token: api.channel!.token }),
    status: [403],
    body: 'error with code not_supported and type NotSupported',
    is: ({ error }) => error?.code === 'not_supported' && error?.type === 'NotSupported',
  }),
  calls({
    id: 'A-63',
    section: 'Authentication, 2',
    title: 'refuses messages for another channel than that of the token',
    needs: ['channel', 'A-45'],
    fix: 'Compare the uuid in the path with the number of the token, and respond 404 or 403.',
    call: (api) => ({
      ...api.asConnector('messages', message(api, { text: { body: 'hi' } })),
      path: '/v1/numbers/00000000-0000-4000-8000-000000000000/messages',
    }),
    status: [403, 404],
  }),
];
