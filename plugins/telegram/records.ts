import { collection } from '#core';
import { issuedAdviceCollection } from '#core/messaging';

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

/** The id that Telegram gave a file, with which it is sent again without an upload. */
export interface FileRecord {
  /** `<number>/<field>/<sha256>`. */
  readonly key: string;
  readonly number: string;
  readonly file_id: string;
}

export const files = collection<FileRecord>({ key: 'key', tenant: { number: 'number' }, cold: { after: 0 } });

export const issuedAdvice = issuedAdviceCollection();
