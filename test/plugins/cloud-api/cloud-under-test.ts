import type { Plugin } from '#core';
import {
  type Answer,
  ManualClock,
  type RecordedCall,
  type RecordedLine,
  ScriptedHttp,
  startPlatform,
  type Tap,
  type TestPlatform,
  type TestPlatformOptions,
} from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { type CloudApiOptions, cloudApi } from '../../../plugins/cloud-api/plugin.js';
import { type CloudApiStandIn, cloudApiStandIn } from '../../../plugins/cloud-api/testing/index.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { network } from '../../../plugins/network/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const ANN = '16505551234';
export const OWNER = 'https://owner.test/hook';
export const PHONE_ID = '106540352242922';
export const WABA = '102290129340398';
export const SECRETS = { accessToken: 'stand-in-access-token', appSecret: 'stand-in-app-secret', verifyToken: 'stand-in-verify-token' };
export const NUMBER = { address: '+15550783881', name: 'Library', phoneNumberId: PHONE_ID, wabaId: WABA, ...SECRETS };

/** A platform with a number on a stand-in of the Cloud API. */
export interface CloudUnderTest extends TestPlatform {
  readonly standIn: CloudApiStandIn;
  readonly uuid: string;
  readonly token: string;
  readonly callback: string;
  send(body: object, headers?: Record<string, string>): Promise<Answer>;
  listen(subscriptions: string[], url?: string): Promise<void>;
  received(url?: string): RecordedCall[];
  // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
  told(name: string): any[];
  /** Runs what is due now, and `ms` more. */
  settle(ms?: number): Promise<void>;
  /** The log, without lines of expected failures. */
  problems(): RecordedLine[];
}

export async function startCloud(
  t: Tap,
  {
    cloud = {},
    opens = true,
    secrets = SECRETS,
    more = [],
    ...options
  }: Partial<TestPlatformOptions> & { cloud?: CloudApiOptions; opens?: boolean; secrets?: typeof SECRETS; more?: Plugin[] } = {},
): Promise<CloudUnderTest> {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  const standIn = await cloudApiStandIn({ clock, port: false, ...secrets });
  standIn.serve(http);
  http.answer(OWNER, {});
  const plugin = cloudApi({ numbers: [NUMBER], graphUrl: standIn.url, ...cloud });
  const test = await startPlatform(t, {
    plugins: [channels(), webhooks(), journeys(), messages(), network(), plugin, ...more],
    ...options,
    ports: { clock, http, ...options.ports },
  });
  const { platform, call, admin, events, server, log } = test;
  const [number] = (await platform.numbers.list()).filter(({ type }) => type === 'cloud_api');
  if (!number) throw new Error('the number of the options was not created');
  const token = await platform.store.transaction((tx) => platform.tokens.issue(tx, number.uuid, 'test').text);
  const callback = `http://posthorn.test/cloud-api/webhooks/${PHONE_ID}`;
  if (!(await standIn.subscribe(callback, { server }))) throw new Error('the webhook was not verified');
  const settle = async (ms = 0) => {
    await clock.advance(ms);
    await standIn.idle();
    await clock.advance(0);
  };
  // The first message of the contact opens the window.
  if (opens) {
    await standIn.write(ANN, 'hello');
    await settle();
  }
  return {
    ...test,
    ...{ standIn, uuid: number.uuid, token, callback, settle },
    send: (body, headers) => call('POST', '/v1/messages', { token, payload: { to: `+${ANN}`, ...body }, ...(headers && { headers }) }),
    async listen(subscriptions, url = OWNER) {
      http.answer(url, {});
      const { status, body } = await admin('POST', '/webhooks', { number: number.uuid, url, subscriptions });
      if (status !== 201) throw new Error(JSON.stringify(body));
    },
    received: (url = OWNER) => http.callsTo(url),
    told: (name) => events.filter((event) => event.name === name).map(({ data }) => data),
    problems: () => log.lines.filter(({ level }) => level === 'error' || level === 'warn'),
  };
}
