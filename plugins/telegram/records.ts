import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';
import type { TapOption } from './sending/calls.js';

/** The next update that a bot asks for. Stored with the updates before it, so that a crash loses and repeats none. */
export interface PositionRecord {
  /** The uuid of the number. */
  readonly number: string;
  /** The `update_id` of the next update. */
  readonly next: number;
  /** When the last update came. */
  readonly at: string;
}

export const positions = collection<PositionRecord>({ key: 'number', tenant: { number: 'number' } });

/** The options that a message offers as buttons. The data of a button is its key and the index of the option, because it has 64 bytes. */
export interface KeyboardRecord {
  readonly key: string;
  readonly number: string;
  /** The uuid of the message. */
  readonly message: string;
  readonly conversation: string;
  readonly at: string;
  readonly options: readonly TapOption[];
}

export const keyboards = collection<KeyboardRecord>({
  key: 'key',
  tenant: { number: 'number' },
  indexes: { message: ['message'], conversation: ['conversation', 'at'] },
  cold: { after: 0 },
});

/** The id that Telegram gave a file, with which it is sent again without an upload. */
export interface FileRecord {
  /** `<number>/<field>/<sha256>`. */
  readonly key: string;
  readonly number: string;
  readonly file_id: string;
}

export const files = collection<FileRecord>({ key: 'key', tenant: { number: 'number' }, cold: { after: 0 } });

export const issuedAdvice = issuedAdviceCollection();
