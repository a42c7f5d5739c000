import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Plugin } from '../contract/plugin.js';
import type { DeliveryStatus, MessageRecord } from '../messaging/message.js';
import type { NumberKind } from '../messaging/number.js';
import type { NewNumber } from '../messaging/numbers.js';
import type { Ports } from '../ports/ports.js';
import { withoutUndefined } from '../shape.js';
import type { Turn } from '../turns/turn.js';
import { startPlatform, type TestPlatform } from './start-platform.js';
import type { Tap } from './tap.js';

/** A number of the channel, with its token. */
export interface ChannelNumber {
  readonly uuid: string;
  readonly token: string;
}

/** A text that the channel delivered. */
export interface DeliveredText {
  readonly to: string;
  readonly text: string | undefined;
  /** The bytes of the file that came with it. */
  readonly bytes?: Uint8Array | undefined;
}

/**
 * A channel whose remote end the test plays: `test.http` with scripted responses, a stand-in of its service, or a collection that the channel writes to.
 * The contract prints as comments what it leaves out because a function is missing.
 */
export interface ChannelUnderTest {
  readonly plugins: readonly Plugin[];
  readonly number: Partial<NewNumber> & { readonly kind: NumberKind };
  /**
   * Ids of contacts as the channel spells them, such as `ada@example.org`, `@ada` or `9007199254740993`: each receives and writes messages,
   * the first one in all rules. `+27820001001` if not given.
   */
  readonly contacts?: readonly [string, ...string[]];
  /** Sets up what a number needs before it can send: scripted responses, a webhook, a token. */
  prepare?(test: TestPlatform, number: ChannelNumber): Promise<void> | void;
  /** All texts that the remote end has received so far, in order. */
  delivered(test: TestPlatform, number: ChannelNumber): Promise<readonly DeliveredText[]> | readonly DeliveredText[];
  /** Sends a message from a contact. A repeated `id` is the same message again. Omit it for channels that only send. */
  write?(test: TestPlatform, number: ChannelNumber, message: { from: string; id: string; text: string }): Promise<void>;
  /** `strict`: later messages to a contact wait for one that will be sent again. Without it, they may overtake that one. */
  readonly order?: 'strict';
  /** Whether a message is never sent again when it is unknown whether the service has it. */
  readonly atMostOnce?: boolean;
  /** The contact taps an option of the newest message to it. */
  tap?(
    test: TestPlatform,
    number: ChannelNumber,
    reply: { from: string; id: string; option: { id: string; title: string } },
  ): Promise<void>;
  /** The service reports a status of a message that it has accepted. */
  report?(test: TestPlatform, number: ChannelNumber, report: { message: MessageRecord; status: DeliveryStatus }): Promise<void>;
  /** The contact answers a message of the platform, such as by a quote. */
  reply?(test: TestPlatform, number: ChannelNumber, reply: { from: string; id: string; text: string; to: MessageRecord }): Promise<void>;
  /** The id of the message of the contact that the newest message to it answers, as the channel gave it to the platform. */
  quoted?(test: TestPlatform, number: ChannelNumber): Promise<string | undefined> | string | undefined;
  /** The statuses that the service has; `sent`, `delivered` and `read` if not given. */
  readonly statuses?: readonly DeliveryStatus[];
  /** Sends a PNG image from a contact. `delivered` then has the `bytes` of files to contacts. */
  media?(test: TestPlatform, number: ChannelNumber, file: { from: string; id: string; bytes: Uint8Array }): Promise<void>;
  /**
   * Makes the next requests with messages fail. `refused`: the service refuses the message permanently. `busy`: it has too many requests now, such
   * as 429 with `Retry-After`. `broken`: the connection breaks before it has the request. `unknown`: it has the message, and its response is lost.
   * @returns for `busy`, the milliseconds for which the service wants no calls: the contract checks that it gets none
   */
  fault?(test: TestPlatform, number: ChannelNumber, kind: 'refused' | 'busy' | 'broken' | 'unknown', times: number): unknown;
  /**
   * Connects the remote end to another platform with the same data, after the process was killed whose requests went through `test.http`. `delivered`
   * then has what both have sent.
   */
  reopen?(test: TestPlatform, number: ChannelNumber): Promise<void> | void;
}

