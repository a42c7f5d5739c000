import type { Answer, Tap, TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { integration } from '../../../plugins/integration/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { type ChannelUnderTest, startChannel } from '../channels/channel-under-test.js';

export const SHOP = 'https://shop.test/context';

export const handshake = {
  version: '1.0.0-alpha',
  capabilities: {
    actions: true,
    suggested_responses: true,
    context_objects: [
      { title: 'Loans', code: 'loans', type: 'table' },
      { title: 'Next steps', code: 'steps', type: 'ordered-list' },
    ],
  },
};

export const update = {
  version: '1.0.0-alpha',
  context_objects: { steps: ['Call *today*', 'Write'], loans: { 'Due books': '~3~ 2', Card: 'valid' } },
  actions: {
    extend: { description: 'Extend the loan', url: 'actions/extend', payload: { loan: 7 }, options: { week: 'A week', month: 'A month' } },
    close: { description: 'Close the case', url: '/close', payload: {} },
  },
  suggested_responses: [
    { type: 'TEXT', title: 'No', body: 'Sorry, no', confidence: 0.2 },
    { type: 'TEXT', title: 'Yes', body: 'Of course', confidence: 0.9 },
  ],
};

export interface IntegrationUnderTest extends ChannelUnderTest {
  /** The integration as the admin API returns it, and its signing secret. */
  readonly made: { readonly uuid: string; readonly secret: string };
  readonly conversation: string;
  /** Opens the conversation and returns the view of its integrations. */
  // biome-ignore lint/suspicious/noExplicitAny: a test inspects any view
  open(query?: string): Promise<any>;
  click(action: string, about?: object): Promise<Answer>;
  finish(click: string, options?: { token?: string; integration?: string }): Promise<Answer>;
}

/** A channel, a contact who has written `hi`, and an integration with a successful handshake. Its responses are scripted. */
export async function startIntegration(
  t: Tap,
  { about = {}, ...options }: Partial<TestPlatformOptions> & { about?: object } = {},
): Promise<IntegrationUnderTest> {
  const test = await startChannel(t, { plugins: [channels(), webhooks(), journeys(), integration()], ...options });
  const { admin, call, say, http, platform, uuid } = test;
  http.answer(`POST ${SHOP}?handshake=true`, { body: handshake });
  http.answer(`POST ${SHOP}`, { body: update });
  const created = await admin('POST', '/integrations', { number: uuid, name: 'Shop', url: SHOP, ...about });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const made = { uuid: created.body.integration.uuid as string, secret: created.body.hmac_secret as string };
  await say('hi');
  const [conversation] = await platform.conversations.list(uuid, 1);
  return {
    ...test,
    made,
    conversation: conversation!.uuid,
    async open(query = '') {
      const { body } = await admin('GET', `/conversations/${conversation!.uuid}${query}`);
      return body.views.integrations.data;
    },
    click: (action, more = {}) =>
      admin('POST', `/conversations/${conversation!.uuid}/actions`, { integration: made.uuid, action, ...more }),
    finish: (click, { token, integration: owner = made.uuid } = {}) =>
      call('POST', `/api/integrations/${owner}/notify/finish`, { payload: { integration_action_uuid: click }, ...(token && { token }) }),
  };
}
