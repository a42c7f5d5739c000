import type { MessageRecord, Plugin } from '#core';
import { type Answer, type RecordedCall, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';
import { cloudCarrier } from '../cloud-api/carrier.js';

export const PHONE = '27820001001';
export const OWNER = 'https://owner.test/hook';

export const allPlugins = (): Plugin[] => [channels(), webhooks(), journeys(), messages(), network()];

/** A number of the network, with a phone, and everything that either receives. */
export interface NetworkUnderTest extends TestPlatform {
  readonly uuid: string;
  readonly token: string;
  /** Posts to the message-sending endpoint unchanged, with a recipient if none is given. */
  send(body: object, headers?: Record<string, string>): Promise<Answer>;
  /** The phone sends a message. */
  phone(message: object): Promise<Answer>;
  /** The phone sends a text. @returns the recorded message */
  say(body: string): Promise<MessageRecord>;
  policy(change: object): Promise<Answer>;
  upload(mimeType: string, bytes?: string | Buffer): Promise<string>;
  /** Creates a webhook; `received` returns its deliveries. */
  listen(subscriptions: string[], url?: string): Promise<{ uuid: string; secret: string }>;
  received(url?: string): RecordedCall[];
  // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
  told(name: string): any[];
  settle(): Promise<void>;
}

export async function startNetwork(
  t: Tap,
  { kind = 'network', ...options }: Partial<TestPlatformOptions> & { kind?: 'network' | 'sandbox' } = {},
): Promise<NetworkUnderTest> {
  const carrier = process.env.POSTHORN_CARRIER === 'cloud' && kind === 'network' ? await cloudCarrier() : undefined;
  const plugins = [...(options.plugins ?? allPlugins()), ...(carrier ? [carrier.plugin] : [])];
  const test = await startPlatform(t, { ...options, plugins, ports: { ...options.ports, ...carrier?.ports } });
  const { call, http, clock, events } = test;
  // The templates of a number on the Cloud API are those of its account.
  const admin: TestPlatform['admin'] = async (method, path, payload) => {
    const answer = await test.admin(method, path, payload);
    if (carrier && method === 'PUT' && path.endsWith('/templates') && answer.status === 200) carrier.template(answer.body.template);
    return answer;
  };
  const { uuid, token } = await test.number(kind, { address: '+27110000000', name: 'Library', account: 'account-1' });
  await carrier?.connect(test, uuid);
  http.answer(OWNER, {});
  const phone = (message: object) => {
    const sent = { from: PHONE, name: 'Ann', ...message };
    return carrier?.phone(test, uuid, sent) ?? admin('POST', `/network/numbers/${uuid}/messages`, sent);
  };
  return {
    ...test,
    admin,
    uuid,
    token,
    phone,
    async send(body, headers) {
      const answer = await call('POST', '/v1/messages', { token, payload: { to: `+${PHONE}`, ...body }, ...(headers && { headers }) });
      await carrier?.settle();
      return answer;
    },
    async say(body) {
      const { status, body: answer } = await phone({ type: 'text', text: { body } });
      if (status !== 201) throw new Error(JSON.stringify(answer));
      return answer.message;
    },
    policy: (change) => admin('PATCH', `/network/numbers/${uuid}/policy`, change),
    async upload(mimeType, bytes = 'some bytes') {
      const { body } = await call('POST', '/v1/media', { token, payload: bytes, headers: { 'content-type': mimeType } });
      return body.media[0].id;
    },
    async listen(subscriptions, url = OWNER) {
      http.answer(url, {});
      const { status, body } = await admin('POST', '/webhooks', { number: uuid, url, subscriptions });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return { uuid: body.webhook.uuid, secret: body.hmac_secret };
    },
    received: (url = OWNER) => http.callsTo(url),
    told: (name) => events.filter((event) => event.name === name).map(({ data }) => data),
    settle: () => carrier?.settle() ?? clock.advance(0),
  };
}