const PHONE = ['+27820001001'] as const;
const author = { type: 'OPERATOR', id: 'desk', name: 'Desk' } as const;
const SETTLED_MS = 60_000;
/** Longer than a channel repeats a message. */
export const REPEATED_MS = 60 * 60_000;

export const textTurn = (body: string): Turn => ({ type: 'text', text: { body } });

export const contactsOf = ({ contacts = PHONE }: ChannelUnderTest): readonly [string, ...string[]] => contacts;

interface Beginning {
  readonly contact?: string;
  readonly dataDir?: string;
  /** A platform that was killed, of whose data `dataDir` is a copy. */
  readonly killed?: { readonly test: TestPlatform; readonly number: ChannelNumber };
  readonly ports?: Partial<Ports>;
}

/** Starts a platform with a number of the channel. */
export async function startChannel(
  t: Tap,
  channel: ChannelUnderTest,
  { contact = contactsOf(channel)[0], dataDir, killed, ports }: Beginning = {},
) {
  const test = await startPlatform(t, {
    plugins: channel.plugins,
    ...(dataDir !== undefined && { dataDir }),
    // A store of the test needs a key for its secrets.
    ...(ports?.store && { secretKey: '5'.repeat(64) }),
    ports: { ...ports, ...(killed && { clock: killed.test.clock }) },
  });
  const { platform, clock } = test;
  const { kind, ...about } = channel.number;
  const number = killed?.number ?? (await test.number(kind, about));
  await (killed ? channel.reopen?.(test, number) : channel.prepare?.(test, number));
  return {
    ...{ test, number, contact },
    // A test may write `bytes: undefined` for a message without a file.
    delivered: async () => (await channel.delivered(test, number)).map(withoutUndefined),
    write: channel.write && ((message: { from: string; id: string; text: string }) => channel.write!(test, number, message)),
    settle: (ms = SETTLED_MS) => clock.advance(ms),
    message: (uuid: string) => platform.messages.get(uuid),
    received: () =>
      test.events.flatMap(({ name, data }) => (name === 'message.received' ? [(data as { message: MessageRecord }).message] : [])),
    async send(turn: Turn, meanwhile?: () => Promise<void> | void, context?: MessageRecord['context']): Promise<MessageRecord> {
      const record = await platform.numbers.require(number.uuid);
      return platform.store.transaction(async (tx) => {
        const sent = await platform.channels.sendTo(tx, record, { id: contact, address: contact }, { turn, author, context });
        await meanwhile?.();
        return sent;
      });
    },
  };
}

/** An empty folder that is removed at the end of the test. */
export function dataFolder(t: Tap): string {
  const folder = mkdtempSync(join(tmpdir(), 'channel-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies a data folder, as a process that is killed leaves it. */
export function copiedData(t: Tap, dataDir: string): string {
  const copy = dataFolder(t);
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !basename(path).startsWith('lock') });
  return copy;
}

const media = { link: 'https://example.org/file', mime_type: 'image/png' };

/** One turn of every kind that a channel has to send. */
export const turns = {
  text: textTurn('hello'),
  template: { template: { name: 'greeting', language: { code: 'en' } } },
  buttons: {
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Which?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'This' } }] },
    },
  },
  list: {
    type: 'interactive',
    interactive: {
      type: 'list',
      body: { text: 'Which?' },
      action: { button: 'Choose', sections: [{ rows: [{ id: 'a', title: 'This' }] }] },
    },
  },
  image: { type: 'image', image: media },
  video: { type: 'video', video: { ...media, mime_type: 'video/mp4' } },
  audio: { type: 'audio', audio: { ...media, mime_type: 'audio/ogg' } },
  document: { type: 'document', document: { ...media, mime_type: 'application/pdf', filename: 'a.pdf' } },
} satisfies Readonly<Record<string, Turn>>;
