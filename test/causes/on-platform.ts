import type { Answer } from '#core/testing';
import { journeysService } from '../../plugins/journeys/plugin.js';
import { survey } from '../plugins/flows/flows-under-test.js';

import { asking, CREDENTIALS, DAY, HOOK, NONE, PHONE, type World } from './world.js';

type Provocation = (world: World) => Promise<Answer>;

const on =
  (method: string, path: string | ((world: World) => string), payload?: object): Provocation =>
  (world) =>
    world.admin(method, typeof path === 'string' ? path : path(world), payload);

const text = { type: 'text', text: { body: 'Hi' } };
const RANGE = { from: '2026-01-05', until: '2026-01-05' };

/** A call for each cause, with all plugins on one platform. */
export const onPlatform: Readonly<Record<string, Provocation>> = {
  // The core: the call itself
  invalid_request: ({ send }) => send({ type: 'text' }),
  body_too_large: ({ api }) => api('POST', '/v1/messages', { to: 'x'.repeat(1_200_000) }),
  unsupported_media_type: ({ call, net }) =>
    call('POST', '/v1/messages', { token: net.token, payload: 'x', headers: { 'content-type': 'text/plain' } }),
  async range_not_satisfiable({ api }) {
    const { body } = await api('POST', '/v1/media', Buffer.from('bytes'), { 'content-type': 'image/png' });
    return api('GET', `/v1/media/${body.media[0].id}`, undefined, { range: 'bytes=900-' });
  },
  method_not_allowed: ({ api }) => api('PATCH', '/v1/messages'),
  route_not_found: on('GET', '/nothing'),
  unauthorized: ({ call }) => call('POST', '/v1/messages', { token: 'none', payload: text }),
  forbidden: ({ call }) => call('GET', '/v1/media/1/content?signature=none&expires=1'),
  not_supported: ({ call, channel }) => call('POST', '/v1/contacts', { token: channel.token, payload: { contacts: ['+27820001001'] } }),

  // Records that do not exist
  advice_not_found: on('DELETE', `/advice/${NONE}`),
  channel_not_found: ({ call, channel }) =>
    call('POST', `/v1/numbers/${NONE}/messages`, {
      token: channel.token,
      payload: {
        contact: { id: PHONE, profile: { name: 'Ann' } },
        message: { from: PHONE, id: 'in-2', timestamp: '1767600000', type: 'text', text: { body: 'Hi' } },
      },
    }),
  contact_not_found: on('GET', `/contacts/${NONE}`),
  conversation_not_found: on('GET', `/conversations/${NONE}`),
  delivery_not_found: on('GET', `/deliveries/${NONE}`),
  journey_not_found: on('GET', `/journeys/${NONE}`),
  medium_not_found: ({ api }) => api('GET', '/v1/media/1'),
  merged_contact_not_found: on('POST', '/contacts/split', { contact: NONE }),
  message_not_found: on('GET', '/messages/none'),
  number_not_found: on('GET', `/numbers/${NONE}`),
  revision_not_found: async ({ admin, journey }) => admin('GET', `/journeys/${await journey()}/revisions/${NONE}`),
  secret_not_found: on('DELETE', ({ net }) => `/numbers/${net.uuid}/secrets/none`),
  template_not_found: on('DELETE', `/templates/${NONE}`),
  token_not_found: on('DELETE', ({ net }) => `/numbers/${net.uuid}/tokens/${NONE}`),
  webhook_not_found: on('GET', `/webhooks/${NONE}`),
  connection_not_found: on('DELETE', ({ net }) => `/cloud-api/numbers/${net.uuid}`),
  not_connectable: on('PUT', ({ channel }) => `/numbers/${channel.uuid}/connection`, { settings: {} }),
  file_not_found: ({ call }) => call('GET', '/console/assets/none.js'),
  page_not_found: on('GET', '/console/frames/none/none'),
  flow_not_found: on('GET', '/flows/123'),
  opened_flow_not_found: ({ call }) => call('GET', '/flow-messages/none?token=none'),
  preview_not_found: ({ call }) => call('GET', '/flow-preview/123?token=none'),
  integration_not_found: on('GET', `/integrations/${NONE}`),
  ai_connection_not_found: on('GET', `/ai-connections/${NONE}`),
  code_skill_not_found: on('GET', `/code-skills/${NONE}`),
  content_card_not_found: on('GET', `/content-cards/${NONE}`),
  claim_not_found: ({ api }) => api('GET', '/v1/contacts/27829999999/claim'),
  notebook_not_found: async ({ admin, journey }) => admin('GET', `/journeys/${await journey()}/notebook`),
  session_not_found: on('GET', `/sessions/${NONE}`),
  cursor_not_found: ({ api }) => api('GET', '/v1/data/messages/cursor/none'),
  simulated_turn_not_found: async ({ admin, journey }) =>
    admin('POST', `/journeys/${await journey()}/simulated-turns`, { input: 'hi', after: NONE }),

  // Numbers, contacts and messages
  address_taken: on('POST', '/numbers', { type: 'network', kind: 'network', address: '+27110000000', name: 'Again' }),
  same_contact: ({ admin, contact }) => admin('POST', '/contacts/merge', { contact, into: contact }),
  async contact_merged({ admin, say }) {
    const [a, b, c] = await Promise.all(
      ['27820003001', '27820003002', '27820003003'].map(async (from) => (await say('x', from)).body.message.contact),
    );
    await admin('POST', '/contacts/merge', { contact: a, into: b });
    await admin('POST', '/contacts/merge', { contact: b, into: c });
    return admin('POST', '/contacts/split', { contact: a });
  },
  async account_on_hold({ admin }) {
    const { number } = (await admin('POST', '/numbers', { kind: 'network', address: '+27600000999', name: 'Held', account: 'held' })).body;
    await admin('PATCH', '/accounts', { account: 'held', hold: { reason: 'case 12' } });
    return admin('PATCH', `/numbers/${number.uuid}`, { account: 'other' });
  },
  async contact_too_large({ api }) {
    let answer: Answer | undefined;
    for (let i = 0; i < 30 && (answer?.status ?? 201) < 300; i++) {
      const fields = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${i}_${n}`, 'x'.repeat(4_000)]));
      answer = await api('PATCH', `/v1/contacts/${PHONE}/profile`, fields);
    }
    return answer!;
  },
  recipient_not_valid: ({ send }) => send({ ...text, to: 'ann' }),
  async message_refused({ admin, net, send }) {
    await admin('PATCH', `/network/numbers/${net.uuid}/policy`, { rules: [{ outcome: 'refuse', to: '27820007777', times: 1 }] });
    return send({ ...text, to: '+27820007777' });
  },
  async message_id_taken({ call, channel }) {
    const post = (from: string) =>
      call('POST', `/v1/numbers/${channel.uuid}/messages`, {
        token: channel.token,
        payload: { contact: { id: from, profile: { name: 'Ann' } }, message: { from, id: 'in-1', timestamp: '1767600000', ...text } },
      });
    await post('+27820004001');
    return post('+27820004002');
  },
  async not_inbound({ api, send }) {
    const { body } = await send(text);
    return api('PUT', `/v1/messages/${body.messages[0].id}`, { status: 'read' });
  },
  async too_many_labels({ api, message }) {
    let answer: Answer | undefined;
    for (let i = 0; i < 6; i++)
      answer = await api('POST', `/v1/messages/${message}/labels`, { labels: Array.from({ length: 20 }, (_, n) => `l${i}-${n}`) });
    return answer!;
  },
  template_parameters_wrong: async ({ admin, net, send }) => {
    const components = [{ type: 'BODY', text: 'Hi {{1}}' }];
    await admin('PUT', `/numbers/${net.uuid}/templates`, { name: 'hi', language: 'en', category: 'UTILITY', components });
    return send({ type: 'template', template: { name: 'hi', language: { code: 'en' }, components: [] } });
  },
  media_type_not_supported: ({ api }) => api('POST', '/v1/media', Buffer.from('x'), { 'content-type': 'chemical/x-pdb' }),
  reply_not_found: ({ send }) => send({ ...text, context: { message_id: 'none' } }),
  not_recorded: on('GET', '/calls'),

  // Deliveries
  delivery_settled: async ({ admin, delivery }) => admin('POST', `/deliveries/${await delivery()}/cancel`),
  no_retry: async ({ admin, delivery }) => admin('POST', `/deliveries/${await delivery()}/retry`),
  async webhook_paused({ admin, clock, delivery, webhook }) {
    const uuid = await delivery({ status: 500 });
    await admin('POST', `/webhooks/${webhook}/pause`);
    await clock.advance(30_000);
    const answer = await admin('POST', `/deliveries/${uuid}/retry`);
    await admin('POST', `/webhooks/${webhook}/resume`);
    return answer;
  },
  async webhook_removed({ admin, net, clock, say }) {
    const { webhook } = (await admin('POST', '/webhooks', { number: net.uuid, url: `${HOOK}/gone` })).body;
    await say('for two webhooks');
    await admin('DELETE', `/webhooks/${webhook.uuid}`);
    await clock.advance(0);
    const { deliveries } = (await admin('GET', `/deliveries?webhook=${webhook.uuid}`)).body;
    return admin('POST', `/deliveries/${deliveries[0].uuid}/redeliver`);
  },
  async too_many_webhooks({ admin, channel }) {
    let answer: Answer | undefined;
    for (let i = 0; i < 21; i++) answer = await admin('POST', '/webhooks', { number: channel.uuid, url: `${HOOK}/${i}` });
    return answer!;
  },
  async connector_webhook({ admin, channel }) {
    const { webhooks } = (await admin('GET', `/webhooks?number=${channel.uuid}`)).body;
    const connector = webhooks.find(({ subscriptions }: { subscriptions: string[] }) => subscriptions.includes('channel'));
    return admin('DELETE', `/webhooks/${connector.uuid}`);
  },
  async claimed_by_other({ admin, net, webhook }) {
    await admin('PATCH', `/webhooks/${webhook}`, { claims: true });
    const answer = await admin('POST', '/webhooks', { number: net.uuid, url: `${HOOK}/other`, claims: true });
    await admin('PATCH', `/webhooks/${webhook}`, { claims: false });
    return answer;
  },

  // Idempotency keys and exports
  idempotency_key_invalid: ({ send }) => send(text, { 'idempotency-key': 'with space' }),
  async idempotency_key_reused({ send }) {
    await send(text, { 'idempotency-key': 'one' });
    return send({ ...text, text: { body: 'other' } }, { 'idempotency-key': 'one' });
  },
  async idempotency_keys_full({ send }) {
    for (const key of ['two', 'three']) await send(text, { 'idempotency-key': key });
    return send(text, { 'idempotency-key': 'four' });
  },
  async cursor_expired({ api, clock }) {
    const { cursor } = (await api('POST', '/v1/data/messages/cursor', RANGE)).body;
    await clock.advance(DAY);
    return api('GET', `/v1/data/messages/cursor/${cursor}`);
  },

  // Journeys
  invalid_journey: async ({ journey, publish }) => publish(await journey({ definition: { flows: [] } })),
  async journey_changed({ admin, journey, net }) {
    const uuid = await journey();
    const change = { number: net.uuid, name: 'Changed', definition: asking, replaces: NONE };
    return admin('PUT', `/journeys/${uuid}`, change);
  },
  journey_of_other_number: async ({ admin, channel, journey }) =>
    admin('PUT', `/journeys/${await journey()}`, { number: channel.uuid, name: 'Theirs', definition: asking }),
  journey_not_published: async ({ api, journey }) => api('POST', `/v1/stacks/${await journey()}/start`, { wa_id: PHONE }),
  async journey_disabled({ admin, api, journey, publish }) {
    const uuid = await journey();
    await publish(uuid);
    await admin('POST', `/journeys/${uuid}/disable`);
    return api('POST', `/v1/stacks/${uuid}/start`, { wa_id: PHONE });
  },
  async journey_deleted({ admin, contact, journey, publish }) {
    const uuid = await journey();
    await publish(uuid);
    await admin('DELETE', `/journeys/${uuid}`);
    return admin('POST', `/journeys/${uuid}/start`, { contact });
  },
  async session_active({ admin, say, journey, publish, clock, api }) {
    const uuid = await journey();
    await publish(uuid);
    const { contact } = (await say('x', '27820005001')).body.message;
    await api('POST', `/v1/stacks/${uuid}/start`, { wa_id: '27820005001' });
    await clock.advance(0);
    return admin('POST', `/journeys/${uuid}/start`, { contact });
  },
  async journey_not_available({ admin, api, journey, platform, publish }) {
    const uuid = await journey();
    await publish(uuid);
    const journeys = platform.service(journeysService);
    const get = journeys.get.bind(journeys);
    let reads = 0;
    journeys.get = async (one) => {
      // The route reads the journey before it schedules the start; the queue reads it before the turn.
      if (one === uuid && ++reads === 2) await admin('POST', `/journeys/${uuid}/disable`);
      return get(one);
    };
    return api('POST', `/v1/stacks/${uuid}/start`, { wa_id: '27820006001' });
  },
  no_claim: on('DELETE', ({ contact }) => `/contacts/${contact}/claim`),
  notebook_too_large: async ({ admin, net, platform }) =>
    admin('PUT', `/journeys/${platform.ids.uuid()}`, { number: net.uuid, name: 'Large', notebook: `# Large\n\n${'x'.repeat(1_100_000)}` }),
  async belongs_to_other_number({ admin, channel, net, platform }) {
    const uuid = platform.ids.uuid();
    const skill = { name: 'skill', source: 'export default () => 1' };
    await admin('PUT', `/code-skills/${uuid}`, { number: net.uuid, ...skill });
    return admin('PUT', `/code-skills/${uuid}`, { number: channel.uuid, ...skill });
  },
  async name_taken({ admin, net, platform }) {
    let answer: Answer | undefined;
    for (let i = 0; i < 2; i++)
      answer = await admin('PUT', `/code-skills/${platform.ids.uuid()}`, {
        number: net.uuid,
        name: 'twice',
        source: 'export default () => 1',
      });
    return answer!;
  },
  no_such_revision: async ({ admin, journey }) => admin('POST', `/journeys/${await journey()}/simulated-turns`, { revision: 'production' }),
  simulation_refused: ({ api }) => api('POST', `/v1/journeys/${NONE}/simulation`, { simulation_id: 'sim-123456' }),
  async simulation_over({ admin, journey }) {
    const uuid = await journey();
    const turn = async (more: object) => admin('POST', `/journeys/${uuid}/simulated-turns`, { revision: 'draft', ...more });
    const first = (await turn({})).body;
    const second = (await turn({ after: first.turn.id, input: 'Ann' })).body;
    return turn({ after: second.turn?.id, input: 'again' });
  },

  // Flows
  no_business_account: async ({ number, call }) => {
    const { token } = await number('network', { address: '+27110000009', account: null });
    return call('GET', '/v1/flows', { token });
  },
  async flow_name_taken({ api, flow }) {
    await flow({ name: 'Twice' });
    return api('POST', '/v1/flows', { name: 'Twice', flow_json: survey });
  },
  flow_has_errors: async ({ api, flow }) => api('POST', `/v1/flows/${await flow({ flow_json: { version: '7.3', screens: [] } })}/publish`),
  invalid_flow_status: async ({ api, flow }) => api('POST', `/v1/flows/${await flow()}/deprecate`),
  async flow_has_no_application({ api, flow }) {
    const id = await flow();
    await api('POST', `/v1/flows/${id}`, { endpoint_uri: 'https://owner.test/flow' });
    return api('POST', `/v1/flows/${id}/publish`);
  },
  async flow_changed({ admin, flow }) {
    const definition = JSON.stringify(survey);
    return admin('PUT', `/flows/${await flow()}/definition`, { definition, replaces: '0'.repeat(64) });
  },
  async flow_blocked({ admin, api, clock, flow, send }) {
    const id = await flow();
    await api('POST', `/v1/flows/${id}/publish`);
    const parameters = { flow_id: id, flow_cta: 'Open', flow_message_version: '3' };
    const { body } = await send({
      type: 'interactive',
      interactive: { type: 'flow', body: { text: 'Hi' }, action: { name: 'flow', parameters } },
    });
    await clock.advance(0);
    await admin('POST', `/flows/${id}/health`, { status: 'BLOCKED' });
    return admin('POST', `/messages/${encodeURIComponent(body.messages[0].id)}/flow`);
  },
  async preview_expired({ api, call, clock, flow }) {
    const { preview_url } = (await api('GET', `/v1/flows/${await flow()}/preview`)).body;
    await clock.advance(31 * DAY);
    const { pathname, search } = new URL(preview_url);
    return call('GET', `${pathname}${search}`);
  },
  unknown_cursor: ({ api }) => api('GET', '/v1/flows?after=none'),

  // Integrations, the network and the Cloud API
  async integration_off({ admin, conversation, http, net }) {
    http.answer('POST https://shop.test/*', { body: { version: '1.0.0-alpha', capabilities: { actions: true } } });
    const { integration } = (await admin('POST', '/integrations', { number: net.uuid, name: 'Shop', url: 'https://shop.test/context' }))
      .body;
    await admin('PATCH', `/integrations/${integration.uuid}`, { enabled: false });
    return admin('POST', `/conversations/${conversation}/actions`, { integration: integration.uuid, action: 'extend' });
  },
  async action_not_found({ admin, conversation, http, net }) {
    http.answer('POST https://desk.test/*', { body: { version: '1.0.0-alpha', capabilities: { actions: true } } });
    const { integration } = (await admin('POST', '/integrations', { number: net.uuid, name: 'Desk', url: 'https://desk.test/context' }))
      .body;
    return admin('POST', `/conversations/${conversation}/actions`, { integration: integration.uuid, action: 'none' });
  },
  not_on_the_network: on('POST', ({ channel }) => `/network/numbers/${channel.uuid}/messages`, { from: PHONE, name: 'Ann', ...text }),
  async signature_missing({ call, connect }) {
    await connect();
    return call('POST', '/cloud-api/webhooks/111', { payload: { object: 'x' } });
  },
  signature_wrong: ({ call }) =>
    call('POST', '/cloud-api/webhooks/111', { payload: { object: 'x' }, headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` } }),
  verify_token_wrong: ({ call }) => call('GET', '/cloud-api/webhooks/111?hub.mode=subscribe&hub.challenge=1&hub.verify_token=wrong'),
  async phone_number_id_taken({ admin, number }) {
    const { uuid } = await number('network', { address: '+27110000008' });
    return admin('PUT', `/cloud-api/numbers/${uuid}`, { ...CREDENTIALS, phone_number_id: '111' });
  },
  not_a_network_number: on('PUT', ({ channel }) => `/cloud-api/numbers/${channel.uuid}`, { phone_number_id: '1', ...CREDENTIALS }),
};
