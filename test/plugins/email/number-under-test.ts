import type { Plugin } from '#core';
import { ManualClock, startPlatform, type Tap, type TestPlatform, type TestPlatformOptions } from '#core/testing';
import { channels } from '../../../plugins/channels/plugin.js';
import { type EmailOptions, email } from '../../../plugins/email/plugin.js';
import { type EmailStandIn, emailStandIn } from '../../../plugins/email/testing/index.js';
import { journeys } from '../../../plugins/journeys/plugin.js';
import { messages } from '../../../plugins/messages/plugin.js';
import { webhooks } from '../../../plugins/webhooks/plugin.js';

export const ANN = 'ann@people.example';
export const BOB = 'bob@people.example';

/** A platform with a number at a mail server that the test plays. */
export interface NumberUnderTest extends TestPlatform {
  readonly standIn: EmailStandIn;
  readonly clock: ManualClock;
  readonly uuid: string;
  /** Sends a turn to a contact. @returns the uuid of the message */
  send(turn: object, to?: string): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: messages of any shape
  message(uuid: string): Promise<any>;
  /** The messages of contacts so far. */
  // biome-ignore lint/suspicious/noExplicitAny: messages of any shape
  received(): any[];
  // biome-ignore lint/suspicious/noExplicitAny: event data of any shape
  told(name: string): any[];
  /** Runs what is due now, and `ms` more. */
  settle(ms?: number): Promise<void>;
  /** Waits in real time until it is so: sockets have their own time. */
  until(what: () => boolean | Promise<boolean>): Promise<void>;
  /** The warnings and errors of the log. */
  problems(): string[];
}

const LIMIT_MS = 5_000;

interface Options extends Partial<TestPlatformOptions> {
  /** How mails of contacts arrive: at the listener of the plugin, or from the mailbox. */
  readonly via?: 'smtp' | 'imap';
  readonly number?: object;
  readonly email?: EmailOptions;
  /** The port of the listener, if it is not that of the log. */
  readonly port?: number;
  /** Further plugins. */
  readonly more?: readonly Plugin[];
}

const ports = new WeakMap<TestPlatform, number>();

/** The port of the listener of a test platform, from its log. A number must be connected. */
export async function listenerPort(test: TestPlatform): Promise<number> {
  const logged = () => test.log.lines.findLast(({ message }) => message === 'mails are received')?.fields.port as number | undefined;
  for (let tries = 0; (logged() ?? ports.get(test)) === undefined && tries < 200; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const port = logged() ?? ports.get(test);
  if (port === undefined) throw new Error('no listener is open');
  ports.set(test, port);
  return port;
}

export async function startNumber(
  t: Tap,
  { via = 'smtp', number: settings = {}, email: options = {}, port, more = [], ...platform }: Options = {},
) {
  const clock = platform.ports?.clock instanceof ManualClock ? platform.ports.clock : new ManualClock();
  const standIn = await emailStandIn({ port: false, mailbox: via === 'imap' });
  t.teardown(() => standIn.stop());
  const about = { ...standIn.settings, username: standIn.address, receive: via, name: 'The library', mails_per_second: 1_000, ...settings };
  const test = await startPlatform(t, {
    plugins: [channels(), webhooks(), journeys(), messages(), email({ listener: { port: 0 }, ...options }), ...more],
    publicUrl: 'https://posthorn.test',
    ...platform,
    ports: { ...platform.ports, clock },
  });
  test.sockets.answer(`127.0.0.1:${standIn.smtpPort}`, standIn.smtpPort);
  if (via === 'imap') test.sockets.answer(`127.0.0.1:${standIn.imapPort}`, standIn.imapPort);
  const { status, body } = await test.admin('POST', '/connections', { type: 'email', settings: about });
  // 200: the data have it already.
  if (status > 201) throw new Error(`the number was not connected: ${status} ${JSON.stringify(body)}`);
  const [number] = (await test.platform.numbers.list()).filter(({ type }) => type === 'email');
  const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
  const settle = (ms = 20) => clock.advance(ms);
  await settle();
  if (about.receive === 'smtp') standIn.deliverTo(port ?? (await listenerPort(test)));
  return Object.assign(test, {
    ...{ standIn, clock, uuid: number!.uuid, settle },
    async until(what: () => boolean | Promise<boolean>) {
      for (const end = performance.now() + LIMIT_MS; !(await what()); await new Promise((resolve) => setTimeout(resolve, 5))) {
        if (performance.now() > end) throw new Error(`it did not happen: ${what}\n${JSON.stringify(test.log.lines.slice(-5))}`);
        await settle(0);
      }
      await settle();
    },
    async send(turn: object, to = ANN) {
      const { uuid } = await test.platform.store.transaction((tx) =>
        test.platform.channels.sendTo(tx, number!, { id: to, address: to }, { turn: turn as never, author }),
      );
      return uuid;
    },
    message: (uuid: string) => test.platform.messages.get(uuid),
    received: () => test.events.flatMap(({ name, data }) => (name === 'message.received' ? [(data as { message: unknown }).message] : [])),
    problems: () => test.log.lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message),
    told: (name: string) => test.events.filter((one) => one.name === name).map(({ data }) => data),
  }) as NumberUnderTest;
}
