import type { MountedRoute } from '../../../core/kernel/http/mounted-route.js';
import { type ChannelUnderTest, CONTACT } from '../../plugins/channels/channel-under-test.js';
import { containerOf } from '../../plugins/journeys/engine/journey-under-test.js';

/** A journey that asks a question and thanks for the answer. */
export const asking = containerOf({
  texts: { ask: 'What is your name?', thanks: 'Thank you' },
  blocks: [
    { name: 'name', type: 'MobilePrimitives.OpenResponse', config: { prompt: 'ask' } },
    { name: 'thanks', type: 'MobilePrimitives.Message', config: { prompt: 'thanks' } },
  ],
});

/** A valid body for each route. The number that it refers to is `number`. */
export const validBodies = (number: string): Readonly<Record<string, object>> => ({
  'POST /admin/v1/numbers': { kind: 'network', address: '+27110000099', name: 'Clinic', account: 'acme' },
  'PATCH /admin/v1/numbers/{uuid}': { name: 'Clinic', account: null },
  'POST /admin/v1/connections': { type: 'telegram', settings: { token: 'a-token-of-a-bot' }, name: 'Bot', account: 'acme' },
  'PUT /admin/v1/numbers/{uuid}/connection': { settings: { token: 'a-token-of-a-bot' } },
  'POST /admin/v1/numbers/{uuid}/tokens': { name: 'CI', expires_at: '2027-03-01T00:00:00Z' },
  'PUT /admin/v1/numbers/{uuid}/secrets': { name: 'TOKEN', value: 'a token of a service' },
  'PATCH /admin/v1/contacts/{uuid}': { fields: { name: 'Ada', score: 5, notes: ['a', { b: null }] } },
  'POST /admin/v1/erasures': { erasures: [] },
  'POST /admin/v1/keys': { name: 'agent', roles: ['viewer'], accounts: ['acme'], expires_at: '2027-03-01T00:00:00Z' },
  'PUT /admin/v1/contacts/{uuid}/block': { reason: 'asked to be left alone' },
  'POST /admin/v1/contacts/merge': { contact: 'one', into: 'other' },
  'POST /admin/v1/contacts/split': { contact: 'one' },
  'PATCH /admin/v1/accounts': { account: 'acme', kept_days: 30, kept_bytes: 1_000_000, hold: { reason: 'case 12' } },
  'PATCH /admin/v1/store/losses/{id}': { confirmed: true },
  'POST /admin/v1/channels': { from_addr: 'desk', name: 'Desk', endpoint: 'https://desk.test/hook', account: 'acme' },
  'POST /admin/v1/channels/{uuid}/messages': { contact: {}, message: {} },
  'POST /admin/v1/channels/{uuid}/statuses': { status: {} },
  'PATCH /admin/v1/channels/{uuid}': { endpoint: 'https://elsewhere.test/hook' },
  'POST /admin/v1/channels/{uuid}/samples': { turn: 'text', to: 'sample' },
  'POST /admin/v1/webhooks': {
    number,
    url: 'https://hook.test/events',
    subscriptions: ['msgapp', 'journey_outbound'],
    name: 'Events',
    hmac_digest: 'sha256',
    headers: { 'x-team': 'care' },
    enabled: true,
  },
  'PATCH /admin/v1/webhooks/{uuid}': {
    url: 'https://hook.test/others',
    name: 'Others',
    subscriptions: ['channel'],
    headers: {},
    enabled: false,
  },
  'POST /admin/v1/deliveries/redeliver': { webhook: 'w', number, states: ['dropped'], reason: 'expired', from: '2027-03-01', limit: 5 },
  'POST /admin/v1/deliveries/cancel': { states: ['retry_wait'], to: '2027-03-01T00:00:00Z' },
  'POST /admin/v1/webhooks/{uuid}/rotate-secret': { overlap_hours: 24 },
  'PUT /admin/v1/journeys/{uuid}': { number, name: 'Names', definition: asking, triggers: [{ on: 'message', words: ['hi', 'hello'] }] },
  'PUT /admin/v1/journeys/{uuid}/notebook': { notebook: 'card A do\n  text("Hello")\nend\n' },
  'POST /admin/v1/notebooks/completions': { notebook: 'card A do\n  te', offset: 14 },
  'POST /admin/v1/journeys/{uuid}/problems': { notebook: 'card A do\n  text("Hello")\nend\n' },
  'POST /admin/v1/journeys/{uuid}/graph': { json: JSON.stringify(asking) },
  'POST /admin/v1/journeys/{uuid}/edits': {
    notebook: 'card A do\n  text("Hello")\nend\n',
    card: 'A',
    action: { kind: 'text', at: 17, content: 'Good morning' },
  },
  'POST /admin/v1/journeys/{uuid}/publish': { revision: 'staging' },
  'POST /admin/v1/journeys/{uuid}/start': { contact: '00000000-0000-4000-8000-000000000000' },
  'PUT /admin/v1/content-cards/{uuid}': {
    number,
    name: 'hours',
    text: 'Open',
    media: [{ type: 'image', link: 'https://media.test/a.png' }],
  },
  'PUT /admin/v1/code-skills/{uuid}': {
    number,
    name: 'quote',
    source: 'export default () => 1',
    parameters: { type: 'object' },
    enabled: true,
  },
  'PUT /admin/v1/ai-connections/{uuid}': {
    number,
    name: 'main',
    vendor: 'openai-compatible',
    base_url: 'https://models.test/v1',
    model: 'small',
    token: 'a-token-of-a-vendor',
  },
  'POST /admin/v1/signatures/explain': { webhook: 'w', body: '{}', signature: 's' },
  'POST /v1/numbers': {
    backend_type: 'channel',
    number_type: 'channel_http_api',
    from_addr: 'front',
    name: 'Front',
    endpoint: 'https://front.test/hook',
  },
  'POST /v1/numbers/{number_uuid}/messages': {
    contact: { id: CONTACT, profile: { name: 'Ada' } },
    message: {
      type: 'interactive',
      from: CONTACT,
      id: 'in-99',
      timestamp: '1767600000',
      context: { id: 'out-1' },
      interactive: { type: 'list_reply', list_reply: { id: 'a', title: 'A', description: 'the first' } },
    },
  },
  'POST /v1/numbers/{number_uuid}/statuses': { status: { id: 'out-1', recipient_id: CONTACT, status: 'read', timestamp: '1767600000' } },
  'POST /v1/journeys/{uuid}/simulation': {
    simulation_id: 'simulation-1',
    revision: 'production',
    contact: { name: 'Ada' },
    parent: { a: 1 },
    child: { b: [1] },
    input: 'hi',
    http_mocks: [{ method: 'GET', url: 'https://a.test/*', response: { status: 200, body: { c: 1 } } }],
    fail_unmocked_http_calls: true,
  },
});

/** The routes of the admin API that the server has. */
export function adminRoutes({ server }: ChannelUnderTest) {
  return server
    .table()
    .filter(({ path, settings }) => path.startsWith('/admin/v1/') && (settings.plugins as { posthorn?: () => MountedRoute }).posthorn)
    .map(({ method, path, settings }) => ({
      method: method.toUpperCase(),
      path,
      route: (settings.plugins as { posthorn: () => MountedRoute }).posthorn().route,
    }));
}
