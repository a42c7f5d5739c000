import type { DeliveryStatus, MessageRecord, Turn } from '#core';
import { type Answer, type RecordedCall, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { containerOf, type Draft } from '../journeys/engine/journey-under-test.js';

export const CONNECTOR = 'https://connector.test/hook';
export const CONTACT = '+27820001001';

/** A channel whose connector returns the ids `out-1`, `out-2` and so on, unless a test scripts another response. */
export interface ChannelUnderTest extends TestPlatform {
  readonly uuid: string;
  readonly token: string;
  /** The connector's webhook, and the secret that signs its deliveries. */
  readonly webhook: { readonly uuid: string; readonly secret: string };
  /** The token of the network number that created the channel. */
  readonly maker: { readonly uuid: string; readonly token: string };
  /** Posts an inbound message unchanged. */
  post(body: unknown): Promise<Answer>;
  /** Posts a text of the contact. Resolves when everything that is due has been done. */
  say(text: string, about?: { id?: string; from?: string; name?: string; context?: string }): Promise<Answer>;
  /** Posts a status unchanged. */
  report(id: string, status: DeliveryStatus, about?: { recipient?: string; at?: number }): Promise<Answer>;
  /** Sends to a contact who has written before; does not wait for the delivery. */
  send(turn?: Turn, to?: string): Promise<MessageRecord>;
  message(uuid: string): Promise<MessageRecord | undefined>;
  /** Puts and publishes a journey, or its next revision. Any message starts it unless trigger words are given. */
  publish(draft: Draft, about?: { uuid?: string; name?: string; words?: string[]; number?: string; timeout?: number }): Promise<string>;
  /** The texts that the connector received, in order. */
  received(): string[];
  /** The payloads that the connector received, in order. */
  deliveries(): RecordedCall[];
  /** The data of every event of a name. */
  // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
  told(name: string): any[];
  /** Runs everything that is due now. */
  settle(): Promise<void>;
}

export const textTurn = (body: string): Turn => ({ type: 'text', text: { body } });

/** An inbound text message as a connector posts it. */
export const inboundText = (
  text: string,
  { id = 'in-1', from = CONTACT, name = 'Ann', context }: Parameters<ChannelUnderTest['say']>[1] = {},
) => ({
  contact: { id: from, profile: { name } },
  message: { type: 'text', from, id, timestamp: '1767600000', text: { body: text }, ...(context && { context: { id: context } }) },
});

/** Creates a token of a number, with the admin API. */
export async function tokenOf({ admin }: TestPlatform, number: string): Promise<string> {
  return (await admin('POST', `/numbers/${number}/tokens`, { name: 'test' })).body.text;
}

export async function startChannel(t: Tap, options: Partial<TestPlatformOptions> = {}): Promise<ChannelUnderTest> {
  const platform = await startPlatform(t, { plugins: [channels(), webhooks(), journeys()], ...options });
  const made = await platform.admin('POST', '/numbers', { kind: 'network', address: '+27110000000', name: 'Head office' });
  const maker = { uuid: made.body.number.uuid, token: await tokenOf(platform, made.body.number.uuid) };
  const created = await platform.call('POST', '/v1/numbers', {
    token: maker.token,
    payload: { backend_type: 'channel', number_type: 'channel_http_api', from_addr: 'library', name: 'Library', endpoint: CONNECTOR },
  });
  const { number, webhook } = created.body;
  let named = 0;
  platform.http.answer(`POST ${CONNECTOR}`, () => ({ body: { messages: [{ id: `out-${++named}` }] } }));
  return channelOver(platform, {
    uuid: number.uuid,
    token: await tokenOf(platform, number.uuid),
    webhook: { uuid: webhook.uuid, secret: webhook.hmac_secret },
    maker,
  });
}

type Made = Pick<ChannelUnderTest, 'uuid' | 'token' | 'webhook' | 'maker'>;

/** A channel that exists already, on a platform that may have been restarted. */
export function channelOver(test: TestPlatform, { uuid, token, webhook, maker }: Made): ChannelUnderTest {
  const { call, admin, clock, http, events, platform } = test;
  let written = 0;
  const post = (body: unknown) => call('POST', `/v1/numbers/${uuid}/messages`, { token, payload: body });
  const settle = () => clock.advance(0);
  return {
    ...test,
    uuid,
    token,
    webhook,
    maker,
    post,
    settle,
    async say(text, { id = `in-${++written}`, ...about } = {}) {
      const answer = await post(inboundText(text, { id, ...about }));
      await settle();
      return answer;
    },
    report: (id, status, { recipient = CONTACT, at = 1767600000 } = {}) =>
      call('POST', `/v1/numbers/${uuid}/statuses`, {
        token,
        payload: { status: { id, recipient_id: recipient, status, timestamp: String(at) } },
      }),
    async send(turn = textTurn('hello'), to = CONTACT) {
      const number = await platform.numbers.require(uuid);
      const contact = (await platform.contacts.list(uuid)).find(({ id }) => id === to);
      const author = { type: 'OPERATOR' as const, id: 'desk', name: 'Desk' };
      return platform.store.transaction((tx) => platform.channels.send(tx, number, contact!, { turn, author }));
    },
    message: (uuid) => platform.messages.get(uuid),
    received: () => http.callsTo(CONNECTOR).map(({ json: { turn } }) => turn.text?.body ?? turn.interactive?.body.text ?? turn.type),
    async publish(draft, { uuid: journey = platform.ids.uuid(), name = 'Journey', words, number = uuid, timeout = 300 } = {}) {
      const triggers = [{ on: 'message', ...(words && { words }) }];
      const container = containerOf(draft);
      const definition = { ...container, flows: container.flows.map((flow) => ({ ...flow, interaction_timeout: timeout })) };
      const put = await admin('PUT', `/journeys/${journey}`, { number, name, definition, triggers });
      const published = await admin('POST', `/journeys/${journey}/publish`, { revision: 'production' });
      if (published.status !== 200) throw new Error(`${put.status} ${published.status}: ${JSON.stringify([put.body, published.body])}`);
      return journey;
    },
    deliveries: () => http.callsTo(CONNECTOR),
    told: (name) => events.filter((event) => event.name === name).map(({ data }) => data),
  };
}
