import type { Json } from './near-misses.js';

const UUID = '5b0c7f7e-3c0d-4f4e-9b54-0d6c4a1f2e90';
const text = { body: 'Good morning' };
const media = { id: 'media-1', mime_type: 'image/png', link: 'https://media.test/a.png', sha256: 'a'.repeat(64) };
const row = { id: 'a', title: 'A', description: 'the first' };
const card = {
  name: { formatted_name: 'Ann Lee', first_name: 'Ann', last_name: 'Lee' },
  addresses: [{ type: 'HOME', city: 'Paarl', country: 'South Africa', country_code: 'za', state: '', street: 'Main', zip: '7646' }],
  birthday: '2000-01-01',
  emails: [{ type: 'WORK', email: 'ann@example.org' }],
  ims: [{ service: 'a', user_id: 'b' }],
  org: { company: 'Clinic' },
  phones: [{ type: 'CELL', phone: '+27820001001', wa_id: '27820001001' }],
  urls: [{ type: 'WORK', url: 'https://example.org' }],
};
const flow = {
  type: 'flow',
  header: { type: 'text', text: 'Survey' },
  body: { text: 'How was it?' },
  footer: { text: 'Thanks' },
  action: {
    name: 'flow',
    parameters: {
      flow_id: '1',
      flow_cta: 'Open',
      flow_message_version: '3',
      flow_action: 'navigate',
      flow_action_payload: { screen: 'ONE', data: { a: 1 } },
      flow_token: 'token',
      mode: 'published',
    },
  },
};
const sent = (type: string, part: Json, more: object = {}) => ({ to: '+27820001001', type, [type]: part, ...more }) as Json;
const messages: readonly Json[] = [
  sent('text', text, { preview_url: true, recipient_type: 'individual', render_mentions: false }),
  { to: '+27820001001', text },
  // Content of another type is ignored.
  sent('text', text, { interactive: {}, image: 5 }),
  sent('image', { id: 'media-1', caption: 'A' }),
  sent('video', { link: 'https://media.test/a.mp4', caption: '' }),
  sent('audio', { id: 'media-1', voice: true }),
  sent('document', { id: 'media-1', caption: 'A', filename: 'a.pdf' }),
  sent('sticker', { id: 'media-1' }),
  sent('location', { latitude: -33.9, longitude: 18.4, name: 'Here', address: 'Main' }),
  sent('contacts', [card]),
  sent('reaction', { message_id: 'in-1', emoji: '' }),
  sent('template', {
    name: 'hello',
    namespace: 'n',
    language: { code: 'en', policy: 'deterministic' },
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { id: 'media-1' } }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ann' }] },
      { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload: 'a' }] },
      { type: 'BUTTON', sub_type: 'url', index: 1, parameters: [{ type: 'TEXT', text: 'a' }] },
    ],
  }),
  sent('hsm', {
    element_name: 'hello',
    namespace: 'n',
    language: { code: 'en', policy: 'fallback' },
    localizable_params: [{ default: 'Ann' }],
  }),
  sent('interactive', {
    type: 'button',
    header: { type: 'image', image: { link: 'https://media.test/a.png' } },
    body: { text: 'Choose' },
    footer: { text: 'Please' },
    action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
  }),
  sent('interactive', {
    type: 'button',
    header: { type: 'document', document: { id: 'media-1', filename: 'a.pdf' } },
    body: { text: 'Choose' },
    action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'A' } }] },
  }),
  sent('interactive', {
    type: 'list',
    header: { type: 'text', text: 'List' },
    body: { text: 'Choose' },
    footer: { text: 'Please' },
    action: { button: 'Open', sections: [{ title: 'S', rows: [row] }] },
  }),
  sent('interactive', flow),
  sent('interactive', {
    ...flow,
    action: { ...flow.action, parameters: { ...flow.action.parameters, flow_action: 'data_exchange', flow_action_payload: {} } },
  }),
];

const contact = { id: '+27820001001', profile: { name: 'Ann' } };
const posted = (type: string, part: Json, more: object = {}) =>
  ({ contact, message: { type, from: contact.id, id: 'in-1', timestamp: '1767600000', [type]: part, ...more } }) as Json;
