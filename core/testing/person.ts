import type { Plugin } from '../contract/plugin.js';
import { type TurnParts, turnParts } from '../messaging/turn-parts.js';
import { joinedTexts } from '../turns/rich-text.js';
import type { Sendable } from '../turns/turn.js';
import type { TestPlatform } from './start-platform.js';

/** A message as a person on a channel sees it. */
export interface SeenMessage {
  /** Without formats, and without the lines of numbered options. */
  readonly text: string;
  /** The titles of its options, in their order. */
  readonly options: readonly string[];
  /** The kind of its file, in a word of the channel, such as `photo`; a link to a file is one, too. */
  readonly file?: string;
}

/** A person who writes to a number of a channel, played for tests. */
export interface ChannelPerson {
  /** The uuid of the number. */
  readonly number: string;
  /** The id of the contact, as the channel spells it. */
  readonly contact: string;
  /** The name in the profile, if the channel tells it. */
  readonly name?: string;
  /** Resolves when the platform has the text. */
  write(text: string): Promise<unknown>;
  /** Chooses an option of the newest message with options, as people on this channel do; the first one is 0. */
  choose(index: number): Promise<unknown>;
  /** All messages that have arrived, in their order. */
  seen(): Promise<readonly SeenMessage[]> | readonly SeenMessage[];
}

/** A channel on which conversations are played, with its remote end. `posthorn test --channels` plays the same conversation on several. */
export interface PlayedChannel {
  /** Such as `telegram`. */
  readonly name: string;
  /** As people know it. */
  readonly title: string;
  /** How people choose an option. */
  readonly chosenBy: 'buttons' | 'numbers';
  /** The plugins that the platform needs for it. */
  plugins(): readonly Plugin[];
  /** Creates a number, connects it to the remote end, and returns a person who can write to it. */
  open(test: TestPlatform): Promise<ChannelPerson>;
}

/** A message in the form of the platform, or of the network, as a channel shows it that has everything. */
export function seenTurn(turn: Sendable, rendered?: string): SeenMessage {
  const parts: TurnParts | undefined = turnParts(turn, rendered);
  if (!parts) return { text: '', options: [] };
  const { header, body, footer, sections, file } = parts;
  return {
    text: joinedTexts([header, body, footer]).text,
    options: sections.flatMap(({ options }) => options.map(({ title }) => title)),
    ...(file && { file: file.kind }),
  };
}

/** Creates a number of a type, and connects it to its service. @returns its uuid and token @throws Error when it was not connected */
export async function connectedNumber(test: TestPlatform, type: string, address: string, settings: object) {
  const number = await test.number('channel', { type, address, name: type });
  const { status, body } = await test.admin('PUT', `/numbers/${number.uuid}/connection`, { settings });
  if (status !== 200) throw new Error(`the number was not connected: ${status} ${JSON.stringify(body)}`);
  await test.clock.advance(0);
  return number;
}
