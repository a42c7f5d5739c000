import { ManualClock, ScriptedHttp, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { type TelegramOptions, telegram } from '../../../plugins/telegram/plugin.js';
import { type TelegramStandIn, telegramStandIn } from '../../../plugins/telegram/testing/index.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const ANN = 7_000_001;
export const BOB = 7_000_002;

/** A platform with a bot on a stand-in of Telegram. */
export interface BotUnderTest extends TestPlatform {
  readonly standIn: TelegramStandIn;
  readonly clock: ManualClock;
  readonly uuid: string;
  /** Sends a turn to a contact. @returns the uuid of the message */
  send(turn: object, to?: number | string, context?: { id: string }): Promise<string>;
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
  readonly bot?: object;
  readonly telegram?: TelegramOptions;
  readonly clock?: ManualClock;
  readonly standIn?: TelegramStandIn;
}

export async function startBot(
  t: Tap,
  { bot = {}, telegram: options = {}, standIn: given, clock = new ManualClock(), ...platform }: Options = {},
) {
  const http = new ScriptedHttp({ clock });
  const standIn = given ?? (await telegramStandIn({ clock, port: false }));
  standIn.serve(http);
  const test = await startPlatform(t, {
    plugins: [
      channels(),
      webhooks(),
      flows(),
      journeys(),
      messages(),
      telegram({ bots: [{ token: standIn.token, api_url: standIn.url, ...bot }], ...options }),
    ],
    publicUrl: 'https://posthorn.test',
    ...platform,
    ports: { clock, http, ...platform.ports },
  });
  standIn.sendTo(test.server);
  const settle = async (ms = 0) => {
    await clock.advance(ms);
    await standIn.idle();
    await clock.advance(0);
  };
  await settle();
  const [number] = (await test.platform.numbers.list()).filter(({ type }) => type === 'telegram');
  if (!number) throw new Error('the bot of the options was not connected');
  const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
  return Object.assign(test, {
    ...{ standIn, clock, uuid: number.uuid, settle },
    async send(turn: object, to: number | string = ANN, context?: { id: string }) {
      const { platform } = test;
      const who = { id: String(to), address: String(to) };
      const { uuid } = await platform.store.transaction((tx) =>
        platform.channels.sendTo(tx, number, who, { turn: turn as never, author, ...(context && { context }) }),
      );
      return uuid;
    },
    message: (uuid: string) => test.platform.messages.get(uuid),
    problems: () => test.log.lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message),
    told: (name: string) => test.events.filter((one) => one.name === name).map(({ data }) => data),
  }) as BotUnderTest;
}