const file = { ...media, filename: 'a.bin', caption: 'A' };
const inbound: readonly Json[] = [
  posted('text', text, { context: { id: 'out-1' } }),
  posted('text', text, { interactive: {}, audio: 5 }),
  posted('audio', { id: 'a', mime_type: 'audio/ogg', link: 'b', sha256: 'c', filename: 'd' }),
  posted('image', file),
  posted('video', file),
  posted('document', file),
  posted('sticker', file),
  posted('button', { text: 'A', payload: 'a' }),
  posted('interactive', { type: 'button_reply', button_reply: { id: 'a', title: 'A' } }),
  posted('interactive', { type: 'list_reply', list_reply: row }),
  posted('interactive', { type: 'nfm_reply', nfm_reply: { response_json: '{"a":1}', name: 'flow', body: 'Sent' } }),
];

const simulation: readonly Json[] = [
  {
    simulation_id: 'simulation-1',
    revision: 'production',
    contact: { name: 'Ann', language: null },
    parent: { a: 1 },
    child: { b: [1] },
    input: 'hi',
    http_mocks: [{ method: 'GET', url: 'https://a.test/*', response: { status: 200, body: { c: 1 } } }],
    fail_unmocked_http_calls: true,
    debug: false,
  },
];

/** Valid bodies for every public route with a body. */
export const publicBodies: Readonly<Record<string, readonly Json[]>> = {
  'POST /v1/messages': messages,
  'POST /v1/messages/': messages.slice(0, 1),
  'PUT /v1/messages/{message_id}': [{ status: 'read', typing_indicator: { type: 'text' } }],
  'POST /v1/messages/{message_id}/labels': [{ labels: ['question'] }],
  'POST /v1/contacts': [{ contacts: ['+27820001001'], blocking: 'wait' }],
  'PATCH /v1/contacts/{contact}/profile': [
    { name: 'Ann', opted_in: true, is_blocked: false, birthday: null, score: 5, tags: ['a'], note: 'b' },
    { language: 'eng' },
  ],
  'POST /v1/numbers': [
    { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'front', name: 'Front', endpoint: 'https://front.test/hook' },
  ],
  'POST /v1/numbers/{number_uuid}/messages': inbound,
  'POST /v1/numbers/{number_uuid}/statuses': [
    { status: { id: 'out-1', recipient_id: contact.id, status: 'failed', timestamp: '1767600000', errors: [{ code: 1 }] } },
  ],
  'POST /v1/flows': [
    { name: 'Form', flow_json: { version: '7.3', screens: [] }, categories: ['SURVEY', 'OTHER'], publish: false },
    { name: 'Form', flow_json: '{"version":"7.3"}' },
  ],
  'POST /v1/flows/{flow_id}': [{ name: 'Form', categories: ['SURVEY'], endpoint_uri: 'https://flows.test/hook', application_id: '1' }],
  'POST /flow-messages/{uuid}': [{ response: { a: 1 } }],
  'POST /v1/journeys/{uuid}/simulation': simulation,
  'POST /v1/stacks/{uuid}/simulation': simulation,
  'DELETE /v1/contacts/{contact}/claim': [
    {},
    { claim_uuid: 'a', note: 'b' },
    { note: 'b', claim_uuid: 'a' },
    { claim_uuid: 'a', more: { n: 1 } },
  ],
  'POST /v1/stacks/{uuid}/start': [{ wa_id: '27820001001' }],
  'POST /v1/stacks': [
    { name: 'Hello', notebook: 'card A do\n  text("Hello")\nend\n', publish_latest_changes: false, enabled: true },
    { name: 'Empty', notebook: '' },
  ],
  'PATCH /v1/stacks/{uuid}': [
    { name: 'Hello', enabled: false },
    { notebook: 'card A do\nend\n', publish_latest_changes: true },
  ],
  'POST /api/integrations/{integration_uuid}/notify/finish': [{ integration_action_uuid: 'a' }],
  'POST /webchat/{number}/sessions': [{}, { token: 'a', user: { id: 'u-1', hash: 'ab' }, language: 'pt-BR' }, { user: { jwt: 'a.b.c' } }],
  'POST /webchat/{number}/messages': [
    { client_id: UUID, type: 'text', text: 'Good morning' },
    { client_id: UUID, type: 'tap', option: { message: UUID, index: 0 } },
    { client_id: UUID, type: 'file', file: 'media-1', caption: 'A picture' },
  ],
  'POST /webchat/{number}/received': [{ position: 1 }],
  'POST /webchat/{number}/seen': [{ position: 12 }],
  'POST /webchat/{number}/typing': [{ on: true }, { on: false }],
};
