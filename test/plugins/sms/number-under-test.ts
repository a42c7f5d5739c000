import type { Plugin } from '#core';
import { ManualClock, ScriptedHttp, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { type SmsOptions, sms } from '../../../plugins/sms/plugin.js';
import { type SmsStandIn, smsStandIn } from '../../../plugins/sms/testing/index.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const ANN = '+15550100001';
export const BOB = '+15550100002';

/** A platform with a number on a stand-in of a gateway. */
export interface NumberUnderTest extends TestPlatform {
  readonly standIn: SmsStandIn;
  readonly clock: ManualClock;
  readonly uuid: string;
  /** Sends a turn to a contact. @returns the uuid of the message */
  send(turn: object, to?: string): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: messages of any shape
  message(uuid: string): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
  told(name: string): any[];
  /** Runs what is due now, and `ms` more. */
  settle(ms?: number): Promise<void>;
  /** The warnings and errors of the log. */
  problems(): string[];
}

interface Options extends Partial<TestPlatformOptions> {
  readonly shape?: SmsStandIn['shape'];
  readonly number?: object;
  readonly sms?: SmsOptions;
  /** Further plugins. */
  readonly more?: readonly Plugin[];
}

export async function startNumber(
  t: Tap,
  { shape = 'twilio', number: settings = {}, sms: options = {}, more = [], ...platform }: Options = {},
) {
  const clock = new ManualClock();
  const http = new ScriptedHttp({ clock });
  let test: TestPlatform;
  const standIn = await smsStandIn({
    ...{ shape, clock, port: false },
    fetchFile: async (url) => {
      const { statusCode, rawPayload } = await test.server.inject(url.replace('https://posthorn.test', ''));
      if (statusCode !== 200) throw new Error(`the file was answered with ${statusCode}`);
      return { type: '', bytes: rawPayload };
    },
  });
  standIn.serve(http);
  const { account, token, sender, url } = standIn;
  test = await startPlatform(t, {
    plugins: [
      channels(),
      webhooks(),
      flows(),
      ...more,
      journeys(),
      messages(),
      sms({
        numbers: [{ gateway: shape, account, token, sender, base_url: url, segments_per_second: 1_000, ...settings }],
        ...options,
      }),
    ],
    publicUrl: 'https://posthorn.test',
    ...platform,
    ports: { clock, http, ...platform.ports },
  });
  standIn.sendTo(test.server);
  // A segment takes a millisecond.
  const settle = async (ms = 20) => {
    await clock.advance(ms);
    await standIn.idle();
    await clock.advance(0);
  };
  await settle();
  const [number] = (await test.platform.numbers.list()).filter(({ type }) => type === 'sms');
  if (!number) throw new Error(`the number of the options was not connected: ${JSON.stringify(test.log.lines)}`);
  const { body } = await test.admin('GET', '/connections?type=sms');
  standIn.connect(body.connections[0].details);
  const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
  return Object.assign(test, {
    ...{ standIn, clock, uuid: number.uuid, settle },
    async send(turn: object, to = ANN) {
      const { platform } = test;
      const { uuid } = await platform.store.transaction((tx) =>
        platform.channels.sendTo(tx, number, { id: to, address: to }, { turn: turn as never, author }),
      );
      return uuid;
    },
    message: (uuid: string) => test.platform.messages.get(uuid),
    problems: () => test.log.lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message),
    told: (name: string) => test.events.filter((one) => one.name === name).map(({ data }) => data),
  }) as NumberUnderTest;
}
