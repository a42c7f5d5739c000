import { ManualClock, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { flows } from '../../../plugins/flows/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { type WebchatOptions, webchat } from '../../../plugins/webchat/plugin.js';
import { type VisitorOptions, webchatVisitor } from '../../../plugins/webchat/testing/index.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const SHOP = 'https://shop.example';
export const SECRET = 'an identity secret of thirty-two or more';

/** A platform with a web chat, on a port. */
export async function startChat(t: Tap, { chat = {}, options = {}, ...more }: ChatOptions = {}) {
  const clock = new ManualClock();
  const test = await startPlatform(t, {
    plugins: [
      channels(),
      webhooks(),
      flows(),
      messages(),
      webchat({ numbers: [{ key: 'shop', origins: [SHOP], identity_secret: SECRET, ...chat }], sessionsPerMinute: 1000, ...options }),
    ],
    ...more,
    ports: { clock, ...more.ports },
  });
  await test.server.start();
  const [number] = (await test.platform.numbers.list()).filter(({ type }) => type === 'webchat');
  if (!number) throw new Error('the web chat of the options was not connected');
  const url = `${test.server.info.uri}/webchat/${number.uuid}`;
  const author = { type: 'OPERATOR', id: 'desk', name: 'Dana Desk' } as const;
  return Object.assign(test, {
    ...{ clock, number, url },
    visitor: (about: Partial<VisitorOptions> = {}) => webchatVisitor({ url, origin: SHOP, ...about }),
    /** Sends a turn to a visitor. @returns the message */
    async send(visitor: string, turn: object) {
      const { platform } = test;
      const who = { id: visitor, address: visitor };
      return platform.store.transaction((tx) => platform.channels.sendTo(tx, number, who, { turn: turn as never, author }));
    },
    told: (name: string) => test.events.filter((one) => one.name === name).map(({ data }) => data as never),
  });
}

interface ChatOptions extends Partial<TestPlatformOptions> {
  readonly chat?: object;
  readonly options?: WebchatOptions;
}

export type ChatUnderTest = TestPlatform & Awaited<ReturnType<typeof startChat>>;

export const textTurn = (body: string) => ({ type: 'text', text: { body } });
